"""Reads the public headers: what they declare to C programs, where, and with which comments."""

import re
from dataclasses import dataclass

from tree import files, without_comments

EXPORTED = ("function", "data")


@dataclass
class Declaration:
    """One name that a public header declares."""

    kind: str  # function, data, inline, macro, constant, struct, callback or type
    name: str
    path: str
    line: int
    documented: bool
    bare_fields: list  # (line, field) of a struct's members that have no comment


class Header:
    """The text of a header, line by line (from 0), with and without comments."""

    def __init__(self, path, text):
        self.path = str(path)
        self.raw = text.splitlines()
        self.code = without_comments(text).splitlines()
        self.directive = {}  # line: the first line of the preprocessor directive that it is in
        self.opening = {}  # line of an #else, #elif or #endif: line of its #if
        self.cplusplus = set()  # lines that only C++ sees
        self._read_directives()

    def _read_directives(self):
        stack = []  # [line of the #if, True if what follows is for C++ alone]
        begin = None
        for number, line in enumerate(self.code):
            if begin is None and line.lstrip().startswith("#"):
                begin = number
                word = re.match(r"\s*#\s*(\w*)\s*(\w*)", line)
                if word[1] in ("if", "ifdef", "ifndef"):
                    stack.append([number, word[1] != "ifndef" and "__cplusplus" in line])
                elif word[1] in ("else", "elif") and stack:
                    self.opening[number] = stack[-1][0]
                    stack[-1][1] = False
                elif word[1] == "endif" and stack:
                    self.opening[number] = stack.pop()[0]
            if begin is not None:
                self.directive[number] = begin
                if not line.rstrip().endswith("\\"):
                    begin = None
            if any(only for _, only in stack):
                self.cplusplus.add(number)

    def documented(self, number):
        """True if a doc comment stands directly above a line. A group of #defines without an empty
        line between shares the one above it, and so do the two sides of an #if."""
        number -= 1
        while number >= 0:
            if number in self.directive:
                first = self.directive[number]
                number = self.opening.get(first, first) - 1
            elif self.code[number].strip() or not self.raw[number].strip():
                return False
            else:
                while number > 0 and "/*" not in self.raw[number]:
                    number -= 1
                return bool(re.match(r"\s*/\*[*!](?!<)", self.raw[number]))
        return False

    def statement(self, number):
        """The code from a line on up to the ';' or '}' that ends it, and its last line."""
        text, depth = "", 0
        for last in range(number, len(self.code)):
            if last in self.directive:
                continue
            text += self.code[last] + "\n"
            depth += self.code[last].count("{") - self.code[last].count("}")
            if depth == 0 and re.search(r"[;}]\s*$", self.code[last]):
                return text, last
        return text, len(self.code) - 1

    def bare_fields(self, first, last):
        """The members of the struct in these lines that no doc comment describes."""
        bare, begin = [], None
        for number in range(first + 1, last):
            if not self.code[number].strip() or number in self.directive:
                continue
            if begin is None:
                begin = number
            if self.code[number].rstrip().endswith(";"):
                beside = any("/**<" in self.raw[line] for line in range(begin, number + 1))
                if not beside and not self.documented(begin):
                    bare.append((begin + 1, self.code[begin].strip()))
                begin = None
        return bare


def typedef(text):
    """The kind and the name that a typedef declares."""
    if "{" in text:
        return "struct", re.search(r"(\w+)\s*;\s*$", text)
    if "(" in text:
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", text)
        return "callback", pointer or re.search(r"(\w+)\s*\(", text)
    return "type", re.search(r"(\w+)\s*;\s*$", text)


def classify(text):
    """The kind and the name of a declaration at file level, or None."""
    if text.startswith("HOOP_API"):
        function = re.match(r"HOOP_API[^()]*?(\w+)\s*\(", text)
        if function:
            return "function", function
        return "data", re.search(r"(\w+)[\[\]\w]*\s*;", text)
    if text.startswith("static inline"):
        return "inline", re.search(r"(\w+)\s*\(", text)
    if text.startswith("typedef"):
        return typedef(text)
    if re.match(r"(struct|enum|union) \w+ \{", text):
        return "struct", re.match(r"\w+ (\w+)", text)
    return None, None


def read(path, text):
    """The declarations of one header."""
    header = Header(path, text)
    number = 0
    while number < len(header.code):
        line = header.code[number]
        define = re.match(r"#\s*define\s+(\w+)(\()?", line)
        last = number
        kind = name = None
        if number in header.cplusplus:
            pass
        elif define:
            kind, name = ("macro" if define[2] else "constant"), define[1]
        elif number not in header.directive and re.search(r"\W", line.strip()):
            text, last = header.statement(number)
            kind, match = classify(text)
            name = match and match[1]
        if name:
            bare = header.bare_fields(number, last) if kind == "struct" else []
            yield Declaration(kind, name, str(path), number + 1, header.documented(number), bare)
        number = last + 1


def declarations(root):
    """All that the public headers declare."""
    return [
        declaration
        for path in files(root, "include", suffixes=(".h",))
        for declaration in read(path, (root / path).read_text())
    ]
