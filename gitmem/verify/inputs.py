"""Inputs: the files of the code that a check reads, and a digest that changes whenever they do.

A digest does not depend on old commits, so shallow clones and rewritten histories work, and after a checkout of another
branch the statuses are right without further work.
"""

from __future__ import annotations

from functools import cached_property

from gitmem.document.builtin_checks import globs_of, references_of, row_of
from gitmem.model import BUILTIN, Check
from gitmem.text.globs import fixed_prefix
from gitmem.text.sha256 import sha256
from gitmem.verify.code_files import CodeFiles, Entry
from gitmem.verify.trace.reads import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.document.elsewhere import Foundation
    from gitmem.git import Git
    from gitmem.git.git import TreeChange
    from gitmem.git.history import PathChange
    from gitmem.model import Verdict

LINK = "120000"
# The prefix of a digest of observed reads.
SEEN = "seen:"
# Before the hash of values of other repositories, at the end of a digest.
ELSEWHERE = "+elsewhere:"
# Separates the parts of a digest's text; paths cannot contain it.
_SEPARATOR = "\0"


class CodeTree(CodeFiles):
    """The files of one commit of the code.

    Attributes:
        commit: The commit.
    """

    def __init__(self, git: Git, commit: str, entries: Iterable[Entry] | None = None) -> None:
        """List the files, unless they are given.

        Args:
            git: The repository.
            commit: The commit.
            entries: Its files.
        """
        self.commit = commit
        self.git = git
        super().__init__(git.list_paths(commit) if entries is None else entries)

    @cached_property
    def tree(self) -> str:
        """Return the object name of its root tree."""
        return self.git.resolve(self.commit, "tree")

    def behind(self, git: Git, commit: str, changes: Iterable[TreeChange | PathChange]) -> CodeTree:
        """Return the code of another commit by applying changes to this one, without listing files again."""
        entries = {entry[2]: entry for entry in self._entries}
        for change in changes:
            if change.mode.strip("0"):
                entries[change.path] = (change.mode, change.oid, change.path)
            else:
                entries.pop(change.path, None)
        return CodeTree(git, commit, entries.values())

    @classmethod
    def of_entries(cls, git: Git, commit: str, tree: str, entries: Iterable[Entry]) -> CodeTree:
        """Return a tree whose files are already known, without running git."""
        inputs = cls(git, commit, entries)
        inputs.tree = tree
        return inputs

    @cached_property
    def variants(self) -> dict[str, CodeTree]:
        """Return cached trees with moved files also at their old paths, by the text of the moves (``verify.moves``)."""
        return {}

    @cached_property
    def elsewhere(self) -> Mapping[str, Foundation]:
        """Return what this clone knows of facts of other repositories, by reference."""
        from gitmem.store.local import LocalState  # only for a check that names one

        local = LocalState(self.git.repository.state)
        try:
            return local.elsewhere()
        finally:
            local.close()

    @cached_property
    def places(self) -> Places:
        """Return the files as ``Places``, for lookups by path."""
        return Places(self._entries, self._paths)

    @cached_property
    def _links(self) -> frozenset[str]:
        return frozenset(path for mode, _, path in self._entries if mode == LINK)

    def leads_through_link(self, glob: str) -> bool:
        """Return whether *glob* names a link or a path through a link, so that the content is elsewhere."""
        if not self._links:
            return False
        folders = fixed_prefix(glob).split("/")[:-1]
        above = ("/".join(folders[:depth]) for depth in range(1, len(folders) + 1))
        return not self._links.isdisjoint(above) or any(mode == LINK for mode, _, _ in self.match(glob))


def digest(tree: CodeTree, inputs: Sequence[str], check: Check, reads: str = "", *, is_claim: bool = False) -> str:
    """Return the digest of a check's inputs in one tree.

    Args:
        tree: The code.
        inputs: In the catalog's form: ``["tree"]`` if unknown, ``["paths", glob, ...]`` if declared, ``["builtin"]`` if
            they follow from the check itself.
        check: The check.
        reads: The observed reads of a verdict, which are used if the inputs are unknown; may be empty.
        is_claim: Whether the verdict is from another clone.
    """
    if check.form == BUILTIN:
        globs = globs_of(check.words)
        if row_of(check).probe is None:
            # Only existence matters: a change of a file's content changes nothing.
            return "+".join("present" if tree.match(glob) else "missing" for glob in globs)
        entries = _of_entries(tree.match_any(globs))
        return f"{entries}{_of_values(tree, references)}" if (references := references_of(check.words)) else entries
    if is_unknown(tree, inputs):
        seen = tree.places.digest(reads, tree.attributes, is_claim=is_claim) if reads else None
        return f"{SEEN}{seen}" if seen is not None else f"tree:{tree.tree}"
    files = {entry[2]: entry for glob in inputs[1:] for entry in tree.match(glob)}
    files |= {entry[2]: entry for entry in tree.attributes}
    return _of_entries(tuple(files[path] for path in sorted(files)))


def is_unknown(tree: CodeTree, inputs: Sequence[str]) -> bool:
    """Return whether the inputs of a command in one tree are unknown beforehand, so that observed reads count.

    Declared paths may also be useless: a misspelt or moved path would never change again, and the content of a link is
    only its target.
    """
    if inputs[0] == "tree":
        return True
    return not any(map(tree.match, inputs[1:])) or any(map(tree.leads_through_link, inputs[1:]))


def _of_entries(entries: Sequence[Entry]) -> str:
    text = _SEPARATOR.join(f"{mode} {oid} {path}" for mode, oid, path in entries)
    return f"files:{sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:40]}"


def _of_values(tree: CodeTree, references: Sequence[str]) -> str:
    """Return the end of a digest for values of other repositories; empty if one is unknown here."""
    known = [tree.elsewhere.get(reference) for reference in references]
    values = [foundation.value for foundation in known if foundation is not None]
    if len(values) < len(references):
        return ""
    return ELSEWHERE + sha256(_SEPARATOR.join(values).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def with_values_of(digest: str, verdict: Verdict, check: Check) -> str:
    """Return a digest for comparison with a verdict's: values that are unknown here are those that the verdict had."""
    if check.form != BUILTIN or ELSEWHERE in digest or not references_of(check.words):
        return digest
    _, mark, values = verdict.inputs.partition(ELSEWHERE)
    return f"{digest}{mark}{values}"


def is_private(
    tree: Callable[[], CodeTree], verdict: Verdict, read_by: Callable[[str], tuple[Sequence[str], Check] | None]
) -> bool:
    """Return whether a verdict tells of a repository that fewer people may read than this one.

    Args:
        tree: Returns the code.
        verdict: The verdict.
        read_by: Returns the declared inputs and the check of a fact, if there is one.
    """
    if ELSEWHERE not in verdict.inputs:
        return False
    read, known = read_by(verdict.key), tree().elsewhere
    references = references_of(read[1].words) if read is not None and read[1].form == BUILTIN else ()
    return not references or any(reference not in known or not known[reference].is_shared for reference in references)
