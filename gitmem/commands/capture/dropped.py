"""Follow commits that were amended or dropped: what their messages taught is reworded, or retired with them.

Only memories that were captured from a commit in this clone, and that no remote has, change: the others are known
elsewhere. The commits are the lines of a small file in the state folder.
"""

from __future__ import annotations

import os

from gitmem.commands.capture.commits import parse_learnt
from gitmem.document.fields import TITLE_LIMIT
from gitmem.errors import suppress
from gitmem.git.repository import Unsure, is_oid
from gitmem.index.catalog.state import LIVE
from gitmem.store.state.plain_files import CAPTURE, FOLLOWED, FOLLOWED_AT
from gitmem.system import append_file, discard, read_file, write_text
from gitmem.text import parse_json
from gitmem.text.similarity import likeness, text_to_compare, wording_of
from gitmem.write.archive import DROPPED
from gitmem.write.draft import SAME_ABOVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from gitmem.repository import OpenRepository
    from gitmem.write.writer import Writer

# The most commits that are followed, and that are searched for the same words on the current branch.
COMMITS_AT_MOST, SEARCHED = 200, 200
PREFIX = "commit:"


def follow(repository: OpenRepository, commits: Collection[str]) -> None:
    """Note commits from which something was captured."""
    path = _path(repository, FOLLOWED)
    with suppress(OSError):
        append_file(path, "".join(f"{commit}\n" for commit in commits).encode("ascii"))


def retire_dropped(repository: OpenRepository, writer: Writer) -> None:
    """Retire, or point to their new commits, the memories of noted commits that no ref reaches any more."""
    path, head = _path(repository, FOLLOWED), _head(repository)
    noted = [line for line in read_file(path).decode("ascii", "replace").split("\n") if is_oid(line)][-COMMITS_AT_MOST:]
    noted = list(dict.fromkeys(noted))
    if not noted:
        return
    result = repository.git.run("rev-list", "--ignore-missing", *noted, "--not", "--all", check=False)
    gone = set(result.stdout.decode("ascii", "replace").split()) & set(noted)
    renewed = _retire(repository, writer, gone) if gone and repository.find_tip() is not None else set()
    with suppress(OSError):
        left = [*(commit for commit in noted if commit not in gone), *(renewed - set(noted))]
        if left:
            write_text(path, "".join(f"{commit}\n" for commit in left))
            write_text(_path(repository, FOLLOWED_AT), head)
        else:
            discard(path)


def _retire(repository: OpenRepository, writer: Writer, gone: set[str]) -> set[str]:
    """Change the memories of these commits, and return the commits that state some of them now."""
    catalog = repository.catalog(repository.find_tip())
    rows = [
        row
        for commit in sorted(gone)
        for row in catalog.rows(
            "SELECT m.key, m.path, m.title, t.body, t.fields FROM memory m JOIN text t ON t.id = m.id"
            f" WHERE {LIVE} AND instr(t.fields, ?)",
            (f"{PREFIX}{commit}",),
        )
    ]
    messages = _said_now(repository) if rows else {}
    changes: dict[str, dict[str, Any]] = {}
    retired, renewed = set[str](), set[str]()
    for key, path, title, body, fields in rows:
        refs = [ref for ref in _strings(parse_json(fields).get("refs")) if ref.removeprefix(PREFIX) not in gone]
        commit, text = _find_again(messages, title, body, refs, catalog.language)
        if commit:
            renewed.add(commit)
            changes[key] = {"refs": list(dict.fromkeys([*refs, f"{PREFIX}{commit}"]))}
            if text != title and not body and len(text) <= TITLE_LIMIT:
                changes[key]["title"] = text
        elif not any(ref.startswith(PREFIX) for ref in refs) and not _is_pushed(repository, path):
            retired.add(key)
    if changes:
        writer.edit_all(changes, repository.policy(), verb="follow amended commits")
    if retired:
        writer.forget(sorted(retired), why=DROPPED)
    return renewed


def _find_again(said: Mapping[str, str], title: str, body: str, refs: Sequence[str], language: str) -> tuple[str, str]:
    """Return the commit that states a memory now and its words; of reworded ones only a commit that it refers to."""
    wording = wording_of(text_to_compare(title, body), language)
    for text, commit in said.items():
        if wording_of(text, language).plain == wording.plain:
            return commit, title
    for text, commit in said.items():
        if f"{PREFIX}{commit}" in refs and likeness(wording_of(text, language), wording) >= SAME_ABOVE:
            return commit, text
    return "", ""


def _said_now(repository: OpenRepository) -> dict[str, str]:
    """Return what the messages of the current branch's latest commits teach, with the commits."""
    command = ("log", "-z", f"--max-count={SEARCHED}", "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%B")
    words = repository.git.run(*command, "HEAD", check=False).stdout.decode("utf-8", "replace").split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    return {text: commit for commit, message in pairs for text in parse_learnt(message)}


def _is_pushed(repository: OpenRepository, path: str) -> bool:
    upstream = repository.store.upstream
    return bool(upstream) and repository.git.run("cat-file", "-e", f"{upstream}:{path}", check=False).status == 0


def _path(repository: OpenRepository, name: str) -> str:
    return os.path.join(repository.git.repository.state, CAPTURE, name)


def _head(repository: OpenRepository) -> str:
    try:
        return repository.git.read_head()[1] or ""
    except Unsure:
        return ""


def _strings(value: object) -> list[str]:
    return (
        [value]
        if isinstance(value, str)
        else [str(value_line) for value_line in value]
        if isinstance(value, list)
        else []
    )
