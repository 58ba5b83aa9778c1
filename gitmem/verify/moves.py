"""Find where the files that a check reads were moved: files and folders that git renamed since it last held.

A built-in check of content is answered at the new paths of its files. One of paths (``exists``, ``absent``, or with
``exactly``) fails, and its reason says where they went. A command is run unchanged, on a ground where the files that
its own words name are *also* at their old paths, unless it only tests that one exists. It is the approved command, so
it needs no new approval, and if it holds, only names have changed. No other files are restored: code that still looks
for the old names is broken, and the fact fails.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cached_property
from math import inf

from gitmem.document.builtin_checks import (
    NO_PART,
    SOME_PART,
    globs_of,
    is_followed,
    list_globs,
    map_places,
    parse_arguments,
    row_of,
    with_other_files,
)
from gitmem.document.check_values import OR_IN
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import is_shallow
from gitmem.git.history import find_commit_at
from gitmem.git.renames import Renames
from gitmem.git.splits import Splits
from gitmem.model import BUILTIN, FAILS, HOLDS, SHELL, Check
from gitmem.text import count_of, list_some
from gitmem.text.code.languages import is_prose
from gitmem.text.globs import (
    escape,
    fixed_prefix,
    is_plain,
    is_same_name,
    matcher,
    normal,
    path_of,
    unescape,
    without_sets,
)
from gitmem.verify.builtin_answers import answer_all, answer_file
from gitmem.verify.code_files import CodeFiles, Entry
from gitmem.verify.inputs import CodeTree, digest
from gitmem.verify.overview.path_move import PathMove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.document.answers import BuiltinAnswer
    from gitmem.git import Git
    from gitmem.model import Verdict

# The top folder of the code, as the old or new path of a folder.
TOP = "./"
# How many moves one line names.
FACTS_NAMED = 3
# How many moves a verdict names: the newest of a chain.
MOST_KEPT = 16
# Matches a possible path in a command: no blanks, quotes, operators, or separators of option and value.
_PATHLIKE = r"[^\s'\"`=:;,|&<>(){}$]+"
# Matches a command that only tests whether a path exists: the path is what it asks about.
_TESTED = rf"\s*(?:test|\[\[?)\s+-[a-zA-Z]\s+['\"]?{_PATHLIKE}['\"]?(?:\s+\]\]?)?\s*"


@frozen
class Move:
    """A file, or a folder (both paths end with a slash), that git renamed."""

    old: str
    new: str


def parse_moves(text: str) -> tuple[Move, ...]:
    """Parse the moves in a verdict, the oldest first; invalid lines are ignored."""
    pairs = (line.split("\t") for line in text.split("\n")[-MOST_KEPT:])
    return tuple(Move(*pair) for pair in pairs if len(pair) == 2 and all(map(_is_place, pair)))


def _is_place(path: str) -> bool:
    parts = path.removesuffix("/").split("/")
    return path == TOP or ("\0" not in path and all(part.lower() not in ("", ".", "..", ".git") for part in parts))


def places_moved_to(text: str) -> tuple[Move, ...]:
    """Return the moves in a verdict to a file or folder, without the one to a whole scope (``find_homes``)."""
    return tuple(move for move in parse_moves(text) if "*" not in move.new)


def format_moves(moves: Sequence[Move]) -> str:
    """Format moves as text for a verdict."""
    return "\n".join(f"{move.old}\t{move.new}" for move in moves[-MOST_KEPT:])


def move_glob(glob: str, move: Move) -> str:
    """Return a path or glob after a move; empty if the move does not affect it."""
    pattern = normal(glob)
    path = path_of(pattern)
    if not move.old.endswith("/"):
        return escape(move.new) if is_same_name(path, move.old) else ""
    if f"{path}/" == move.old:
        return escape(move.new.removesuffix("/"))
    old, new = ("" if place == TOP else place for place in (move.old, move.new))
    written = next((spelling for spelling in (escape(old), old) if pattern.startswith(spelling)), None)
    return escape(new) + pattern[len(written) :] if written is not None else ""


def places_of(globs: Sequence[str], text: str) -> tuple[str, ...]:
    """Return globs together with their new forms after the moves in a verdict."""
    return (*globs, *filter(None, (move_glob(glob, move) for glob in globs for move in parse_moves(text))))


def globs_after_moves(check: Check, text: str) -> tuple[str, ...]:
    """Return the globs of a built-in check, those after the moves in a verdict, and where it looks by its scope."""
    globs = places_of(globs_of(check.words), text)
    there = _home(check, parse_moves(text)) if text and scope_of(check) else ""
    return (*globs, there) if there else globs


def find_place(files: CodeFiles, glob: str, moves: Sequence[Move]) -> tuple[str, Move | None]:
    """Return the present form of a glob and its move: unchanged if it matches files, else after one of the moves."""
    if moves and not files.match(glob):
        for move in reversed(moves):
            there = move_glob(glob, move)
            if there and files.match(there):
                return there, move
    return glob, None


def place_check(files: CodeFiles, check: Check, text: str) -> Check:
    """Return a built-in check as it is judged: with the present paths of its files, given the moves in a verdict."""
    return _with_new_paths(files, check, text) if text and is_followed(check.words) else check


def find_path_move(files: CodeFiles, check: Check, text: str) -> PathMove | None:
    """Return the move that makes a check of paths fail, given the moves in a verdict; None if there is none."""
    if not text or check.form != BUILTIN or is_followed(check.words) or row_of(check).is_denial:
        return None
    moves = parse_moves(text)
    for glob in list_globs(check.words):
        there, move = find_place(files, glob, moves)
        if move is not None:
            return PathMove(path_of(glob), path_of(there))
    return None


def explain_move(files: CodeTree, check: Check, text: str, because: str) -> str:
    """Return the reason of a built-in check's answer with the move that it is due to, or that it follows."""
    if (moved := find_path_move(files, check, text)) is not None:
        return moved.message
    if is_moved(files, check, text) and not scope_of(check):
        old = next(path_of(glob) for glob in list_globs(check.words) if find_place(files, glob, parse_moves(text))[1])
        return f"{because}; moved from {old}"
    return because


def _with_new_paths(files: CodeFiles, check: Check, text: str) -> Check:
    moves = parse_moves(text)
    if scope_of(check):
        there = _home(check, moves)
        words = with_other_files(check.words, there) if there and files.match(there) else check.words
    else:
        words = map_places(check.words, lambda glob: find_place(files, glob, moves)[0])
    return check if words == check.words else replace(check, words=words)


def scope_of(check: Check) -> str:
    """Return the files in which a check follows what it looks for, out of a file that is still there; or nothing."""
    if check.form != BUILTIN or not is_followed(check.words):
        return ""
    return parse_arguments(check.words).more.get(OR_IN, "")


def _home(check: Check, moves: Sequence[Move]) -> str:
    """Return where a check with a scope was last answered, a glob: one file or the whole scope; empty for its own."""
    last = moves[-1] if moves else None
    if last is None or last.old != path_of(parse_arguments(check.words).where):
        return ""
    return last.new if last.new == scope_of(check) else escape(last.new)


def find_homes(
    git: Git, tree: CodeTree, checks: Iterable[Check]
) -> tuple[dict[Check, str], dict[Check, BuiltinAnswer]]:
    """Search the code for what checks with a scope look for, where their files have lost it.

    Every file is read once, whatever the number of checks.

    Returns:
        The move of each check, for its verdict: to the file that has it now, or to the whole scope if none has, so that
        any change of the code may bring it back; and the answers, also of the checks as they are placed by the moves.
    """
    wide = {check: replace(check, words=with_other_files(check.words, scope_of(check))) for check in checks}
    answers = answer_all(git, tree, wide) if wide else {}
    lost = [check for check in wide if answers[check].outcome != HOLDS]
    answers |= answer_all(git, tree, [wide[check] for check in lost]) if lost else {}
    moves = dict.fromkeys(wide, "")
    for check in lost:
        answer = answers[wide[check]]
        is_found = answer.outcome == HOLDS
        there = answer.where.rpartition(":")[0] if is_found else scope_of(check)
        moves[check] = format_moves([Move(path_of(parse_arguments(check.words).where), there)])
        words = with_other_files(check.words, escape(there) if is_found else there)
        answers[replace(check, words=words)] = answer
    return moves, answers


def tree_with_moves(tree: CodeTree, text: str) -> CodeTree:
    """Return the code with moved files also at their old paths; the same object if none is missing there."""
    if not text:
        return tree
    known = tree.variants.get(text)
    if known is None:
        known = tree.variants[text] = _with_old_places(tree, parse_moves(text))
    return known


def is_moved(tree: CodeTree, check: Check, text: str) -> bool:
    """Return whether a check is judged on this tree at other paths than it names, by the moves in its verdict."""
    if not text:
        return False
    if check.form == BUILTIN:
        there = place_check(tree, check, text)
        return there is not check and not parse_arguments(there.words).is_everywhere
    return tree_with_moves(tree, text) is not tree


def digest_after_moves(
    tree: CodeTree, inputs: Sequence[str], check: Check, text: str, reads: str = "", *, is_claim: bool = False
) -> str:
    """Return the digest of a check's inputs at their present paths (``inputs.digest``)."""
    if check.form == BUILTIN:
        own_digest = digest(tree, inputs, place_check(tree, check, text))
        # The reason of a check of paths names the new place, so it changes when that goes away.
        return f"{own_digest}, moved" if find_path_move(tree, check, text) is not None else own_digest
    return digest(tree_with_moves(tree, text), inputs, check, reads, is_claim=is_claim)


def _with_old_places(tree: CodeTree, moves: Sequence[Move]) -> CodeTree:
    entries: dict[str, Entry] = {}
    for move in reversed(moves):
        if tree.match(escape(move.old)) or any(path.startswith(move.old) for path in entries):
            continue
        start = 0 if move.new == TOP else len(move.new)
        for mode, oid, path in tree.match("**" if move.new == TOP else escape(move.new)):
            old = move.old + path[start:] if move.old.endswith("/") else move.old
            entries[old] = (mode, oid, old)
    if not entries:
        return tree
    return CodeTree.of_entries(tree.git, tree.commit, tree.tree, [*tree.entries, *entries.values()])


class Moves:
    """Finds the moves up to one tree of the code, for many checks; history that several need is read once."""

    def __init__(self, git: Git, tree: CodeTree) -> None:
        self._git = git
        self._tree = tree
        self._trees: dict[str, CodeTree] = {}
        self._known: dict[Move, bool] = {}
        # Times, sorted, each with the newest commit that is not newer.
        self._written: list[tuple[float, str]] = [(inf, tree.commit)]

    @cached_property
    def _renames(self) -> Renames:
        return Renames(self._git, self._tree.commit, frozenset(entry[2] for entry in self._tree.entries))

    @cached_property
    def _splits(self) -> Splits:
        return Splits(self._git, self._renames)

    def know(self, tree: CodeTree) -> None:
        """Cache the code of a commit, so that it is not listed again."""
        self._trees.setdefault(tree.commit, tree)

    def find(self, check: Check, held: str, known: str = "") -> str:
        """Return the known moves of the files that a check names, and those found in addition.

        Args:
            check: The check; it does not hold on the tree as it is.
            held: The commit where it last held.
            known: The moves in its verdict of that commit.
        """
        before = self.tree_at(held)
        if before is None:
            return known
        moves = parse_moves(known)
        globs = list_globs(check.words) if check.form == BUILTIN else list_paths(check)
        found_moves = [move for glob in globs if (move := self._move(glob, before, held, moves)) is not None]
        # git may see the larger half of a split file as the renamed file: a definition shows better where it went.
        if len(globs) == 1 and _part_of(check) > (SOME_PART if found_moves else NO_PART):
            found_moves = self._part(check, globs[0], before, held, moves) or found_moves
        if check.form != BUILTIN:
            found_moves = [move for move in found_moves if not _is_nested(move)]
        new = [move for move in dict.fromkeys(found_moves) if move not in moves]
        return format_moves([*moves, *new]) if new else known

    def find_written_commit(self, written_at: int) -> str:
        """Return the newest commit that is not newer than a time in epoch seconds, or an empty string.

        Facts that were written together need one search: a time between two with the same commit also has that one.
        """
        place = bisect_left(self._written, (written_at, ""))
        at, commit = self._written[place]
        if at == written_at or (place and self._written[place - 1][1] == commit):
            return commit
        found = find_commit_at(self._git, self._tree.commit, written_at)
        self._written.insert(place, (written_at, found))
        return found

    def find_holding_commit(self, check: Check, verdict: Verdict | None, written_at: int) -> str:
        """Return the commit where a fact last held; if it was never seen to, where it was written and may have held.

        Its files may have moved before the first verdict was made. A built-in check is answered there; a command is not
        run there, because running it with the moved files shows whether they are the cause.
        """
        if verdict is not None and verdict.held_commit:
            return verdict.held_commit
        commit = self.find_written_commit(written_at)
        before = self.tree_at(commit)
        if before is None or check.form != BUILTIN:
            return commit
        return commit if answer_all(self._git, before, [check])[check].outcome == HOLDS else ""

    def follow(self, glob: str, held: str, known: str) -> str:
        """Return the present path or glob of moved files, as ``find`` does for a check; empty if unknown."""
        before, moves = self.tree_at(held), parse_moves(known)
        move = self._move(glob, before, held, moves) if before is not None else None
        place, _ = find_place(self._tree, glob, [*moves, *([move] if move else [])])
        return place if place != glob else ""

    def history(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the present paths of files of any earlier commit, by the whole history."""
        return self._renames.find(paths, "")

    def trusted_moves(self, verdict: Verdict | None, check: Check | None = None) -> str:
        """Return the moves in a verdict; of a claimed verdict, only those that git confirms.

        In a shallow clone, which cannot confirm them, all are returned. For a file that was split, the check decides
        which part counts. Files that were deleted after they moved are looked up at the commit where the fact last
        held.
        """
        if verdict is None or not verdict.moved:
            return ""
        if verdict.own:
            return verdict.moved
        if check is not None and (scope := scope_of(check)):
            there = _home(check, parse_moves(verdict.moved))
            path = unescape(there)
            return verdict.moved if there == scope or (matcher(scope)(path) and not is_prose(path)) else ""
        if is_shallow(self._git):
            return verdict.moved
        return self.confirm(verdict.moved, check) or self._confirm_at_verdict(verdict, check)

    def _confirm_at_verdict(self, verdict: Verdict, check: Check | None) -> str:
        held, here = verdict.held_commit, self._tree.commit
        is_before = held != here and verdict.outcome == FAILS and self._git.is_ancestor(held, here)
        then = self.tree_at(held) if is_before else None
        return Moves(self._git, then).confirm(verdict.moved, check) if then is not None else ""

    def confirm(self, text: str, check: Check | None = None) -> str:
        """Return the moves that git confirms, by the whole history."""
        moves = parse_moves(text)
        for move in moves:
            if move not in self._known:  # many facts have the same moves
                self._known[move] = self._is_known(move)
        return format_moves(
            [move for move in moves if self._known[move] or (check and self._heir(check, move.old, "") == move.new)]
        )

    def _is_known(self, move: Move) -> bool:
        """Return whether at least half of the files at a new path came from the old one."""
        if not move.old.endswith("/"):
            return self._renames.find([move.old], "").get(move.old) == move.new
        start, top = ("" if place == TOP else place for place in (move.new, move.old))
        here = {top + path[len(start) :]: path for _, _, path in self._tree.match(escape(start) or "**")}
        went = self._renames.find(here, "")
        return bool(went) and 2 * sum(went.get(old) == new for old, new in here.items()) >= len(here)

    def _part(self, check: Check, glob: str, before: CodeTree, held: str, moves: Sequence[Move]) -> list[Move]:
        """Return the move from a deleted file to the one that now has what the check looks for; empty if none has."""
        place = path_of(find_place(before, glob, moves)[0])
        was = [path for _, _, path in before.match(escape(place))]
        if len(was) != 1 or not is_same_name(was[0], place) or self._tree.match(find_place(self._tree, glob, moves)[0]):
            return []
        there = self._heir(check, was[0], held)
        return [Move(path_of(glob), there)] if there else []

    def _heir(self, check: Check, path: str, held: str) -> str:
        """Return the file that now has what a check looks for in a deleted file; empty if there is none."""
        if _part_of(check) == NO_PART:
            return ""

        def has(path: str, content: bytes) -> bool:
            words = map_places(check.words, lambda _: escape(path))
            return answer_file(replace(check, words=words), path, content).outcome == HOLDS

        return self._splits.find(path, held, has)

    def tree_at(self, commit: str) -> CodeTree | None:
        """Return the code of a commit, which is listed once; None if it is missing."""
        if commit not in self._trees and commit and self._git.has(commit, "commit"):
            self._trees[commit] = CodeTree(self._git, commit)
        return self._trees.get(commit)

    def _move(self, glob: str, before: CodeTree, held: str, moves: Sequence[Move]) -> Move | None:
        """Return the move of all files of a glob; None if some are still there, or if they moved to several folders."""
        if self._tree.match(find_place(self._tree, glob, moves)[0]):
            return None
        place, _ = find_place(before, glob, moves)
        was = [path for _, _, path in before.match(place)]
        if not was:
            return None
        went = self._renames.find(was, held)
        pattern, there = normal(glob), normal(place)
        if all(path.startswith(fixed_prefix(without_sets(there))) for path in was):  # its sets were names
            pattern, there = without_sets(pattern), without_sets(there)
        if len(was) == 1 and is_same_name(was[0], path_of(there)):
            return Move(path_of(pattern), went[was[0]]) if was[0] in went else None
        folder = _folder_of(there)
        targets = {_end_cut(new, old[len(folder) :]) for old, new in went.items()}
        if len(targets) != 1 or None in targets or 2 * len(went) < len(was):
            return None
        return Move(_folder_of(pattern) or TOP, targets.pop() or TOP)


def _part_of(check: Check) -> int:
    return row_of(check).part if check.form == BUILTIN else NO_PART


def _folder_of(pattern: str) -> str:
    """Return the folder that contains all files of a glob, with a slash; for a plain path, the path itself."""
    if is_plain(pattern):
        return f"{unescape(pattern)}/"
    fixed = fixed_prefix(pattern)
    return fixed[: fixed.rfind("/") + 1]


def _end_cut(path: str, end: str) -> str | None:
    """Return a path without an ending of whole components; None if it does not have this ending."""
    if path == end:
        return ""
    return path[: -len(end)] if path.endswith(f"/{end}") else None


def _is_nested(move: Move) -> bool:
    return TOP in (move.old, move.new) or move.old.startswith(move.new) or move.new.startswith(move.old)


def list_paths(check: Check) -> list[str]:
    """Return the words of a command that may be paths of the code, in git's form."""
    import re  # 4 ms (measured), and only if something moved

    if check.form == SHELL and re.fullmatch(_TESTED, check.words[0]):
        return []
    words = {token for word in check.words for token in re.findall(_PATHLIKE, word)}
    paths = {normal(word).removesuffix("/**") for word in words if "/" in word.strip("/") or "." in word.strip(".")}
    paths |= {word for word in words if word.replace("-", "").replace("_", "").isalnum()}
    return sorted(path for path in paths if path and _is_place(path))


def replace_words(files: CodeFiles, check: Check, text: str) -> Check:
    """Return a check with the new paths in its own words; in a command, only whole paths are replaced.

    A file name must not become part of a command: a new path that a shell or a program might not take as a plain path
    is not used.
    """
    if check.form == BUILTIN:
        return _with_new_paths(files, check, text) if text else check
    import re
    import shlex

    moves = [move for move in parse_moves(text) if shlex.quote(move.new) == move.new]

    def there(match: re.Match[str]) -> str:
        word = match[0]
        place, move = find_place(files, normal(word).removesuffix("/**"), moves)
        is_option = move is not None and place.startswith("-")
        start = "./" if word.startswith("./") or is_option else ""
        return start + place + "/" * word.endswith("/") if move else word

    return replace(check, words=tuple(re.sub(_PATHLIKE, there, word) for word in check.words))


def restore_command(text: str) -> str:
    """Return a shell command that copies moved files to their old paths, if these are free; empty for no moves.

    It also adds the copies to the ground's index, for commands that ask git for the list of files.
    """
    import shlex

    lines = []
    for move in reversed(parse_moves(text)):
        old, new = (shlex.quote(f"./{place.removesuffix('/')}") for place in (move.old, move.new))
        parts = move.old.removesuffix("/").split("/")
        above = [shlex.quote("./" + "/".join(parts[:depth])) for depth in range(1, len(parts))]
        # A link in the code may lead out of the ground, so nothing is written through one.
        plain = "".join(f" && [ ! -h {folder} ]" for folder in above)
        make = f"mkdir -p {above[-1]} && " if above else ""
        lines.append(f"if [ ! -e {old} ] && [ ! -h {old} ]{plain} && [ -e {new} ]; then {make}cp -pR {new} {old}; fi")
        lines.append(f"git add -f -- {old} 2>/dev/null")
    return "\n".join([*lines, ":"]) if lines else ""


def describe_moves(texts: Sequence[str]) -> str:
    """Describe how many facts moved, and from where to where, on one line; empty for none.

    Args:
        texts: The moves in the verdict of each fact.
    """
    if not texts:
        return ""
    counted = Counter(_shorten(move) for text in texts for move in parse_moves(text)[-1:])
    some = [f"{old} → {new}" for (old, new), _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))]
    facts = count_of(len(texts), "fact is judged where what it checks", "facts are judged where what they check")
    return f"{facts} moved ({list_some(some, FACTS_NAMED)}); to write that down: gitmem settle --moved"


def _shorten(move: Move) -> tuple[str, str]:
    """Return a move without the unchanged components at its end, but with at least one component."""
    old, new = (move.old.removesuffix("/").split("/"), move.new.removesuffix("/").split("/"))
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return "/".join(old), "/".join(new)
