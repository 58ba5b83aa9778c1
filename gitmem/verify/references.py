"""Check references to lines of the code: whether the lines are unchanged, and where they are now.

A reference is anchored when it is written (``document.anchors``). Moved lines are found in their file or in another
one, as with ``git blame -C``; changed lines make a memory without a check stale.
"""

from __future__ import annotations

import os

from gitmem.document.anchors import (
    FIELD,
    Anchor,
    LineReference,
    count_lines,
    find_lines,
    format_anchor,
    is_telling,
    line_references,
    lines_of,
    make_anchor,
    parse_anchor,
    parse_reference,
)
from gitmem.errors import RefusedError
from gitmem.frozen import frozen
from gitmem.git.ancestry import is_shallow
from gitmem.git.history import has_ever_had
from gitmem.system import only_regular
from gitmem.text.globs import is_path_like, normal, unescape
from gitmem.verify.builtin_answers import FILE_MODES
from gitmem.verify.inputs import CodeTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.git import Git

# A larger file is not read for a reference.
FILE_LIMIT = 4 * 1024 * 1024
# The most other files searched for moved lines: those with the same ending, the nearest first.
MOST_SEARCHED = 300
# The most anchors of one memory: others wrote them, and each may start a search.
MOST_ANCHORS = 20
# Lines shown of a diff.
DIFF_LINES = 30
SAME, MOVED, CHANGED = "same", "moved", "changed"


@frozen
class ReferenceState:
    """The state of one reference on a tree of the code.

    Attributes:
        ref: The reference as written.
        state: ``same``, ``moved`` or ``changed``.
        place: The present place of moved lines; else empty.
        diff: The change of the lines, as removed and added lines; empty if unknown.
        why: Why it cannot be right, if it was never proved; else empty.
    """

    ref: str
    state: str
    place: str = ""
    diff: str = ""
    why: str = ""


def anchors_for(git: Git, refs: Sequence[str], *, is_strict: bool, typed: Callable[[str], str] = str) -> list[str]:
    """Return the anchors of references at HEAD (see ``anchor_fields``)."""
    commit = git.read_head()[1] if any(parse_reference(ref) for ref in refs) else None
    return anchor_fields(git, CodeTree(git, commit), refs, is_strict=is_strict, typed=typed) if commit else []


def anchor_fields(
    git: Git, tree: CodeTree, refs: Sequence[str], *, is_strict: bool, typed: Callable[[str], str] = str
) -> list[str]:
    """Return the anchors of references; those without lines, or with uncommitted lines, have none.

    Args:
        git: The repository.
        tree: The code.
        refs: The references of a memory.
        is_strict: Refuse a reference to a missing file, or to lines past the end of one.
        typed: Returns a path as the user would type it, for a hint.

    Raises:
        RefusedError: A file is missing or too short.
    """
    found = []
    for text in refs:
        ref = parse_reference(text)
        entry = _file(tree, ref.path) if ref is not None else ""
        if ref is None or (not entry and not _is_path(ref.path)):
            continue
        if not entry and is_strict and not _is_in_work_tree(git, ref.path):
            near = nearest_file(tree, ref.path)
            lines = text.rpartition(":")[2]
            hint = f"did you mean --ref {typed(near)}:{lines}?" if near else "paths are relative to the current folder"
            raise RefusedError(f"the reference {text} names a file that does not exist", hint=hint)
        content = _content(git, entry) if entry else None
        anchor = make_anchor(ref, entry, content) if content is not None else None
        if anchor is not None:
            found.append(format_anchor(anchor))
        elif is_strict:
            _refuse_past_end(ref, [content, _read_work_tree(git, ref.path)], typed)
    return found


def _refuse_past_end(ref: LineReference, contents: Iterable[bytes | None], typed: Callable[[str], str]) -> None:
    """Refuse a reference to lines that a file has neither at HEAD nor in the work tree.

    Raises:
        RefusedError: It has fewer lines.
    """
    counts = [count_lines(content) for content in contents if content is not None]
    if not counts or ref.last <= max(counts):
        return
    last = max(counts)
    message = f"the reference {ref} is past the end of {ref.path}, which {_length(last)}"
    lines = f"{ref.first}-{last}" if ref.first < last else str(last)
    hint = f"did you mean --ref {typed(ref.path)}:{lines}?" if last else f"--ref {typed(ref.path)} names the file"
    raise RefusedError(message, hint=hint)


def _length(lines: int) -> str:
    return f"has {lines} line{'' if lines == 1 else 's'}" if lines else "is empty"


def anchors_in(fields: Mapping[str, Any]) -> list[Anchor]:
    """Return the anchors of a memory's references; an anchor without its reference is ignored."""
    texts, refs = (value if isinstance(value, list) else [value] for value in (fields.get(FIELD), fields.get("refs")))
    named = {str(parse_reference(ref)) for ref in refs if isinstance(ref, str)}
    anchors = [parse_anchor(text) for text in texts if isinstance(text, str)]
    return [anchor for anchor in anchors if anchor is not None and str(anchor.ref) in named][:MOST_ANCHORS]


def references_past_end(
    git: Git, tree: CodeTree, all_fields: Sequence[Mapping[str, Any]]
) -> list[list[ReferenceState]]:
    """Return for each memory the references without an anchor that name lines which their file does not have.

    Every file is read once. A reference to a missing file is left out: it may be of another branch, or of the past.

    Args:
        git: The repository.
        tree: The code.
        all_fields: The fields of each memory.
    """
    unproved = [[(ref, _file(tree, ref.path)) for ref in _list_unanchored(fields)] for fields in all_fields]
    oids = list(dict.fromkeys(oid for refs in unproved for _, oid in refs if oid))
    sizes = git.sizes(oids) if oids else {}
    wanted = [oid for oid in oids if 0 <= sizes[oid] <= FILE_LIMIT]
    counts = {oid: count_lines(content) for oid, content in git.read_blobs(wanted) if content is not None}
    return [
        [
            ReferenceState(str(ref), CHANGED, why=f"{ref.path} {_length(counts[oid])}")
            for ref, oid in refs
            if oid in counts and ref.last > counts[oid]
        ]
        for refs in unproved
    ]


def _list_unanchored(fields: Mapping[str, Any]) -> list[LineReference]:
    """Return the references of a memory to lines that have no anchor."""
    proved = {str(anchor.ref) for anchor in anchors_in(fields)}
    refs = line_references(fields)
    return [ref for ref in refs if str(ref) not in proved][:MOST_ANCHORS]


def reference_states(git: Git, tree: CodeTree, anchors: Iterable[Anchor], *, has_diff: bool) -> list[ReferenceState]:
    """Return the states of references on a tree of the code; of several anchors of one reference, the best counts."""
    states: dict[str, ReferenceState] = {}
    order = (SAME, MOVED, CHANGED)
    for anchor in anchors:
        reference = _state(git, tree, anchor, has_diff=has_diff)
        known = states.get(reference.ref)
        if known is None or order.index(reference.state) < order.index(known.state):
            states[reference.ref] = reference
    return list(states.values())


def _state(git: Git, tree: CodeTree, anchor: Anchor, *, has_diff: bool) -> ReferenceState:
    ref, blob = anchor.ref, _file(tree, anchor.ref.path)
    if blob == anchor.blob:
        return ReferenceState(str(ref), SAME)
    old = _content(git, anchor.blob)
    was = lines_of(old)[ref.first - 1 : ref.last] if old is not None else []
    content = _content(git, blob) if blob else None
    place = find_lines(anchor, lines_of(content), was) if content is not None else None
    if place is None and was and is_telling(was):
        place = _elsewhere(git, tree, anchor, was)
    if place is not None:
        return ReferenceState(str(ref), SAME if place == ref else MOVED, "" if place == ref else str(place))
    diff = _difference(ref, old, content) if has_diff and old is not None else ""
    return ReferenceState(str(ref), CHANGED, diff=diff)


def _elsewhere(git: Git, tree: CodeTree, anchor: Anchor, was: Sequence[str]) -> LineReference | None:
    """Return the place of lines in another file of the same kind; None if there is none."""
    folder, _, name = anchor.ref.path.rpartition("/")
    ending = name.rpartition(".")[2]
    files = [entry for entry in tree.entries if entry[2].endswith(ending) and entry[0] in FILE_MODES]
    files.sort(key=lambda entry: (entry[2].rpartition("/")[2] != name, entry[2].rpartition("/")[0] != folder, entry[2]))
    searched = {oid: path for _, oid, path in reversed(files[:MOST_SEARCHED]) if path != anchor.ref.path}
    found = {}
    for oid, content in git.read_blobs(searched, limit=FILE_LIMIT):
        place = find_lines(anchor, lines_of(content), was) if content else None
        if place is not None:
            found[searched[oid]] = LineReference(searched[oid], place.first, place.last)
    return next((found[path] for _, _, path in files if path in found), None)


def _difference(ref: LineReference, old: bytes, new: bytes | None) -> str:
    """Return how lines changed: the parts of both files' diff that touch them."""
    from difflib import SequenceMatcher  # 3 ms (measured), and only if lines changed

    before = old.decode("utf-8", "replace").split("\n")
    if new is None:
        return "\n".join(f"-{line}" for line in before[ref.first - 1 : ref.last][:DIFF_LINES])
    after = new.decode("utf-8", "replace").split("\n")
    shown: list[str] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=True).get_opcodes():
        is_inside = i1 < ref.last and i2 > ref.first - 1 if i1 < i2 else ref.first - 1 < i1 < ref.last
        if kind != "equal" and is_inside:
            low, high = max(i1, ref.first - 1), min(i2, ref.last)
            shown += [f"-{line}" for line in before[low:high]] + [f"+{line}" for line in after[j1:j2]]
    return "\n".join(shown[:DIFF_LINES])


def _file(tree: CodeTree, path: str) -> str:
    """Return the blob of a file, or an empty string if it does not exist."""
    return next((oid for mode, oid, name in tree.match(path) if name == path and mode in FILE_MODES), "")


def _content(git: Git, oid: str) -> bytes | None:
    return next(git.read_blobs([oid], limit=FILE_LIMIT))[1]


def _is_path(text: str) -> bool:
    """Return whether a text before a number must be a file; `run:12` and `localhost:80` are not references."""
    return "/" in text or "." in text


def _is_in_work_tree(git: Git, path: str) -> bool:
    top = git.repository.top
    return top is not None and os.path.isfile(os.path.join(top, path))


def _read_work_tree(git: Git, path: str) -> bytes | None:
    """Return a file of the work tree as it is now; None if it is too large or cannot be read."""
    if not _is_in_work_tree(git, path):
        return None
    try:
        with open(os.path.join(git.repository.top or "", path), "rb", opener=only_regular) as file:
            content = file.read(FILE_LIMIT + 1)
    except OSError:
        return None
    return content if len(content) <= FILE_LIMIT else None


def list_never_there(git: Git, globs: Iterable[str], *, typed: Callable[[str], str] = str) -> list[str]:
    """Return a notice for each path without wildcards that neither the work tree nor any commit of HEAD has."""
    commit, top = git.read_head()[1], git.repository.top
    if commit is None:
        return []
    found = []
    for glob in globs:
        path = unescape(normal(glob.rstrip("/")))
        is_there = top is not None and os.path.lexists(os.path.join(top, path))
        if not path or not is_path_like(glob) or is_there or is_shallow(git) or has_ever_had(git, commit, path):
            continue
        near = nearest_file(CodeTree(git, commit), path)
        meant = f"; did you mean {typed(near)}?" if near else ""
        found.append(f"{typed(path)} does not exist, and no commit of HEAD had it{meant}")
    return found


def nearest_file(tree: CodeTree, path: str) -> str:
    """Return the file that was most likely meant, or an empty string."""
    from difflib import get_close_matches  # 3 ms (measured), and only if a file is missing

    paths = [name for _, _, name in tree.entries]
    name = path.rpartition("/")[2]
    same = [path for path in paths if path.rpartition("/")[2] == name]
    near = get_close_matches(path, same or paths[:20_000], n=1, cutoff=0.0 if same else 0.6)
    return near[0] if near else ""
