"""Find the branches that commands of git change, and whether a sentence is about others: "never rebase main". Pure.

A command that names no branch changes the current one.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.programs import GIT_PLACES, MARKS, MOVES, WORDS, commands_in, is_git, without_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# Subcommands that change the current branch, those that switch to another, and the options of a switch after which the
# new branch is known.
_COMMITS = frozenset(("commit", "reset", "cherry-pick", "revert", "am", "pull"))
_SWITCHES = frozenset(("checkout", "switch"))
_CREATES = frozenset(("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"))
# Subcommands that change no branch; any that is not in these tables may change one.
_HARMLESS = frozenset(
    """
    add apply blame clean config describe diff fetch grep log ls-files ls-remote mv reflog remote restore rev-list
    rev-parse rm shortlog show stash status tag
    """.split()
)
_OPTIONS_WITHOUT_VALUE = frozenset(
    "-q --quiet -f --force -m --merge --no-track --guess --progress --no-progress".split()
)
# Options of subcommands after which the branch is unclear: those of many branches, and those with a value.
_UNCLEAR = {
    "push": frozenset("--all --branches --mirror --tags -o --push-option --exec --receive-pack --repo".split()),
    "rebase": frozenset("--onto -X --strategy-option -s --strategy -x --exec --root -C --whitespace".split()),
}
_HERE = frozenset(("HEAD", "@"))
_NO_BRANCH = frozenset("$*~^\x02`{")
# Names of branches that need no sign to be recognised, and those that do: "production" is also a place.
_NAMES = frozenset("main master trunk develop".split())
_PLACES = frozenset("prod production staging stable".split())
# What kinds of branches are called: "release branches" are those whose names begin with it.
_KINDS = frozenset("release hotfix feature topic stable support deploy maintenance".split())
_BRANCHES = frozenset(("branch", "branches"))
# Words before "branch" that mean a certain one, or one that is only read; and those that make named branches examples.
_CERTAIN = frozenset("the this that your my our its from".split())
_EXAMPLES = frozenset("included including even such like especially anywhere everywhere elsewhere".split())
# Kinds whose branches may have any name.
_ANY_NAME = frozenset(("feature", "topic"))
# Words between a verb of git and its branch, and those of them after which "rebase" names the branch that it leaves as
# it is.
_LINKS = frozenset("to on into at the our any a an or and nor git origin upstream shared directly".split())
_INTO = frozenset(("to", "on", "into", "at"))
# Words that begin another clause, and signs that end one.
_BEGINS = frozenset(
    """
    before after until unless without when while if because since as except but besides outside than other instead
    - -- \u2013 \u2014
    """.split()
)
# Words after a comma with which a list of branches goes on: "main, or any shared branch".
_GOES_ON = frozenset("and or nor any all other every branches".split())
_ENDS = (";", ":", ".", "!", "?")
_PASSIVE = frozenset("is are be get gets".split())
_STEMS = ("rebas", "amend", "cherry-pick", "merg", "push", "commit", "force", "reset")
_QUOTES = frozenset("`'\"")


def changed_branches(line: str, branch: str) -> frozenset[str]:
    """Return the branches that the git commands of a line change; empty if they are unknown.

    Args:
        line: The command line.
        branch: The current branch; empty if it is unknown.
    """
    changed: set[str] = set()
    for command in commands_in(line):
        words = _without_redirections(command.split())
        if any(word.startswith(GIT_PLACES) for word in words):
            branch = ""
        words = without_prefix(words)
        if not is_git(words[0] if words else ""):
            branch = "" if not MOVES.isdisjoint(words[:1]) else branch
            if any(map(is_git, words)):
                changed.add("")
            continue
        del words[0]
        while words[:1] == ["-c"]:
            del words[:2]
        options, arguments = [word for word in words if word[:1] == "-"], [word for word in words if word[:1] != "-"]
        verb = arguments.pop(0) if arguments else ""
        if words[:1] != [verb] or not _UNCLEAR.get(verb, frozenset()).isdisjoint(options):
            changed.add("")
        elif verb in _SWITCHES:
            branch = _switched(options, arguments, branch)
        else:
            changed.update(_changed_by(verb, options, arguments, branch))
    return frozenset() if "" in changed else frozenset(changed)


def _changed_by(verb: str, options: Sequence[str], arguments: Sequence[str], branch: str) -> list[str]:
    """Return the branches that a subcommand of git changes, with an empty one if some are unknown."""
    if verb == "push":
        return [_resolved(_target(word), branch) for word in arguments[1:]] or [branch]
    if verb == "merge":
        return [branch, *(_resolved(_target(word), branch) for word in arguments)]
    if verb == "rebase":
        return [_resolved(arguments[1], branch) if len(arguments) > 1 else branch]
    if verb in _COMMITS:
        return [branch]
    if verb == "branch":
        return [_resolved(_target(word), branch) for word in arguments] if options else []
    is_harmless = verb in _HARMLESS and not (verb == "fetch" and any(":" in word for word in arguments))
    return [] if is_harmless else [""]


def _without_redirections(words: Sequence[str]) -> list[str]:
    """Return the words of a command without quotation marks, and without files that it reads or writes."""
    kept: list[str] = []
    is_file = False
    for word in words:
        before, _, file = word.replace("<", ">").partition(">")
        if not is_file and before and (before == word or not before.isdigit()):
            kept.append(before.strip("'\""))
        is_file = before != word and not file.strip(">")
    return kept


def _switched(options: Sequence[str], arguments: Sequence[str], branch: str) -> str:
    """Return the branch after a switch with some options and arguments; empty if it is unknown."""
    if "--" in options or (len(arguments) > 1 and _CREATES.isdisjoint(options)):  # files are restored
        return branch
    if (
        not arguments
        or not _OPTIONS_WITHOUT_VALUE.union(_CREATES).issuperset(options)
        or arguments[0].startswith("origin/")
    ):
        return ""
    name = arguments[0]
    is_file_or_commit = "." in name or name.endswith("/") or all(char in "0123456789abcdef" for char in name)
    return "" if is_file_or_commit and _CREATES.isdisjoint(options) else _resolved(name, branch)


def _resolved(name: str, branch: str) -> str:
    """Return the branch of a name; empty if it is unknown, as that of a variable or a pattern."""
    if name in _HERE:
        return branch
    return name if _NO_BRANCH.isdisjoint(name) else ""


def _target(refspec: str) -> str:
    """Return the branch that a refspec writes, without the name of the usual remote."""
    return refspec.rpartition(":")[2].removeprefix("+").removeprefix("refs/heads/").removeprefix("origin/")


def names_other_branches(sentence: Sequence[str], changed: Collection[str]) -> bool:
    """Return whether a sentence names branches, and none that is changed; False if those are unknown.

    Args:
        sentence: Its words, as written.
        changed: The branches that a command changes.
    """
    named = named_branches(sentence) if changed else []
    return bool(named) and not any(_is_of(path, name) for path in changed for name in named)


def mentions_branch(sentence: Sequence[str]) -> bool:
    """Return whether a word of a sentence may be the name or the kind of a branch."""
    plain = [word.strip(MARKS) for word in sentence]
    return any(_is_branch(word) or word in _PLACES for word in plain) or any(
        word.lower() in _KINDS and following.lower() in _BRANCHES for word, following in pairwise(plain)
    )


def named_branches(sentence: Sequence[str]) -> list[str]:
    """Return the branches to which a sentence says that something is done, in its first clause about git.

    "Never push to `main`", "never rebase release/*", and `release*` for "release branches are never rebased". None if
    it may mean any branch, as "main or any other branch" does, or if the sentence is long.
    """
    words = _clause_about_git(sentence) if len(sentence) <= WORDS else []
    plain = [word.strip(MARKS) for word in words]
    if _may_mean_any(words, [word.lower() for word in plain]):
        return []
    named: list[str] = []
    for at, word in enumerate(plain):
        has_kind = "".join(plain[at + 1 : at + 2]).lower() in _BRANCHES
        is_called = has_kind or (at > 0 and plain[at - 1].lower() in _BRANCHES)
        if has_kind and word.lower() in _KINDS - _ANY_NAME:
            named.append(f"{word.lower()}*")
        is_name = _is_branch(word) or (word in _PLACES and (is_called or words[at][0] in _QUOTES))
        if is_name and (is_called or _is_object(plain[:at]) or _is_subject(plain[:at], plain[at + 1 :])):
            named.append(word)
    return named


def _may_mean_any(words: Sequence[str], plain: Sequence[str]) -> bool:
    """Return whether a clause speaks of branches that it does not name, or names some as examples only.

    Args:
        words: Its words.
        plain: The words in lower case, without marks.
    """
    if not _EXAMPLES.isdisjoint(plain):
        return True
    for at in (at for at, word in enumerate(plain) if word in _BRANCHES):
        before, after = words[:at][-1:], words[at + 1 : at + 2]
        is_after_name = before != [] and before[0][-1] != "," and _is_name(plain[at - 1])
        is_before_name = after != [] and words[at][-1].isalpha() and after[0][0] != "(" and _is_name(plain[at + 1])
        is_certain = plain[at] == "branch" and not _CERTAIN.isdisjoint(plain[max(0, at - 2) : at])
        if not (is_after_name or is_before_name or is_certain):
            return True
        if is_after_name and plain[at - 1] in _ANY_NAME and _CERTAIN.isdisjoint(plain[max(0, at - 3) : at]):
            return True
    return False


def _is_name(word: str) -> bool:
    return _is_branch(word) or word in _PLACES or word in _KINDS


def _clause_about_git(sentence: Sequence[str]) -> list[str]:
    """Return the words of the first clause with a verb of git; none if no clause has one."""
    clause: list[str] = []
    for word, following in pairwise([*sentence, ""]):
        begin = word.strip(MARKS).lower()
        is_begin = begin in _BEGINS and (begin != "other" or following.lower() == "than")
        if not is_begin:
            clause.append(word)
        last = word.rstrip("`'\")]")[-1:]
        next_word = following.strip(MARKS)
        goes_on = _is_branch(next_word) or (_is_branch(word.strip(MARKS)) and next_word in _GOES_ON)
        if is_begin or last in _ENDS or (last == "," and not goes_on):
            if any(map(_is_done, clause)):
                return clause
            clause = []
    return clause if any(map(_is_done, clause)) else []


def _is_done(word: str) -> bool:
    return word.strip(MARKS).lower().startswith(_STEMS)


def _is_branch(word: str) -> bool:
    return word in _NAMES or (word.partition("/")[0] in _KINDS and "/" in word)


def _is_object(before: Sequence[str]) -> bool:
    """Return whether some words lead from a verb of git to the branch behind them: "never push it to"."""
    at = len(before)
    while at and (before[at - 1].lower() in _LINKS or before[at - 1][:1] == "-" or _is_branch(before[at - 1])):
        at -= 1
    has_into = not _INTO.isdisjoint(word.lower() for word in before[at:])
    verb = next((word.lower() for word in before[max(0, at - 3 if has_into else at - 1) : at] if _is_done(word)), "")
    is_source = verb.startswith("merg") and any(map(_is_done, before[: max(0, at - 1)]))  # "push and merge main"
    return bool(verb) and not is_source and not (has_into and verb.startswith("rebas"))


def _is_subject(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether the name between some words is the subject of its clause: "main is never rebased"."""
    is_first = all(word.lower() in _LINKS or _is_branch(word) for word in before)
    return is_first and not _PASSIVE.isdisjoint(word.lower() for word in after)


def _is_of(branch: str, name: str) -> bool:
    head, star, _ = name.partition("*")
    return branch.startswith(head) if star else branch == name
