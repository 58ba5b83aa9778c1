"""Merge two versions of a store's policy by line. Pure."""

from __future__ import annotations

from gitmem.errors import ConfigError
from gitmem.frozen import frozen
from gitmem.git.texts import merge_texts
from gitmem.policy import load
from gitmem.store import layout
from gitmem.store.scopes import POLICY_PATH
from gitmem.text import display

# Begins the lines of a policy that a person must resolve; `doctor` looks for it.
SETTLE_MARK = "# gitmem: two versions, to settle."


@frozen
class FileVersion:
    """One side's version of a file, and its last author."""

    content: bytes
    who: str


def unite_policies(base: bytes | None, one: FileVersion, other: FileVersion) -> tuple[bytes, bool]:
    """Return the merged policy, and whether a person must resolve something in it.

    If both sides changed the same lines, one side's lines are effective and the other's follow as a comment.
    """
    first, second = sorted((one, other), key=lambda side: side.content)
    if not (is_policy(first.content) and is_policy(second.content)):
        return (first if is_policy(first.content) else second).content, True
    texts = [(content or b"").decode("utf-8", "replace") for content in (base, first.content, second.content)]
    pieces = merge_texts(*texts)
    merged = "".join(
        _settle_later(piece.ours, piece.theirs, first.who, second.who) if piece.is_conflict else piece.text
        for piece in pieces
    ).encode("utf-8")
    if is_policy(merged):
        return merged, any(piece.is_conflict for piece in pieces)
    base_text = texts[2] if texts[2].endswith("\n") else texts[2] + "\n"
    whole = (base_text + _comment(texts[1], first.who)).encode("utf-8")
    return (whole if is_policy(whole) else second.content), True


def is_policy(content: bytes) -> bool:
    """Return whether a file is a policy that gitmem can read."""
    try:
        load(content.decode("utf-8"), file=POLICY_PATH)
    except (UnicodeDecodeError, ConfigError):
        return False
    return len(content) <= layout.POLICY_LIMIT


def _settle_later(one: str, other: str, first: str, second: str) -> str:
    """Return two sides' lines: the greatest text is effective, the others follow as comments, in a fixed order."""
    versions = {text: who for who, text in sorted((*_versions(one, first), *_versions(other, second)), reverse=True)}
    *more, counts = sorted(versions)
    return counts + "".join(_comment(text, versions[text]) for text in more)


def _versions(text: str, who: str) -> list[tuple[str, str]]:
    """Return the authors and texts of lines: the effective ones, and those added as comments by an earlier merge."""
    versions: list[tuple[str, list[str]]] = [(who, [])]
    for line in text.splitlines(keepends=True):
        if line.startswith(SETTLE_MARK):
            versions.append((line.removeprefix(SETTLE_MARK).strip().removesuffix(" wrote:"), []))
        elif len(versions) > 1 and line.startswith("#"):
            versions[-1][1].append(line.removeprefix("#").removeprefix(" "))
        else:
            versions[0][1].append(line)
    return [(name, "".join(lines)) for name, lines in versions]


def _comment(text: str, who: str) -> str:
    name = display(" ".join(who.split()))[:60] or "somebody"
    lines = text.strip("\n").split("\n")
    return "".join(
        f"{line}\n".replace("# \n", "#\n") for line in (f"{SETTLE_MARK} {name} wrote:", *(f"# {x}" for x in lines))
    )
