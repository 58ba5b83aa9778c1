"""Group commands that are approved together: no shell syntax, one program, the same options. Pure."""

from __future__ import annotations

import re
import shlex

from gitmem.document.spec import format_check
from gitmem.model import PROGRAM, SHELL
from gitmem.text import display
from gitmem.text.sha256 import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.model import Spec
    from gitmem.verify.due import Due

# Words that a POSIX shell leaves unchanged: plain characters, or quoted text without expansions. Source: POSIX.1-2017,
# Shell Command Language, 2.2 Quoting.
WORD = r"""(?:[\w@%+=:,./-]|'[^'\n]*'|"[^"$`\\\n]*")+"""
PLAIN_COMMAND = re.compile(f"{WORD}(?: +{WORD})*", re.ASCII)
# Shells, and programs whose arguments are another command or program text.
LAUNCHERS = frozenset((
    "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "eval", "exec", "source", ".", "command", "builtin",
    "trap", "time", "if", "while", "until", "for", "case", "env", "sudo", "doas", "su", "xargs", "nice", "nohup",
    "timeout", "setsid", "stdbuf", "ssh", "chroot", "unshare", "docker", "podman", "find", "parallel", "watch",
    "deno", "awk", "gawk", "mawk", "nawk", "sed", "ed", "ex", "vi", "vim",
))  # fmt: skip
# The letters of options whose value is program text, for most interpreters and for these.
TEXT_OPTIONS = "ce"
MORE_TEXT_OPTIONS = {"node": "pr", "bun": "pr", "php": "rbf", "perl": "mi", "ruby": "r"}
TEXT_WORDS = frozenset(("command", "eval", "exec", "execute", "expression", "print", "run"))
# A longer command should be reviewed on its own.
LONGEST = 160


def group(dues: Iterable[Due]) -> list[list[Due]]:
    """Return commands in groups to be approved with one answer, ordered by their first members.

    A command is in a group of its own if more than its words decides what it does: shell syntax, hidden characters,
    program text (``-c``, ``-e``), a launcher of other programs, network, setup, a counterexample, variables or folders.
    """
    groups: dict[tuple[str, ...], list[Due]] = {}
    for due in dues:
        groups.setdefault(program_and_options(due.spec) or ("", due.row.spec, due.row.key), []).append(due)
    return list(groups.values())


def program_and_options(spec: Spec) -> tuple[str, ...]:
    """Return the program, options and time limit that a group shares; empty for a command on its own."""
    shown = format_check(spec.check)
    words = _plain_words(spec) if len(shown) <= LONGEST else []
    if not words or any(display(word) != word for word in (shown, *words)):
        return ()
    has_more = spec.network or spec.setup or spec.refute or spec.folders or spec.variables or spec.outside
    program, *rest = words
    name = program.rpartition("/")[2]
    options: list[str] = []
    for before, word in zip(words, rest, strict=False):
        # What `python -m` runs is named by the next word.
        if word.startswith("-") or before == "-m":
            options.append(word)
    if has_more or "=" in program or name in LAUNCHERS or any(_has_program_text(name, option) for option in options):
        return ()
    return (spec.check.form, str(spec.timeout_s), program, *dict.fromkeys(options))


def hash_of(dues: Iterable[Due]) -> str:
    """Return the SHA-256 of exactly these commands, 64 hex digits: any added or changed command gives another hash.

    The hash of one command is that of its specification.
    """
    specs = [due.row.spec for due in dues]
    if len(specs) == 1:
        return specs[0]
    return sha256("\n".join(["gitmem-group-1", *specs]).encode()).hexdigest()


def name_of(dues: Sequence[Due]) -> str:
    """Return a group's name for display: ``31 × pytest -q``."""
    return f"{len(dues)} × {' '.join(program_and_options(dues[0].spec)[2:])}"


def _plain_words(spec: Spec) -> list[str]:
    """Return the words of a command without shell syntax; empty for any other."""
    if spec.check.form == PROGRAM:
        return list(spec.check.words)
    text = spec.check.words[0]
    return shlex.split(text) if spec.check.form == SHELL and PLAIN_COMMAND.fullmatch(text) else []


def _has_program_text(program: str, option: str) -> bool:
    """Return whether an option may take program text: ``-c``, ``-e``, also combined with others (``-lc``)."""
    if option.startswith("--"):
        return option[2:].partition("=")[0] in TEXT_WORDS
    letters = TEXT_OPTIONS + MORE_TEXT_OPTIONS.get(program, "")
    return option.startswith("-") and not set(letters).isdisjoint(option.lower())
