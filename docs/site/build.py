"""Build the documentation as a site: ``make docs``, which writes build/site/index.html.

The pages are plain Markdown that reads well in a forge, with links between files of the repository. Sphinx wants all
pages in one folder and a table of contents: this script copies the pages there, adjusts their links, and makes the
table of contents from the lists of docs/README.md. Warnings are errors, and so are links that lead nowhere.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
BUILD = PROJECT / "build" / "site"
# Pages with another name on the site: those outside docs/, and one whose name is that of Sphinx's search page.
RENAMED = {
    "docs/search.md": "recall.md",
    "README.md": "index.md",
    "SECURITY.md": "promises.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/rows/README.md": "features-and-tests.md",
    "benchmarks/tried.md": "tried.md",
}
# What the theme leaves out for those who do not see the page or use no mouse (found by axe-core).
POLISH = (
    ('role="heading"><span class="caption-text"', 'role="heading" aria-level="2"><span class="caption-text"'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
    ('<div id="search-results">', '<h1>Search results</h1>\n<div id="search-results">'),
)
LANDING = "docs/README.md"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"(^ *(`{3,}|~{3,}).*?^ *\2`*~* *$)", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(``[^`].*?``|`[^`\n]+`)", re.DOTALL)


def pages() -> dict[str, str]:
    """Return the site's name of each page, by its path in the repository."""
    inside = {path.relative_to(PROJECT).as_posix(): path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    return {**inside, **RENAMED, LANDING: "index.md"}


def adjust(text: str, source: str, names: dict[str, str]) -> str:
    """Return a page whose links lead to pages of the site; what is only in the repository is named without a link.

    Args:
        text: The page.
        source: Its path in the repository.
        names: The site's name of each page, by its path in the repository.

    Raises:
        LookupError: A link leads to a file that does not exist.
    """

    def replace(found: re.Match[str]) -> str:
        mark, label, target = found.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not path:
            return found[0]
        wanted = os.path.normpath(Path(source).parent / path).rstrip("/")
        if not (PROJECT / wanted).exists():
            raise LookupError(f"{source}: no such file: {target}")
        if mark:
            name = Path(wanted).relative_to("docs").as_posix()
        elif wanted in names:
            name = names[wanted]
        else:
            return label
        place = os.path.relpath(name, Path(names[source]).parent)
        return f"{mark}[{label}]({place}{'#' * bool(anchor)}{anchor})"

    return outside_code(text, lambda prose: LINK.sub(replace, prose))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply a change to the prose of a page and leave its code alone."""
    parts = re.split(FENCE, text)
    # `re.split` also returns the inner group of each fence, which is dropped.
    kept = [part for number, part in enumerate(parts) if number % 3 != 2]
    return "".join(part if number % 2 else _outside_spans(part, change) for number, part in enumerate(kept))


def _outside_spans(text: str, change: Callable[[str], str]) -> str:
    # A link may have code in its label: code is masked, not cut out.
    spans: list[str] = []

    def mask(found: re.Match[str]) -> str:
        spans.append(found[0])
        return f"\x00{len(spans) - 1}\x00"

    changed = change(CODE.sub(mask, text))
    return re.sub("\x00(\\d+)\x00", lambda found: spans[int(found[1])], changed)


def contents(text: str) -> str:
    """Return the landing page with a hidden table of contents for each of its lists.

    The pages of a section are those that the items of its list link to, in their order and by these names.
    """
    sections = re.split(r"(?m)^## ", text)
    made = [sections[0]]
    for section in sections[1:]:
        items = [item for line in re.findall(r"(?m)^- .*(?:\n  .*)*", section) for item in LINK.findall(line)]
        links = {target: label for _, label, target in items if target.endswith(".md")}
        listed = "\n".join(
            f"{label[:1].upper()}{label[1:]} <{target.removesuffix('.md')}>" for target, label in links.items()
        )
        caption = section.splitlines()[0]
        made.append(f"{section.rstrip()}\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n\n")
    return "## ".join(made)


def stage(folder: Path) -> None:
    """Write the pages as Sphinx wants them into a fresh folder."""
    shutil.rmtree(folder, ignore_errors=True)
    names = pages()
    for source, name in names.items():
        if source == "README.md":  # the landing page stands in for it
            continue
        text = adjust((PROJECT / source).read_text(encoding="utf-8"), source, names)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(contents(text) if source == LANDING else text, encoding="utf-8")
    for picture in [*DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]:
        target = folder / picture.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)


def main() -> int:
    """Build the site and return Sphinx's exit status."""
    from sphinx.cmd.build import main as sphinx

    staged = BUILD.with_name("site-pages")
    stage(staged)
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
    conf = str(Path(__file__).parent)
    status = sphinx([*strict, "-a", "-E", "-b", "html", "-c", conf, "-d", f"{staged}.cache", str(staged), str(BUILD)])
    for page in BUILD.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in POLISH:
            text = text.replace(before, after)
        page.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
