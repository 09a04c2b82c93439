"""Style test: which room of lib/ may include what, and that each file opens with a comment."""

import re

from tree import Fault, Problem, files, main, without_comments

# Each room, and the rooms that it stands on; it may include what those include, too.
ROOMS = {
    "base": [],
    "codec": ["base"],
    "compress": ["base"],
    "crypto": ["base"],
    "value": ["codec"],
    "json": ["value"],
    "handler": ["json"],
    "middleware": ["handler", "compress", "crypto"],
    "file": ["middleware"],
    "sse": ["handler"],
    "http1": ["value"],
    "http2": ["value"],
    "ajp": ["value"],
    "websocket": ["value"],
    "grpc": ["value"],
    "net": ["http1", "http2", "ajp", "websocket", "grpc"],
    "server": ["net", "handler"],
    "client": ["net"],
    "redis": [],
}

# Headers of other libraries, and the only rooms that include them.
FOREIGN = {
    "uv.h": ["net", "redis"],
    "async.h": ["redis"],
    "hiredis.h": ["redis"],
    "jansson.h": ["json"],
    "llhttp.h": ["http1"],
    "openssl/evp.h": ["crypto"],
    "openssl/hmac.h": ["crypto"],
    "libdeflate.h": ["compress"],
    "zlib.h": ["compress"],
    "brotli/encode.h": ["compress"],
    "brotli/decode.h": ["compress"],
    "zstd.h": ["compress"],
}
# Files outside those rooms that may include them: (path, header).
EXCEPTIONS = []

# What public headers may include besides <hoop/...>.
STANDARD = {
    f"{name}.h"
    for name in "assert ctype errno float inttypes iso646 limits locale math setjmp signal stdarg"
    " stdbool stddef stdint stdio stdlib string time".split()
}
PUBLIC_EXCEPTIONS = [("include/hoop/json.h", "jansson.h")]


def reach(room):
    """The rooms that a room may include: itself and all below."""
    rooms = {room}
    for below in ROOMS[room]:
        rooms |= reach(below)
    return rooms


def in_room(path, room, quote, header):
    """What is wrong with a room's #include, or None."""
    if quote == "<":
        if header == "hoop/json.h" and "json" not in reach(room):
            return "<hoop/json.h> is for json and the rooms that stand on it"
        rooms = FOREIGN.get(header)
        if rooms and room not in rooms and (str(path), header) not in EXCEPTIONS:
            return f"only lib/{' and lib/'.join(rooms)} may include <{header}>"
        return None
    other, slash, _ = header.partition("/")
    if not slash:
        return f'name the room, too: "{room}/{header}"'
    if other not in ROOMS:
        return f"no room is named '{other}' (see ROOMS in tests/style/floors.py)"
    if other not in reach(room):
        below = ", ".join(sorted(reach(room) - {room})) or "nothing"
        return f"{room} does not stand on {other}; it may include {below}"
    return None


def in_public(path, quote, header):
    """What is wrong with a public header's #include, or None."""
    if quote == '"':
        return f"public headers include as their users do: <{header}>"
    if header == "hoop/json.h":
        return "<hoop/json.h> stands apart, since it needs jansson's header"
    if header.startswith("hoop/") or header in STANDARD:
        return None
    if (str(path), header) in PUBLIC_EXCEPTIONS:
        return None
    return f"public headers include hoop's and standard C's only, not <{header}>"


def check(root):
    problems = []
    for path in files(root, "lib", "include", suffixes=(".c", ".h")):
        text = (root / path).read_text()
        if not text.startswith(("/*", "//")):
            problems.append(Problem(str(path), 1, "open the file with a sentence on what it is"))
        public = path.parts[0] == "include"
        room = path.parts[1]
        if not public and (len(path.parts) < 3 or room not in ROOMS):
            text = "stands in no room that tests/style/floors.py knows (see ROOMS)"
            problems.append(Problem(str(path), 1, text))
            continue
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not include:
                continue
            quote, header = include[1], include[2]
            wrong = in_public(path, quote, header) if public else in_room(path, room, quote, header)
            if wrong:
                problems.append(Problem(str(path), number, wrong))
    return problems


def source(*includes):
    return "/* A file. */\n" + "".join(f"#include {name}\n" for name in includes)


CLEAN = {
    "include/hoop.h": source("<hoop/a.h>"),
    "include/hoop/a.h": source("<stdint.h>", "<hoop/b.h>"),
    "include/hoop/json.h": source("<jansson.h>"),
    "lib/base/a.h": source("<hoop/a.h>", "<string.h>"),
    "lib/value/a.c": source('"value/a.h"', '"codec/a.h"', '"base/a.h"'),
    "lib/value/b.h": "/*\n#include <uv.h>\n*/\n",
    "lib/handler/a.c": source('"json/a.h"', '"value/a.h"', "<hoop/json.h>"),
    "lib/http1/a.c": source('"value/a.h"', "<llhttp.h>"),
    "lib/json/a.c": source("<jansson.h>"),
    "lib/net/a.c": source("<uv.h>", '"http1/a.h"', '"base/a.h"'),
    "lib/server/a.c": source('"net/a.h"', '"handler/a.h"'),
}
FAULTS = [
    Fault({"lib/base/b.c": source('"base/a.h"', '"value/a.h"')}, "lib/base/b.c:3", "nothing"),
    Fault({"lib/net/b.c": source('"handler/a.h"')}, "lib/net/b.c:2", "does not stand on handler"),
    Fault({"lib/http1/b.c": source('"net/a.h"')}, "lib/http1/b.c:2", "does not stand on net"),
    Fault({"lib/http1/b.c": source('"ajp/a.h"')}, "lib/http1/b.c:2", "does not stand on ajp"),
    Fault({"lib/value/b.c": source('"b.h"')}, "lib/value/b.c:2", '"value/b.h"'),
    Fault({"lib/value/b.c": source('"vlaue/b.h"')}, "lib/value/b.c:2", "'vlaue'"),
    Fault({"lib/value/b.c": source("<hoop/json.h>")}, "lib/value/b.c:2", "for json"),
    Fault({"lib/server/b.c": source("<uv.h>")}, "lib/server/b.c:2", "only lib/net and"),
    Fault({"lib/handler/b.c": source("<jansson.h>")}, "lib/handler/b.c:2", "only lib/json"),
    Fault({"lib/net/b.c": source("<llhttp.h>")}, "lib/net/b.c:2", "only lib/http1"),
    Fault({"lib/attic/b.c": source()}, "lib/attic/b.c:1", "no room"),
    Fault({"lib/base/b.c": "#include <string.h>\n"}, "lib/base/b.c:1", "sentence"),
    Fault({"include/hoop/b.h": source("<uv.h>")}, "include/hoop/b.h:2", "not <uv.h>"),
    Fault({"include/hoop/b.h": source("<jansson.h>")}, "include/hoop/b.h:2", "not <jansson.h>"),
    Fault({"include/hoop/b.h": source("<sys/types.h>")}, "include/hoop/b.h:2", "sys/types.h"),
    Fault({"include/hoop/b.h": source('"hoop/a.h"')}, "include/hoop/b.h:2", "<hoop/a.h>"),
    Fault({"include/hoop.h": source("<hoop/json.h>")}, "include/hoop.h:2", "apart"),
]

if __name__ == "__main__":
    main(check, CLEAN, FAULTS)
