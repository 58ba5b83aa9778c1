"""What the tests of reviews share: two states of a memory branch, and what is said of the change between them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import NOW, git, tip
from support.facts import verify

from gitmem.commands.review.model import MemoryChange, Review, ReviewFinding
from gitmem.memory import Memory

REF = "refs/heads/memory"
RS256 = "{contains: RS256, in: src/auth/*.py}"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def commit(folder: Path, files: dict[str, bytes | str] | None = None, *, gone: tuple[str, ...] = ()) -> str:
    """Commit files to the memory branch, and take others away, as somebody who pushed would; return the commit.

    A content that begins with ``->`` is a symbolic link.
    """
    parent = git(folder, "rev-parse", "--verify", "-q", REF, check=False)
    stream = [f"commit {REF}\ncommitter Mallory <m@example.org> {NOW} +0000\ndata 6\npushed\n".encode()]
    stream += [f"from {parent}\n".encode()] if parent else []
    stream += [f"D {path}\n".encode() for path in gone]
    for path, content in (files or {}).items():
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        mode = "120000" if data.startswith(b"->") else "100644"
        stream.append(f"M {mode} inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    git(folder, "fast-import", "--quiet", "--date-format=raw", input=b"".join(stream) + b"\n")
    return tip(folder)


def text(title: str, body: str = "", *, kind: str = "gotcha", **fields: str) -> str:
    """Return a memory's file; fields stand as they are written."""
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return f"---\ntitle: {title}\nkind: {kind}\n{lines}created: 2026-09-20T00:00:00Z\n---\n{body}"


def fact(title: str, verify: str, body: str = "", **fields: str) -> str:
    """Return a fact's file."""
    return text(title, body, kind="fact", verify=verify, **fields)


def reviewed(folder: Path, span: str = "", **options: str) -> Review:
    """Return what a change means, at a fixed time."""
    with Memory(folder, clock=lambda: float(NOW)) as memory:
        return memory.review(span, **options)


def changed(folder: Path, *steps: dict[str, bytes | str], gone: tuple[str, ...] = ()) -> Review:
    """Return what the last of these commits means, against the ones before it."""
    for files in steps[:-1]:
        commit(folder, files)
    base = git(folder, "rev-parse", "--verify", "-q", REF, check=False)
    head = commit(folder, steps[-1], gone=gone)
    return reviewed(folder, f"{base}..{head}" if base else "")


def of(review: Review, code: str) -> list[ReviewFinding]:
    """Return the findings of a code."""
    return [finding for finding in review.findings if finding.code == code]


def change_of(review: Review, key: str) -> MemoryChange:
    """Return what happened to a memory."""
    return next(change for change in review.changes if change.key == key)


@pytest.fixture(scope="module")
def rich(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Review:
    """Return the review of a change that has something of each."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("rich") / "service", symlinks=True))
    with Memory(folder, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        commit(
            folder,
            {
                "facts/alg.md": fact("Tokens are signed with RS256", RS256, by="{who: ana}"),
                "facts/env.md": fact("The tests run", "make test"),
                "gotchas/rests.md": text(
                    "The gateway checks signatures", "It holds public keys only.", requires="[alg]"
                ),
                "gotchas/old.md": text("The old gateway drops requests"),
                "gotchas/retries.md": text("Retries are capped at 3 in the client", "They wait a second each."),
            },
        )
        verify(memory, "alg")
        base = git(folder, "rev-parse", REF)
        body = "They wait two seconds each, and @bob knows why: [click](https://evil.example/?q=1) <img src=x>"
        commit(
            folder,
            {
                "facts/alg.md": fact(
                    "Tokens are signed with HS512", "{contains: HS512, in: src/auth/*.py}", by="{who: ana}"
                ),
                "facts/env.md": fact("The tests run", "|\n  make test &&\n  echo '```'", network="true"),
                "gotchas/retries.md": text("Retries are capped at 3 in the client", body, tags="[client]"),
                "gotchas/fives.md": text("Retries are capped at 5 in the client", by="{who: ana, agent: dev}"),
                "archive/gotchas/old.md": text("The old gateway drops requests", retired="{by: ana, why: it is gone}"),
                "gotchas/broken.md": "```\n</details>\n",
                "gitmem.toml": "[verify]\nclaimed = false\n",
                ".github/workflows/x.yml": "on: push\n",
            },
            gone=("gotchas/old.md",),
        )
        verify(memory, "alg")
    return reviewed(folder, f"{base}..memory")
