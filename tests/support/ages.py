"""What the tests of time travel share: histories of code and memory of any shape, with any dates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from conftest import NOW, git, memory_text
from support.facts import make_fact

from gitmem.git import Git
from gitmem.git.repository import discover

# A commit of the code: its name, its parents' names, and what its files say. Names become tags.
Row = tuple[str, str, Mapping[str, str]]


def opened(repo: Path) -> Git:
    """Return the git binary, bound to a repository."""
    return Git(discover(repo))


def grow(repo: Path, rows: Sequence[Row], *, dates: Sequence[int] = ()) -> dict[str, str]:
    """Make commits of the code, each tagged with its name and dated as given, and return them by name."""
    parts = []
    for nth, (name, parents, files) in enumerate(rows):
        when = dates[nth] if dates else NOW + nth
        parts.append(f"commit refs/tags/{name}\ncommitter Ana <a@example.org> {when} +0000\ndata {len(name)}\n{name}\n")
        words = ("from", *["merge"] * len(parents.split()))
        parts += [f"{word} refs/tags/{parent}\n" for word, parent in zip(words, parents.split(), strict=False)]
        parts += [f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" for path, text in files.items()]
    git(repo, "fast-import", "--quiet", "--force", "--date-format=raw", input="".join(parts))
    return named(repo, [name for name, _, _ in rows])


def write(repo: Path, rows: Sequence[tuple[str, str, str, str]], code: Mapping[str, str]) -> dict[str, str]:
    """Make commits of the memory and return them by name; the last one is the tip.

    A row has a name, the parents' names, for which code it was written (``A`` or ``A on D``: the default branch is at
    D; ``gone`` is code that is not here), and the key of the memory that it adds. No date of theirs is in order.
    """
    parts = [f"commit refs/notes/root\ncommitter g <g@x> {NOW} +0000\ndata 4\nroot\n"]
    for nth, (name, parents, about, key) in enumerate(rows):
        place, _, default = about.partition(" on ")
        names = {"Code-Commit": place, "Code-Default": default}
        lines = [f"{word}: {code.get(of, 'd' * 40)}\n" for word, of in names.items() if of]
        message = "memory: " + name + "\n" + ("\n" + "".join(lines) if lines else "")
        parts.append(f"commit refs/notes/{name}\ncommitter g <g@x> {NOW - nth * 1000} +0000\ndata {len(message)}\n")
        parts.append(message + "\n")
        words = ("from", *["merge"] * len(parents.split()))
        parts += [f"{word} refs/notes/{one}\n" for word, one in zip(words, parents.split() or ["root"], strict=False)]
        text = memory_text(f"About {key}", body=f"{name}\n") if key else ""
        parts += [f"M 100644 inline learned/{key}.md\ndata {len(text)}\n{text}\n"] if key else []
    parts.append(f"reset refs/heads/memory\nfrom refs/notes/{rows[-1][0]}\n\n")
    git(repo, "fast-import", "--quiet", "--force", "--date-format=raw", input="".join(parts))
    names = [row[0] for row in rows]
    found = git(repo, "rev-parse", *(f"refs/notes/{name}" for name in names)).split("\n")
    return dict(zip(names, found, strict=True))


def named(repo: Path, names: Sequence[str]) -> dict[str, str]:
    """Return commits of the code by their names."""
    found = git(repo, "rev-parse", *(f"refs/tags/{name}^{{commit}}" for name in names)).split("\n")
    return dict(zip(names, found, strict=True))


def says_good(key: str = "f", **fields: object) -> dict[str, str]:
    """Return the file of a fact that holds while ``f.txt`` says that it is good."""
    return make_fact(key, {"contains": "good", "in": "f.txt"}, title="It is good", **fields)


def loaded(text: str) -> dict[str, object]:
    """Return one JSON document."""
    found: dict[str, object] = json.loads(text)
    return found
