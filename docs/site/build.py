#!/usr/bin/env python3
"""The site: build.py FOLDER [--doxygen] builds it from README.md, docs/ and the public headers into FOLDER/site (make docs).

Needs mkdocs-material in this Python (make docs installs it into a virtual environment), and doxygen for the C interface with --doxygen. Pages are
copied to FOLDER/pages first, where links are made to fit: README.md is the first page, what lies outside of docs/ (CONTRIBUTING.md, CHANGELOG.md)
comes along, and files of the sources are named but not linked. Warnings are errors: a broken link stops the build.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
# Files outside of docs/ that are pages, and where they come to stand.
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md",
           "bench/peers/README.md": "peers-measured.md"}


def sources():
    """{page in the repository: page of the site}"""
    pages = dict(OUTSIDE)
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if name.endswith(".md") and not path.startswith("docs/figures"):  # those are parts of other pages
                pages[path] = os.path.relpath(path, "docs")
    return pages


def outside_of_code(text, change):
    """Applies a function to what is neither a block of code nor `code`."""
    parts = re.split(r"(^```.*?^```[^\n]*$|(?:^(?:    |\t)[^\n]*\n?)+|`[^`\n]+`)", text, flags=re.M | re.S)
    return "".join(part if k % 2 else change(part) for k, part in enumerate(parts))


def fit_anchor(anchor):
    """GitHub keeps blanks that stand beside signs which it leaves out, MkDocs does not."""
    return re.sub(r"-+", "-", anchor).rstrip("-")


def fit_links(text, source, pages):
    page = pages[source]

    def fit(match):
        words, target, anchor = match[2], match[3] or "", fit_anchor(match[4] or "")
        if not target:
            return f"{match[1]}[{words}]({anchor})"
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if path in pages:
            return f"{match[1]}[{words}]({os.path.relpath(pages[path], os.path.dirname(page) or '.')}{anchor})"
        if path.startswith("docs/"):  # a picture
            return f"{match[1]}[{words}]({os.path.relpath(os.path.relpath(path, 'docs'), os.path.dirname(page) or '.')}{anchor})"
        if os.path.exists(os.path.join(ROOT, path)):
            return f"{words} (`{path}`)" if words.strip("`") != path else words
        raise SystemExit(f"{source}: the link to {target} leads nowhere")
    return outside_of_code(text, lambda part: re.sub(r"(!?)\[([^\]]*)\]\(([^)#\s]+)?(#[^)\s]*)?\)", fit, part))


def fit_fences(text):
    """```c file=points.c becomes a block with that title; other words behind the language are for the tests."""
    def fit(match):
        title = re.search(r"\bfile=(\S+)", match[2])
        return f"```{match[1]}" + (f' title="{title[1]}"' if title else "")
    return re.sub(r"^```([a-z]+) +([^\n]*)$", fit, text, flags=re.M)


def copy_pages(folder):
    pages = sources()
    for source, page in pages.items():
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"<!--(?:=.*?|/|.*?)-->", "", text, flags=re.S)  # marks of numbers.py and of the tests
        to = os.path.join(folder, page)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "w", encoding="utf-8") as file:
            file.write(fit_fences(fit_links(text, source, pages)))
    os.makedirs(os.path.join(folder, "figures"))
    for name in os.listdir(os.path.join(ROOT, "docs", "figures")):
        if name.endswith(".png"):
            shutil.copy(os.path.join(ROOT, "docs", "figures", name), os.path.join(folder, "figures", name))


def reference(folder):
    """The C interface by Doxygen, as files beside the pages."""
    settings = {"PROJECT_NAME": "BlockGen", "PROJECT_BRIEF": '"The C interface"', "OUTPUT_DIRECTORY": folder, "HTML_OUTPUT": "c",
                "INPUT": f"{ROOT}/include/blockgen", "FILE_PATTERNS": "*.h", "OPTIMIZE_OUTPUT_FOR_C": "YES", "EXTRACT_ALL": "YES",
                "GENERATE_LATEX": "NO", "QUIET": "YES", "WARN_AS_ERROR": "YES", "WARN_IF_UNDOCUMENTED": "NO", "MACRO_EXPANSION": "YES",
                "EXPAND_ONLY_PREDEF": "YES", "PREDEFINED": '"BG_API=" "BLOCKGEN_EXPERIMENTAL=1" "__attribute__(x)="', "EXTRACT_STATIC": "YES",
                "INPUT_FILTER": f'"{sys.executable} {HERE}/comments.py"', "SORT_MEMBER_DOCS": "NO", "GENERATE_TREEVIEW": "YES",
                "MARKDOWN_SUPPORT": "NO", "HAVE_DOT": "NO", "AUTOLINK_SUPPORT": "YES", "HTML_COLORSTYLE_SAT": "40", "SEARCHENGINE": "YES"}
    text = "\n".join(f"{key} = {value}" for key, value in settings.items())
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)


def fit_navigation(settings, pages, doxygen):
    """Without what is not there, which the file marks, and with pages that it does not know at the end: none is lost."""
    known = set(re.findall(r"\S+[.](?:md|html)", settings))
    for page in re.findall(r": (\S+) # optional$", settings, re.M):
        if page not in pages and not (doxygen and page.endswith(".html")):
            settings = re.sub(rf"^.*: {re.escape(page)} # optional\n", "", settings, flags=re.M)
    more = sorted(page for page in pages if page not in known)
    return settings + ("".join(["  - More:\n"] + [f"      - {page}\n" for page in more]) if more else "")


def main(folder, doxygen):
    folder = os.path.abspath(folder)
    pages = os.path.join(folder, "pages")
    shutil.rmtree(pages, ignore_errors=True)
    os.makedirs(pages)
    copy_pages(pages)
    if doxygen:
        reference(pages)
    with open(os.path.join(HERE, "mkdocs.yml"), encoding="utf-8") as file:
        settings = file.read().replace("@PAGES@", pages).replace("@SITE@", os.path.join(folder, "site"))
    settings = fit_navigation(settings, sources().values(), doxygen)
    with open(os.path.join(folder, "mkdocs.yml"), "w", encoding="utf-8") as file:
        file.write(settings)
    return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "-f", os.path.join(folder, "mkdocs.yml")],
                          env=dict(os.environ, NO_MKDOCS_2_WARNING="1")).returncode


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--doxygen"]
    if len(words) != 1:
        sys.exit(__doc__)
    sys.exit(main(words[0], "--doxygen" in sys.argv[1:]))
