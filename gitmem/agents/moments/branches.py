"""Find the branches that commands of git change, and whether a sentence is about others: "never rebase main". Pure.

A command that names no branch changes the current one.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.programs import commands_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# Subcommands that change the current branch, and those whose arguments count as well.
_CHANGES = frozenset(("rebase", "commit", "reset", "cherry-pick", "revert", "am"))
_SWITCHES = frozenset(("checkout", "switch"))
# Names of branches that need no sign to be recognised.
_NAMES = frozenset("main master trunk develop production prod staging stable".split())
# What kinds of branches are called: "release branches" are those whose names begin with it.
_KINDS = frozenset("release hotfix feature topic stable support deploy maintenance".split())
_BRANCHES = frozenset(("branch", "branches"))
_STRIPPED = "`'\",.;:!?()[]{}\u201c\u201d\u2018\u2019"


def changed_branches(line: str, branch: str) -> frozenset[str]:
    """Return the branches that the git commands of a line change; empty if they are unknown.

    Args:
        line: The command line.
        branch: The current branch; empty if it is unknown.
    """
    changed: set[str] = set()
    for command in commands_in(line):
        words = command.split()
        if "git" not in words[:2]:
            continue
        plain = [word for word in words[words.index("git") + 1 :] if not word.startswith("-")]
        verb, arguments = plain[0] if plain else "", plain[1:]
        if verb in _SWITCHES and arguments:
            branch = arguments[-1] if "-b" not in words and "-c" not in words else arguments[0]
        elif verb == "push":
            changed.update([_target(word) for word in arguments[1:]] or [branch])
        elif verb == "merge":
            changed.update((branch, *map(_target, arguments)))
        elif verb in _CHANGES:
            changed.add(arguments[1] if verb == "rebase" and len(arguments) > 1 else branch)
    return frozenset() if "" in changed else frozenset(changed)


def _target(refspec: str) -> str:
    """Return the branch that a refspec writes, without the name of the usual remote."""
    return refspec.rpartition(":")[2].removeprefix("+").removeprefix("refs/heads/").removeprefix("origin/")


def is_about_others(sentence: Sequence[str], changed: Collection[str]) -> bool:
    """Return whether a sentence names branches, and none that is changed; False if those are unknown.

    Args:
        sentence: Its words, as written.
        changed: The branches that a command changes.
    """
    named = named_branches(sentence)
    return bool(changed and named) and not any(_is_of(one, name) for one in changed for name in named)


def named_branches(sentence: Sequence[str]) -> list[str]:
    """Return the branches that a sentence names: `main`, `release/*`, and `release*` for "release branches"."""
    plain = [word.strip(_STRIPPED) for word in sentence]
    names = [word for word in plain if word in _NAMES or (word.partition("/")[0] in _KINDS and "/" in word)]
    kinds = [
        f"{word.lower()}*"
        for word, following in pairwise(plain)
        if following.lower() in _BRANCHES and word.lower() in _KINDS
    ]
    return [*names, *kinds]


def _is_of(branch: str, name: str) -> bool:
    head, star, _ = name.partition("*")
    return branch.startswith(head) if star else branch == name
