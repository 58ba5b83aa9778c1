"""Plan the files that record verdicts, and upgrade a store of an earlier format."""

from __future__ import annotations

from gitmem.errors import FormatError, ProcessError
from gitmem.frozen import frozen
from gitmem.git.objects import oid_of
from gitmem.model import FORMAT
from gitmem.store import layout
from gitmem.store.foreign import format_of
from gitmem.store.read import sort_entries
from gitmem.store.scopes import POLICY_PATH
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.buckets import join_bucket, parse_section, split_bucket, unite_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git import Git
    from gitmem.model import Verdict
    from gitmem.store.verdicts.buckets import Sections

_FORMAT_LINE = r"(?m)^([ \t]*format[ \t]*=[ \t]*)[0-9]+"


@frozen
class FileWrites:
    """The changes that record verdicts.

    Attributes:
        writes: The contents of files by path.
        deletes: The files that are replaced.
    """

    writes: dict[str, bytes]
    deletes: tuple[str, ...] = ()


def plan_writes(git: Git, tip: str | None, verdicts: Iterable[Verdict], *, is_loose: bool = False) -> FileWrites:
    """Return the changes that record verdicts on top of a commit of the store.

    Verdicts of the same facts for other specifications are removed. A store of an earlier format is upgraded in the
    same commit: its verdicts move into buckets, the format into its policy, the mark into its attributes.

    Args:
        git: The repository.
        tip: The commit; None if the store is new.
        verdicts: The verdicts, one for each fact.
        is_loose: Whether each verdict gets a file of its own, as on a proposal.
    """
    new = {(v.key, v.spec[:16]): format_verdict(v).encode() for v in verdicts}
    keys = {key for key, _ in new}
    single = {layout.verdict_path(key, spec): text for (key, spec), text in new.items()}
    requested = ("verdicts/", POLICY_PATH, layout.ATTRIBUTES_PATH)
    try:
        entries = git.list_tree(tip, *requested) if tip else []
    except ProcessError as err:
        raise ProcessError(
            f"the verdicts of {str(tip)[:12]} cannot be read, nothing was changed: {err.stderr.strip() or err.message}",
            argv=err.argv,
            status=err.status,
            stderr=err.stderr,
            hint=err.hint or "find the cause: gitmem doctor, git fsck",
        ) from err
    there = {file.path: (file.place, file.oid) for file in sort_entries(tip or "", entries).files}
    if is_loose:
        former = (path for path, (place, _) in there.items() if place.key in keys and path not in single)
        return FileWrites(single, tuple(sorted(former)))
    loose = {path: place for path, (place, _) in there.items() if place.what == layout.VERDICT}
    paths = {layout.bucket_path(key) for key in keys} | {layout.bucket_path(place.key) for place in loose.values()}
    wanted = [path for path in (*sorted(paths), *sorted(loose), POLICY_PATH) if path in there]
    texts = dict(zip(wanted, (c or b"" for _, c in git.read_blobs(there[path][1] for path in wanted)), strict=True))
    buckets = {path: split_bucket(texts.get(path, b""), path)[0] for path in paths}
    before = {path: dict(sections) for path, sections in buckets.items()}
    deletes = [path for path, place in loose.items() if _fold(buckets, place, texts[path], path)]
    for sections in buckets.values():
        for name in [name for name in sections if name[0] in keys]:
            del sections[name]
    for name, text in new.items():
        buckets[layout.bucket_path(name[0])][name] = text
    writes = {path: join_bucket(sections) for path, sections in buckets.items() if sections != before[path]}
    if writes:
        writes |= _this_format(texts.get(POLICY_PATH, b""))
        if any(
            e.path == layout.ATTRIBUTES_PATH and e.oid == oid_of(layout.FORMER_ATTRIBUTES.encode(), len(e.oid))
            for e in entries
        ):
            writes[layout.ATTRIBUTES_PATH] = layout.ATTRIBUTES.encode()
    return FileWrites(writes, tuple(sorted(deletes)))


def _fold(buckets: dict[str, Sections], place: layout.StorePath, text: bytes, path: str) -> bool:
    """Move a verdict from a file of its own into its bucket; return false for another file, which `doctor` reports."""
    name = (place.key, place.spec)
    try:
        text = format_verdict(parse_section(name, text, path)).encode()
    except FormatError:
        return False
    sections = buckets[layout.bucket_path(place.key)]
    other = sections.get(name)
    sections[name] = text if other is None else unite_verdicts(other, text, name=name, path=path)
    return True


def _this_format(policy: bytes) -> dict[str, bytes]:
    """Return the upgraded policy of a store of an earlier format; empty if it has no policy."""
    text = policy.decode("utf-8", "surrogateescape")
    if not text or format_of(text) >= FORMAT:
        return {}
    return {POLICY_PATH: _with_format(text).encode("utf-8", "surrogateescape")}


def _with_format(policy: str) -> str:
    """Return the text of a policy with this format, otherwise unchanged."""
    import re  # 4 ms (measured), only if a store has an earlier format

    head, section, rest = policy.partition("\n[")
    if re.search(_FORMAT_LINE, head) and not policy.startswith("["):
        return re.sub(_FORMAT_LINE, rf"\g<1>{FORMAT}", head, count=1) + section + rest
    first, _, rest = policy.partition("\n")
    # The comment that a policy begins with may be all that identifies it (``foreign.POLICY_HEAD``).
    return f"{first}\nformat = {FORMAT}\n{rest}" if first.startswith("#") else f"format = {FORMAT}\n{policy}"
