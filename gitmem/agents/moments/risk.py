"""Find commands that are hard to undo or that a project may forbid, and whether a memory warns about one. Pure.

Most commands are not of this kind, and nothing is opened or searched for them.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.programs import (
    CHANGES,
    MANAGERS,
    PROGRAMS,
    WORDS,
    commands_in,
    only_shows,
    sentences_of,
    words_of,
)
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Subcommands and targets that change what others use, of any program: `terraform apply`, `npm run deploy`.
VERBS = frozenset(
    """
    apply clean delete deploy destroy downgrade drain drop flush flushall migrate prune publish purge release reset
    restore rollback stamp truncate uninstall upgrade upload
    """.split()
)
# Options that make a command of git such a one, and how memories name them.
FORCES = {"--force": "force", "-f": "force", "--force-with-lease": "force", "--hard": "hard", "--mirror": "mirror"}
# Options that skip a check or overwrite what it compares with, of any program, and how memories name them.
SKIPS = {
    "--no-verify": ("no verify",),
    "--legacy-peer-deps": ("legacy peer deps",),
    "-DskipTests": ("dskiptests",),
    "--no-frozen-lockfile": ("no frozen lockfile",),
    **dict.fromkeys(
        ("--update-snapshots", "--update-snapshot", "--updateSnapshot", "--snapshot-update"),
        ("update snapshots", "update snapshot", "updatesnapshot", "snapshot update", "accept snapshots"),
    ),
}
# Test runners whose `-u` overwrites snapshots.
_UPDATES = ("vitest", "jest", "playwright", "ava", "tap")
# Programs whose words do not count: git needs an option to be hard to undo, the others only read or print.
_OTHERS = frozenset(("git", "cat", "cd", "echo", "find", "grep", "head", "less", "ls", "man", "rg", "tail", "which"))
# A memory with one of these words beside the command warns about it.
_WARNS = frozenset(
    """
    never not don cannot must before first only without unless until breaks broke lost lose loses deletes deleted drops
    dropped destroys destroyed overwrites overwrote careful danger dangerous instead ask wait outage down avoid rather
    rejects rejected
    """.split()
)
# How a memory forbids a program; and words with which the next sentence goes on about the command.
_FORBIDS = (
    "not use",
    "never use",
    "t use",
    "not run",
    "never run",
    "instead of",
    "rather than",
    "not",
    "never",
    "avoid",
)
_GOES_ON = frozenset(("it", "this", "that"))
# How a memory says what to run in place of another command, and what is before these words where it forbids that.
_PREFERS, _NOT = frozenset(("use", "prefer", "run")), frozenset(("not", "never", "t", "cannot"))
# Words in the phrases of git's commands that change a branch.
_OF_GIT = frozenset("push pushed pushing reset commit committed committing".split())
# How a memory says that something is run, and the fewest letters of a verb's stem.
_RUN = frozenset(("run", "runs", "running", "ran", "pass", "passed"))
STEM = 5


@frozen
class Risk:
    """The parts of a command line that a memory may warn about; false if there are none.

    Attributes:
        phrases: How a memory may name the commands, as words.
        verbs: Their verbs, which a memory may use in another form: "migrations are run by the release job".
        packages: The packages that they add or change.
        managers: The package managers.
        options: The options and variables that the line sets (``cautions.options_of``).
        cued: The phrases of the line about which a memory has a caution (``cues.cued_phrases``).
        branches: The branches that its commands of git change; empty if they are unknown.
        words: All its words.
    """

    phrases: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    cued: tuple[str, ...] = ()
    branches: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Return whether a memory may warn about the line."""
        return bool(self.phrases or self.cued)

    @property
    def query(self) -> str:
        """Return the words to search for."""
        return "\n".join((*self.phrases, *self.packages, *self.managers, *self.cued))


def find_risk(line: str, cued: Sequence[str] = (), branch: str = "") -> Risk:
    """Return the parts of a command line that a memory may warn about; for most lines, none.

    Args:
        line: The command line.
        cued: The phrases of it that memories name with a caution (``cues.cued_phrases``).
        branch: The current branch; empty if it is unknown.
    """
    phrases: list[str] = []
    verbs: list[str] = []
    packages: list[str] = []
    managers: list[str] = []
    for command in commands_in(line):
        words = command.split()
        if only_shows(words):
            continue
        while words and "=" in words[0]:
            words = words[1:]
        arguments = [word for word in words if not word.startswith("-")]
        plain = arguments[:3]
        plain[:1] = [word.rpartition("/")[2] for word in plain[:1]]
        phrases += _forced(words, plain)
        for at, word in enumerate(plain):
            verb = word.rpartition(".")[2].rpartition(":")[2]
            if at and plain[0] not in _OTHERS and (verb in VERBS or word.startswith("db:")):
                begin = 0 if plain[at - 1] == "run" else at - 1
                # The value of an option may be between the program and its verb.
                named = (" ".join(plain[begin : at + 1]), f"{plain[0]} {word}")
                phrases += [" ".join(words_of(name)) for name in named]
                verbs.append(verb)
            if at and word in CHANGES and plain[at - 1] in MANAGERS and plain[0] not in _OTHERS:
                phrases += [f"{plain[at - 1]} {word}", *(f"{forbids} {plain[at - 1]}" for forbids in _FORBIDS)]
                packages += arguments[at + 1 :]
                managers.append(plain[at - 1])
    if not phrases and not cued:
        return Risk()
    if packages:
        from gitmem.agents.moments.packages import named_packages  # few commands change a package

        packages = named_packages(packages)
    branches: frozenset[str] = frozenset()
    if "git" in line:
        from gitmem.agents.moments.branches import changed_branches  # few commands at risk are those of git

        branches = changed_branches(line, branch)
    from gitmem.agents.moments.cautions import options_of  # few commands are at risk

    return Risk(
        phrases=tuple(dict.fromkeys(phrases)),
        verbs=tuple(dict.fromkeys(verbs)),
        packages=tuple(packages),
        managers=tuple(dict.fromkeys(managers)),
        options=options_of(line),
        cued=tuple(cued),
        branches=branches,
        words=frozenset(line.split()),
    )


def _forced(words: Sequence[str], plain: Sequence[str]) -> list[str]:
    """Return how a memory may name the options of a command that force it, or that skip a check."""
    forces = {FORCES[word] for word in words if word in FORCES} if plain[:1] == ["git"] else set()
    phrases: list[str] = []
    for force in sorted(forces) if len(plain) > 1 else ():
        phrases += [f"{plain[1]} {force}", f"{force} {plain[1]}", f"{force} {plain[1]}ed", f"{force} {plain[1]}ing"]
    for skip in filter(SKIPS.__contains__, words):
        phrases += SKIPS[skip]
    if "-u" in words and (runner := next((word for word in plain if word in _UPDATES), "")):
        phrases += [f"{runner} u", *SKIPS["--update-snapshots"]]
    return phrases


def warns(text: str, risk: Risk) -> bool:
    """Return whether a sentence of a memory warns about a command, its verb, one of its packages or its manager."""
    sentences = sentences_of(text)
    for sentence, following in pairwise([*sentences, ""]):
        words, after = words_of(sentence), words_of(following)
        joined = f" {' '.join(words)} "
        more = () if _GOES_ON.isdisjoint(after) else after
        named = [phrase for phrase in risk.phrases if _names(joined, phrase)]
        is_warning = bool(named) and not _WARNS.isdisjoint((*words, *more))
        if is_warning and not all(_is_about_another(sentence, phrase, risk) for phrase in named):
            return True
        if any(_instructs(sentence, words, verb, risk) for verb in risk.verbs):
            return True
    if risk.cued:
        from gitmem.agents.moments.cautions import (
            CautionedCommand,
            has_caution,
        )  # only where a memory names the command

        command = CautionedCommand(risk.cued, risk.options, risk.packages, risk.branches, risk.words)
        if has_caution(text, command):
            return True
    if not risk.managers:
        return False
    from gitmem.agents.moments.packages import prefers_another, restrains  # few commands change a package

    return any(restrains(text, name) for name in risk.packages) or prefers_another(text, risk.managers)


def _names(sentence: str, phrase: str) -> bool:
    """Return whether a sentence names a command, and neither prefers it nor means another subcommand."""
    before, name, after = sentence.partition(f" {phrase} ")
    if not name:
        return False
    last, following = before.split()[-2:], after.split()[:2]
    is_instead = last[-1:] == ["instead"] or following[:1] == ["instead"]
    if is_instead and following != ["instead", "of"] and _PREFERS.intersection(last[-1:]):
        return not _NOT.isdisjoint(last[:1])
    return phrase.rpartition(" ")[0] not in _FORBIDS or (CHANGES | VERBS).isdisjoint(following[:1])


def _is_about_another(sentence: str, phrase: str, risk: Risk) -> bool:
    """Return whether a sentence names a command with options, packages or branches that the command line lacks.

    Long sentences are not read.
    """
    words = sentence.split()
    if len(words) > WORDS:
        return False
    parts = [(part, at) for at, word in enumerate(words) for part in words_of(word)]
    wanted = phrase.split()
    size = len(wanted)
    begin = next((at for at in range(len(parts)) if [part for part, _ in parts[at : at + size]] == wanted), None)
    if begin is None:
        return False
    before, after = words[: parts[begin][1]], words[parts[begin + size - 1][1] + 1 :]
    from gitmem.agents.moments.branches import names_other_branches  # few memories get here
    from gitmem.agents.moments.cautions import options_of
    from gitmem.agents.moments.packages import names_other_packages

    count = next((at for at, word in enumerate(after) if not word.strip("`'\"").startswith("-")), len(after))
    if not options_of(" ".join(after[:count])) <= risk.options:
        return True
    if size > 1 and wanted[-1] in CHANGES and wanted[-2] in MANAGERS:
        return names_other_packages(before, after, wanted[-1], risk.packages)
    return not _OF_GIT.isdisjoint(wanted) and names_other_branches(words, risk.branches)


def _instructs(sentence: str, words: Sequence[str], verb: str, risk: Risk) -> bool:
    """Return whether a sentence says how to run what a command does, naming it by another form of the command's verb.

    "Migrations must be run with --fake-initial" does so for `migrate`, unless the command has this option.
    """
    stem = verb[:-1] if verb.endswith("e") else verb
    if len(stem) < STEM or not any(word.startswith(stem) for word in words):
        return False
    others = (f"{program} {word}" for program, word in pairwise(words) if word == verb and program in PROGRAMS)
    if any(other not in risk.phrases for other in others) or (verb, "instead") in pairwise(words):
        return False
    named = [word.strip("`'\",.:;()").partition("=")[0] for word in sentence.split()]
    wanted = [word for word in named if word.startswith("--") and len(word) > 2]
    if wanted and any(before in _NOT and run in _RUN for before, run in pairwise(words)):
        return set(wanted).issubset(risk.options)
    if wanted:
        return not _RUN.isdisjoint(words) and not set(wanted).issubset(risk.options)
    return not _RUN.isdisjoint(words) and not _WARNS.isdisjoint(words)
