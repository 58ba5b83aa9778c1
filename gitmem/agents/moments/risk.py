"""Find commands that are hard to undo or that a project may forbid, and whether a memory warns about one. Pure.

Most commands are not of this kind, and nothing is opened or searched for them.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.output import words_of

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
# Programs that change what a project depends on, and their subcommands that do: some projects forbid one of them.
MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "conda", "cargo", "gem"))
CHANGES = frozenset(("install", "i", "add", "remove", "update"))
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
_SEPARATE = str.maketrans("|&;()", "\n" * 5)


def risky_phrases(line: str) -> list[str]:
    """Return how a memory may name the commands of a line that are hard to undo, as words; mostly none."""
    phrases: list[str] = []
    for command in line.translate(_SEPARATE).split("\n"):
        words = command.split()
        while words and "=" in words[0]:
            words = words[1:]
        plain = [word for word in words if not word.startswith("-")][:3]
        plain[:1] = [word.rpartition("/")[2] for word in plain[:1]]
        forces = {FORCES[word] for word in words if word in FORCES} if plain[:1] == ["git"] else set()
        for force in sorted(forces) if len(plain) > 1 else ():
            phrases += [f"{plain[1]} {force}", f"{force} {plain[1]}", f"{force} {plain[1]}ed", f"{force} {plain[1]}ing"]
        for skip in filter(SKIPS.__contains__, words):
            phrases += SKIPS[skip]
        if "-u" in words and (runner := next((word for word in plain if word in _UPDATES), "")):
            phrases += [f"{runner} u", *SKIPS["--update-snapshots"]]
        for at, word in enumerate(plain):
            if at and plain[0] not in _OTHERS and (word in VERBS or word.startswith("db:")):
                begin = 0 if plain[at - 1] == "run" else at - 1
                # The value of an option may be between the program and its verb.
                named = (" ".join(plain[begin : at + 1]), f"{plain[0]} {word}")
                phrases += [" ".join(words_of(one)) for one in named]
            if at and word in CHANGES and plain[at - 1] in MANAGERS:
                phrases += [f"{plain[at - 1]} {word}", *(f"{forbids} {plain[at - 1]}" for forbids in _FORBIDS)]
    return list(dict.fromkeys(phrases))


def warns(text: str, phrases: Sequence[str]) -> bool:
    """Return whether a sentence of a memory names a command, and warns about it there or in the next sentence."""
    sentences = [words_of(sentence) for sentence in text.replace("\n", ". ").split(". ")]
    for words, following in pairwise([*sentences, []]):
        joined = f" {' '.join(words)} "
        more = () if _GOES_ON.isdisjoint(following) else following
        if any(f" {phrase} " in joined for phrase in phrases) and not _WARNS.isdisjoint((*words, *more)):
            return True
    return False
