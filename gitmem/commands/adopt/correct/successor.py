"""Find what replaced the subject of a false claim: a new path, target or value, or nothing, because it was deleted."""

from __future__ import annotations

import itertools
import re

from gitmem.commands.adopt.claims.claim import COMMAND, PATH, VALUE, VERSION
from gitmem.commands.adopt.judge.occurrence import is_defined_in
from gitmem.commands.adopt.judge.targets import targets_in
from gitmem.commands.adopt.judge.values import can_replace
from gitmem.commands.adopt.kinds.words import list_with_line
from gitmem.frozen import frozen
from gitmem.text.code.languages import is_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.findings import JudgedClaim
    from gitmem.commands.adopt.repository_history import Past

# Renames that a path is followed through, after the one that took it away.
MOST_RENAMES = 3
# The words before a path that say what is in it.
_NAME_IN = re.compile(r"`([A-Za-z_]\w*)(?:\(\))?`(?: \w{1,20}){0,3} in `$")
_NUMBER = re.compile(r"\d+")
_RETIRED = re.compile(
    r"(^|[/_.-])(archived?|archives|attic|deprecated|legacy|obsolete|old|trash|backups?|unused)([/_.-]|$)", re.I
)


@frozen
class Successor:
    """What replaced something.

    Attributes:
        path: The new path of a file or folder, or of the file that a name moved to.
        name: The new name of a target.
        value: The version or value that the code states.
        is_gone: Whether a path or target was deleted and nothing replaced it.
        is_retired: Whether the path is one for what is no longer used: it replaces nothing.
    """

    path: str = ""
    name: str = ""
    value: str = ""
    is_gone: bool = False
    is_retired: bool = False


def find_successor(finding: JudgedClaim, head: Code, past: Past, base: str = "") -> Successor:
    """Return what replaced the subject of a false claim. *base* is the commit before the change that counts."""
    # For a change, its total effect counts: one of its commits may have moved only part of a folder.
    commit = head.commit if base else finding.culprit.commit if finding.culprit else ""
    before = base or f"{commit}^"
    kind = finding.claim.kind
    if finding.fix:
        return Successor(value=finding.fix)
    if finding.home:
        return Successor(_find_new_home(finding, head, past, before, commit) if commit else "")
    if finding.now:
        return Successor(finding.now)
    if kind == PATH and finding.then:
        successor = _follow(finding.then, commit, head, past, base) if commit else Successor()
        return successor if not successor.path or _has_its_name(finding, successor.path, head) else Successor()
    if kind == COMMAND and finding.source is not None and commit:
        name = _find_new_target(finding, past, before, commit)
        return Successor(name=name, is_gone=not name)
    if kind in (VERSION, VALUE) and finding.source is not None:
        return Successor(value=_find_value(kind, finding.claim.stated, finding.source.actual))
    return Successor()


def _follow(path: str, commit: str, head: Code, past: Past, base: str) -> Successor:
    """Return where a path is now that a commit took away."""
    new = past.find_new_name(path, commit, base)
    is_gone = not new and not past.has_moved_parts(path, commit, base)
    for _ in range(MOST_RENAMES):
        if not new or head.has(new):
            break
        later = past.find_removals([new]).get(new, "")
        new = past.find_new_name(new, later) if later else ""
    if new and _is_part(path, new, head):
        return Successor()
    if new and head.has(new):
        return Successor(new, is_retired=_RETIRED.search(new) is not None and _RETIRED.search(path) is None)
    return Successor(is_gone=is_gone and not _has_namesake(path, commit, head, past, base))


def _is_part(path: str, new: str, head: Code) -> bool:
    """Return whether a file is one of several numbered ones that another was cut into: `a_1.go` and `a_2.go`."""
    form = _NUMBER.sub("#", new)
    has_number = form.count("#") > _NUMBER.sub("#", path).count("#")
    beside = head.tree.files if has_number else ()
    return any(other != new and _NUMBER.sub("#", other) == form for other in beside)


def _has_its_name(finding: JudgedClaim, path: str, head: Code) -> bool:
    """Return whether a path has the name that the statement says is there: "the `Pool` class in `support/`"."""
    text, token = finding.statement.text, finding.claim.token
    named = _NAME_IN.search(text[: max(text.find(token), 0)])
    return named is None or bool(list_with_line(head, rf"\b{named[1]}\b", path))


def _has_namesake(path: str, commit: str, head: Code, past: Past, base: str) -> bool:
    """Return whether the head has a file of the same name that may be it, rewritten: it was not there before."""
    name = path.rpartition("/")[2]
    before = past.code(base or f"{commit}^")
    known = set(before.tree.named(name)) if before is not None else set()
    is_folder = "." in name and head.tree.has_folder(path.rpartition(".")[0])
    return is_folder or any(name_there not in known for name_there in head.tree.named(name))


def _find_new_home(finding: JudgedClaim, head: Code, past: Past, before: str, commit: str) -> str:
    """Return the only file that defines a name since the commit that took it out of the stated one."""
    changed = [path for path in past.list_changes(before, commit) if path != finding.home and not is_prose(path)]
    paths = [path for path, text in head.texts(changed).items() if is_defined_in(text, finding.claim.name)]
    return paths[0] if len(paths) == 1 else ""


def _find_value(kind: str, stated: str, actual: str) -> str:
    """Return the version or value in what the code says; empty if there is none that can stand for the stated one."""
    if not re.search(r"\w", actual) or actual.startswith("<") or not can_replace(stated, actual):
        return ""
    if kind == VERSION:
        numbers = re.findall(r"\d+(?:\.\d+)*", actual)
        return numbers[0] if numbers else ""
    return actual


def _find_new_target(finding: JudgedClaim, past: Past, before: str, commit: str) -> str:
    """Return a target's new name: the only new one in its file that does the same."""
    assert finding.source is not None
    path, name = finding.source.path, finding.claim.name
    texts = past.texts([before, commit], path)
    was, now = (_bodies(path, texts.get(at, "")) for at in (before, commit))
    same = [other for other, body in now.items() if other not in was and body and body == was.get(name)]
    return same[0] if len(same) == 1 else ""


def _bodies(path: str, text: str) -> dict[str, str]:
    """Return the bodies of a file's targets: their lines, without the names."""
    targets = targets_in(path, text)
    if not targets:
        return {}
    lines, starts = text.split("\n"), sorted({*targets.values()})
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    bodies = {}
    for name, line in targets.items():
        own, below = [lines[line - 1].replace(name, "", 1).rstrip(",")], lines[line : ends[line] - 1]
        if path.endswith((".json", ".jsonc")):
            below = []
        elif path.endswith((".toml", ".ini", ".cfg")):
            below = list(itertools.takewhile(lambda other: not other.startswith("["), below))
        else:  # a recipe is indented, and its rule names its prerequisites
            own, below = [], list(itertools.takewhile(lambda other: other[:1].isspace(), below))
        bodies[name] = "\n".join(map(str.strip, (*own, *below))).strip()
    return bodies
