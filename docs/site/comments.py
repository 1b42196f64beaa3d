#!/usr/bin/env python3
"""A header for Doxygen: comments.py FILE prints it with its plain comments as Doxygen wants them. A comment above a declaration becomes one of it, a
comment behind one of its fields becomes that of the field, and rules such as "---- process ----" become groups of declarations.
"""
import re
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    escape = lambda words: re.sub(r"([@\\<>&#])", r"\\\1", words)
    found = []

    def keep(match):
        found.append(match[0])
        return f"\0{len(found) - 1}\0"
    text = re.sub(r"/\*.*?\*/", keep, text, flags=re.S)

    def put(match):
        comment, number = found[int(match[1])], int(match[1])
        inside = escape(comment[2:-2])
        line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        rule = re.match(r"\s*-{4} (.*?) -{4,}\s*$", comment[2:-2])
        if rule:
            return f"/** @name {escape(rule[1])} */"
        if number == 0:
            return f"/** @file\n * {inside.lstrip()}*/"
        return f"/**<{inside}*/" if line.strip() else f"/**{inside}*/"
    sys.stdout.write(re.sub(r"\0(\d+)\0", put, text))


if __name__ == "__main__":
    main(sys.argv[1])
