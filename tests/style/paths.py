"""Style test: no file names a place on somebody's machine, and no code is left as a note to do."""

import re

from tree import Fault, Problem, files, main

MACHINE_PATH = re.compile(r"(?<![\w.)}])/(?:work|home|root)/")
NOTE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X{3})\b")
CODE = {"lib", "include", "examples", "tests"}


def check(root):
    problems = []
    for path in files(root):
        data = (root / path).read_bytes()
        if b"\0" in data:
            continue
        for number, line in enumerate(data.decode(errors="replace").split("\n"), 1):
            place = MACHINE_PATH.search(line)
            if place:
                text = f"'{place[0]}' exists on one machine only: name it by a relative path"
                problems.append(Problem(str(path), number, text))
            note = NOTE.search(line) if path.parts[0] in CODE else None
            if note:
                text = f"'{note[0]}': do it, or open an issue"
                problems.append(Problem(str(path), number, text))
    return problems


def place(name):
    """A path of the kind that is refused, spelt so that this file passes."""
    return "/".join(["", name, "me", "hoop"])


CLEAN = {
    "README.md": "A TO" "DO list. See https://example.org" + place("home") + "\n",
    "lib/a.c": 'char name[] = "/tmp/hoop.XXXXXX"; /* a todo application */\n',
    "tests/data": "\0" + place("work"),
}
FAULTS = [
    Fault({"docs/a.md": "one\nsee " + place("work") + "\n"}, "docs/a.md:2", "relative"),
    Fault({"meson.build": f"x = '{place('home')}'\n"}, "meson.build:1", "relative"),
    Fault({"tests/run": place("root")}, "tests/run:1", "relative"),
    Fault({"lib/b.c": "int x; // FIX" "ME: y\n"}, "lib/b.c:1", "issue"),
    Fault({"tests/b.c": "/* X" "XX */\n"}, "tests/b.c:1", "issue"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS)
