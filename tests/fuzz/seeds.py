#!/usr/bin/env python3
"""Writes the seed corpus of the HTTP/1 fuzz target: the inputs of the conformance cases.

usage: seeds.py CASES.json FOLDER [STAMP]

Each file is two bytes of options and the bytes that a client sends. STAMP is written at the end, for
build systems that want one file as the result.
"""
import json
import os
import sys


def main():
    cases, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    with open(cases, encoding='utf-8') as f:
        for number, case in enumerate(json.load(f)):
            with open(os.path.join(folder, case['id']), 'wb') as out:
                out.write(bytes([number % 8, number % 256]) + case['input'].encode('latin-1'))
    if len(sys.argv) > 3:
        with open(sys.argv[3], 'w', encoding='utf-8') as out:
            out.write('done\n')


if __name__ == '__main__':
    main()
