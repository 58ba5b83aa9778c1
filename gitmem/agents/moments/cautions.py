"""Find the commands that memories name with a caution: what fails, needs something first, or must not be run. Pure.

"pytest -n auto deadlocks", "Run cargo test with --test-threads=1", "Build before `npm run e2e`". A command and its
mention are compared by phrases, which are the same for `npm run e2e` and `pnpm e2e`.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.agents.moments.branches import mentions_branch, names_other_branches
from gitmem.agents.moments.packages import RESTRAINS, names_other_packages
from gitmem.agents.moments.programs import (
    CHANGES,
    MANAGERS,
    MARKS,
    NPM,
    PROGRAMS,
    SCRIPTS,
    WORDS,
    commands_in,
    is_name,
    names_in,
    only_shows,
    plain_name,
    sentences_of,
    without_runner,
)
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# Known programs that are also words of prose: they need an argument.
_PROSE = frozenset("black coverage go make just node act git python python3 flask turbo swift mix buf composer".split())
# Words of a command before the one that says what it does.
_CONTINUES = frozenset(("compose", "run", "exec", "tool", "rollout", "state", "s3", "volume", "system"))
_FORBIDS = frozenset(("never", "not", "don't", "dont", "avoid", "cannot", "can't", "mustn't", "nobody"))
# Verbs of git in sentences, with the phrase of each; the second ones count only where branches are named, since "never
# commit secrets" concerns every commit. How many words may be between a verb and the word that forbids it.
_GIT = {
    **{verb: f"git {verb}" for verb in ("rebase", "cherry-pick", "merge", "push", "commit")},
    "amend": "git commit --amend",
    "rebasing": "git rebase",
    "rebased": "git rebase",
    "amended": "git commit --amend",
    "amending": "git commit --amend",
    "merging": "git merge",
    "pushing": "git push",
    "committing": "git commit",
}
_GIT_OF_BRANCHES = frozenset(("merge", "push", "commit", "merging", "pushing", "committing"))
NEAR = 4
_GIT_STEMS = ("rebas", "amend", "cherry-pick", "merg", "push", "commit")
# Words between "before" and a verb of git, and these verbs: "before each commit", "before pushing".
_BEFORE_GIT = frozenset("you we each every a any the your next git".split())
_AFTER_BEFORE = frozenset("commit committing push pushing".split())
# Words after "commit" that make a thing of it: "before the commit message is read".
_OF_COMMITS = frozenset("message messages hash hashes hook hooks id ids sha log is was were notification".split())
_NO_ORDER = frozenset("forget only necessary hesitate".split())
_OF_OTHERS = frozenset(("of", "than"))
# Words after a command that say that it fails or does harm, and those that say that it needs something.
_FAILS = frozenset(
    """
    fails fail failed hangs hang hung deadlocks deadlock breaks broke crashes crash dies forever slow flaky corrupts
    wipes wiped deletes deleted removes removed overwrites loses lost leaks ignores skips misses not doesn't cannot
    can't never without unless serves reuses broken wrong hides drops dropped erases erased revokes revoked resets
    destroyed
    """.split()
)
_BREAKS = _FAILS - frozenset(("without", "unless", "never", "not"))
_NEEDS = frozenset("needs need requires require wants expects must only".split())
# Words that take a warning back: "it is slow but harmless", "the message can be ignored".
_HARMLESS = frozenset(("harmless", "ignored", "ignorable", "benign", "innocuous"))
# Words with which a sentence goes on about a failure.
_GOES_ON = frozenset(("it", "this", "that"))
# Words of an instruction, and those that say when something is to be done.
_ORDERS = frozenset("run use always pass set start call give add with".split())
_ASKS = frozenset("run use call start".split())
_ORDER = frozenset(("before", "after"))
_OTHERWISE = frozenset(("otherwise", "else", "or"))
# Words before a clause. With "the" before it, a name without signs is a thing: "the server reads …", "the app".
_CLAUSES = frozenset("and but since because if when while as that so".split())
# Words after a name that say what it is.
_CALLED = frozenset("program script tool command task target recipe binary job step helper cli".split())
# Words after the name of a program that are not an argument of it.
_PROSE_AFTER = frozenset(
    """
    is are was were has have does do did will would can could should may in on at from for to and or but by as when if
    until while because here there it its the a an this that itself alone locally works work runs job step image
    """.split()
)
_SCRIPT_FILES = (".sh", ".bash", ".ps1")
# How many words before and after a command are read, and the most letters of a memory.
BEFORE, AFTER, CHARS = 5, 9, 20_000
_STRIPPED = f"{MARKS}*_"
_NO_WORDS = str.maketrans(dict.fromkeys("`'\",;:!?()[]{}*/", " "))
# The most phrases of one command line, and the most letters of one.
PHRASES_AT_MOST, LETTERS = 40, 60


@frozen
class CautionedCommand:
    """A command line about which a memory may have a caution.

    Attributes:
        phrases: How a memory may name its commands (``phrases_of``).
        options: The options and variables that it has (``options_of``).
        packages: The packages that it adds or changes.
        branches: The branches that its commands of git change; empty if they are unknown.
        words: All its words.

    A phrase of one word that is no known program is a name of the line (``programs.names_in``).
    """

    phrases: Collection[str]
    options: frozenset[str] = frozenset()
    packages: Sequence[str] = ()
    branches: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


@frozen
class _Sentence:
    """A sentence of a memory.

    Attributes:
        words: Its words as written.
        plain: The words in lower case, without marks.
        options: Which option or variable each word is; empty for other words.
    """

    words: Sequence[str]
    plain: Sequence[str]
    options: Sequence[str]


def phrases_of(line: str) -> list[str]:
    """Return how memories may name the commands of a line: `pytest`, `pytest tests`, `pytest -n`, and `NAME=`."""
    phrases: list[str] = []
    for command in commands_in(line):
        words = command.split()
        if only_shows(words):
            continue
        while words and "=" in words[0] and not words[0].startswith("-"):
            phrases.append(f"{words[0].partition('=')[0]}=")
            words = words[1:]
        phrases += _phrases(words, len(words))
    plain = (phrase.lower() for phrase in (*names_in(line), *phrases) if len(phrase) <= LETTERS)
    return list(dict.fromkeys(plain))[:PHRASES_AT_MOST]


def options_of(line: str) -> frozenset[str]:
    """Return the options and variables of a line, as memories name them."""
    return frozenset(name for word in line.split() if (name := _option(word)))


def cautioned_phrases(text: str) -> Iterator[str]:
    """Yield the phrases of the commands that a memory names with a caution."""
    for phrases, is_caution in _mentions(text, None):
        if is_caution:
            yield from (phrase for phrase in phrases if len(phrase) <= LETTERS)


def has_caution(text: str, command: CautionedCommand) -> bool:
    """Return whether a memory has a caution about a command that the command does not already heed."""
    return any(
        is_caution and not set(named).isdisjoint(command.phrases) for named, is_caution in _mentions(text, command)
    )


def _mentions(text: str, command: CautionedCommand | None) -> Iterator[tuple[list[str], bool]]:
    """Yield the phrases of each command that a text names, with whether the text has a caution about it.

    Args:
        text: The memory; the beginning of a long one is read.
        command: The command that a caution must concern; None to find all cautions.
    """
    options = command.options if command else None
    names = (
        frozenset(phrase for phrase in command.phrases if " " not in phrase and phrase not in PROGRAMS)
        if command
        else ()
    )
    given = options_of(text[:CHARS]) if names else frozenset()
    sentences = [sentence.split()[:WORDS] for sentence in sentences_of(text[:CHARS].replace(": ", ", "))]
    for number, words in enumerate(sentences):
        yield from _mentions_of_git(words, command)
        if command and names:
            following = sentences[number + 1] if number + 1 < len(sentences) else []
            yield from _mentions_of_names(words, following, names, command, given)
        if not _may_name_command(words):
            continue
        plain = [word.strip(_STRIPPED).lower().replace("\u2019", "'") for word in words]
        sentence = _Sentence(words, plain, [*map(_option, words)])
        following = sentences[number + 1] if number + 1 < len(sentences) else []
        at = 0
        while at < len(words):
            end = _end_of_mention(words, at)
            if end > at:
                span = slice(at, end)
                is_caution = _is_caution(sentence, span, following, options)
                is_usage = number == 0 and _has_other_options(sentence, span, options)
                mention = _phrases_of_mention([word.strip(_STRIPPED) or word for word in words[span]])
                yield mention, (is_caution or is_usage) and not _is_about_others(words, span, mention, command)
            at = max(end, at + 1)


def _is_about_others(
    words: Sequence[str], span: slice, mention: Sequence[str], command: CautionedCommand | None
) -> bool:
    """Return whether a caution is about packages that a command does not install: "do not pip install torch"."""
    after = words[span.stop :]
    parts = mention[0].split() if mention and command else []
    if len(parts) == 1 and after:  # "do not poetry add requests": the verb is also a word of orders
        parts, after = [*parts, after[0]], after[1:]
    if not command or len(parts) != 2 or parts[0] not in MANAGERS or parts[1] not in CHANGES:
        return False
    return names_other_packages(words[: span.start], after, parts[1], command.packages)


def _mentions_of_names(
    words: Sequence[str],
    following: Sequence[str],
    names: Collection[str],
    command: CautionedCommand,
    given: frozenset[str],
) -> Iterator[tuple[list[str], bool]]:
    """Yield the names of a command line that a sentence has, with whether the sentence says what they do or need.

    It does if a clause begins with the name ("sqlc drops comments"), or has it with a word of caution. A name that no
    prose has is enough, unless the sentence only says to run it.

    Args:
        words: The sentence.
        following: The next sentence.
        names: The names.
        command: The command line.
        given: The options that the memory names: a command line that has them all heeds it.
    """
    plain = [plain_name(word) for word in words]
    if set(names).isdisjoint(plain):
        return
    sentence = _Sentence(words, plain, [*map(_option, words)])
    for at, name in enumerate(plain):
        if name not in names:
            continue
        others = given - {name}
        is_heeded = bool(others) and others <= command.options
        is_other = _is_of_other_command(words[at : at + 2], command.words)
        yield [name], not (is_heeded or is_other) and _is_about(sentence, at, following, command.options)


def _is_of_other_command(words: Sequence[str], line: Collection[str]) -> bool:
    """Return whether a name is followed by an argument that a command line lacks: "probe-rs erase" for `probe-rs run`.

    A verb that ends in "s" or "ed" is no argument, but what the program does.
    """
    if len(words) < 2 or not words[0][-1].isalnum():
        return False
    argument = words[1].strip(_STRIPPED)
    is_verb = argument.endswith(("s", "ed"))
    is_other = argument.islower() and argument not in line and argument not in _CALLED
    return _is_argument(words[1]) and is_other and not is_verb


def _is_about(sentence: _Sentence, at: int, following: Sequence[str], options: frozenset[str]) -> bool:
    """Return whether a sentence says what the name at a place does or needs, and not only to run it."""
    before = sentence.plain[max(0, at - BEFORE) : at]
    if not _FORBIDS.isdisjoint(before):
        return _NO_ORDER.isdisjoint(before)
    if _is_harmless(sentence, at + 1, following):
        return False
    start = next((to for to in range(len(before), 0, -1) if sentence.words[at - len(before) + to - 1][-1] in ",;:"), 0)
    if not _ASKS.isdisjoint(before[start:]) or not (_ORDERS | _NEEDS).isdisjoint(before[-1:]):
        return False
    if not RESTRAINS.isdisjoint(sentence.plain[at + 1 : at + 3]):  # a version, which running it does not change
        return False
    begins = at == 0 or sentence.words[at - 1][-1] in ",;:" or before[-1] in _CLAUSES
    span = slice(at, at + 1)
    return begins or is_name(sentence.plain[at]) or _is_caution(sentence, span, following, options)


def _mentions_of_git(words: Sequence[str], command: CautionedCommand | None) -> Iterator[tuple[list[str], bool]]:
    """Yield the phrase of what a sentence forbids to do with git, or says to do something before.

    "Never rebase release/*", "don't push to main", "run the formatter before you commit".
    """
    if not any(verb in " ".join(words).lower() for verb in _GIT_STEMS):
        return
    plain = [word.strip(_STRIPPED).lower().replace("\u2019", "'") for word in words]
    for at, word in enumerate(plain):
        if word not in _GIT:
            continue
        is_forbidden = not _FORBIDS.isdisjoint(plain[max(0, at - NEAR) : at])
        needs_branch = is_forbidden and word in _GIT_OF_BRANCHES
        if is_forbidden and not (needs_branch and (plain[at - 1] == "git" or not mentions_branch(words[at + 1 :]))):
            concerns = command is None or not names_other_branches(words, command.branches)
            yield [_GIT[word]], concerns and _NO_ORDER.isdisjoint(plain[:at])
        start = at
        while start and plain[start - 1] in _BEFORE_GIT:
            start -= 1
        is_thing = words[at][-1].isalnum() and not _OF_COMMITS.isdisjoint(plain[at + 1 : at + 2])
        if word in _AFTER_BEFORE and not is_thing and plain[start - 1 : start] == ["before"]:
            yield [_GIT[word]], command is None or not _is_done(plain, command.words)


def _is_done(plain: Sequence[str], line: Collection[str]) -> bool:
    """Return whether a command line runs what a sentence names: "run make fmt before you commit"."""
    return any(word in PROGRAMS and word in line and follows in line for word, follows in pairwise(plain))


def _may_name_command(words: Sequence[str]) -> bool:
    """Return whether a sentence may name a command: most do not, and need not be read word by word."""
    sentence = " ".join(words)
    is_marked = "`" in sentence or "--" in sentence or "=" in sentence or any(map(sentence.__contains__, _SCRIPT_FILES))
    return is_marked or not PROGRAMS.isdisjoint(sentence.translate(_NO_WORDS).split())


def _end_of_mention(words: Sequence[str], at: int) -> int:
    """Return the end of the command that begins with a word of a sentence; the word's own place if none does."""
    word = words[at]
    if word.startswith("`") and not word.startswith("``"):
        end = next((to for to in range(at, len(words)) if "`" in words[to][to == at :]), -1) + 1
        inside = " ".join(words[at:end]).strip("`.,;:!?()")
        is_command = "=" in inside or inside.partition(" ")[0].lower() in PROGRAMS or " " in inside or "/" in inside
        return end if end and is_command and "`" not in inside else at
    plain = word.strip(_STRIPPED)
    if (plain.partition("=")[0].isupper() and "=" in plain[3:]) or plain.endswith(_SCRIPT_FILES):
        return at + 1
    plain = plain.rpartition("/")[2]
    is_program = plain in PROGRAMS and plain not in _PROSE
    if word[-1] in ",.;:":
        return at + 1 if is_program else at
    if plain not in PROGRAMS and not (_is_argument(word) and plain.islower() and _has_option(words[at + 1 : at + 4])):
        return at
    end = at + 1
    while end < len(words) and words[end].strip(_STRIPPED) in _CONTINUES:
        end += 1
    if end < len(words) and _is_argument(words[end]):
        end += 1
    while end < len(words) and (words[end].startswith("-") or "/" in words[end]) and len(words[end]) > 1:
        end += 1
    return end if end > at + 1 or is_program else at


def _has_option(words: Sequence[str]) -> bool:
    """Return whether one of some words is a long option: the words before it are then a command of some program."""
    return any(word.strip(_STRIPPED).startswith("--") for word in words)


def _is_argument(word: str) -> bool:
    """Return whether a word may be an argument: not an option, nor a word of prose that often follows a program."""
    plain = word.strip(_STRIPPED).lower()
    is_word = all(char.isalnum() or char in "-_:./" for char in plain)
    is_prose = plain in _FAILS or plain in _NEEDS or plain in _PROSE_AFTER or plain in _ORDERS or plain in _ORDER
    return bool(plain) and is_word and not word.startswith("-") and not is_prose


def _is_caution(sentence: _Sentence, span: slice, following: Sequence[str], options: frozenset[str] | None) -> bool:
    """Return whether the words around a command say what it needs, that it fails, or that it must not be run."""
    before = sentence.plain[max(0, span.start - BEFORE) : span.start]
    after = sentence.plain[span.stop : span.stop + AFTER]
    own = frozenset(filter(None, sentence.options[span]))
    named = frozenset(filter(None, sentence.options)) - own
    if _fails_with_option(sentence.options[span.stop :], before, after):
        own, named = own | named, frozenset()
    if options is None:
        options = own
    if not _FORBIDS.isdisjoint(before) and _NO_ORDER.isdisjoint(before):
        return own <= options
    if _OF_OTHERS.intersection(before[-2:]) and ("instead" in before or "rather" in before):
        return own <= options
    if "before" in before[-3:]:
        return True
    if named and not named <= options and not (_ORDERS | _NEEDS).isdisjoint((*before, *after)):
        return True
    if named and named <= options:
        return False
    is_order = not _ORDER.isdisjoint(after)
    if _is_harmless(sentence, span.stop, following):
        return False
    if not _FAILS.isdisjoint(after) or (not _NEEDS.isdisjoint(after) and not is_order):
        return own <= options
    return not _OTHERWISE.isdisjoint(word.strip(_STRIPPED).lower() for word in following[:1]) and not is_order


def _is_harmless(sentence: _Sentence, at: int, following: Sequence[str]) -> bool:
    """Return whether a failure is harmless: its clause says so, or the next sentence if it goes on about the failure.

    Args:
        sentence: The sentence.
        at: Where the command in it ends.
        following: The next sentence.
    """
    after = [word.strip(_STRIPPED).lower() for word in following]
    if after[:1] and after[0] in _GOES_ON and not _HARMLESS.isdisjoint(after):
        return True
    begin = next((to for to in range(at, len(sentence.plain)) if sentence.plain[to] in _FAILS), at)
    for to in range(begin, len(sentence.plain)):
        if sentence.plain[to] in _HARMLESS:
            return True
        goes_on = not (_GOES_ON | _HARMLESS | {"which"}).isdisjoint(sentence.plain[to + 1 : to + 3])
        if sentence.words[to][-1] in ";:.!?" or (sentence.words[to][-1] == "," and not goes_on):
            return False
    return False


def _fails_with_option(options: Sequence[str], before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether a command fails with the option behind it: "pytest with -n 4 hangs", "pytest hangs with -n 4".

    Args:
        options: Which option each word behind the command is.
        before: The words before the command.
        after: The words behind it.
    """
    at = after.index("with") if "with" in after else len(after)
    if not any(options[at + 1 : at + 2]) or not _ORDERS.isdisjoint(before):
        return False
    if before[-1:] == ["running"]:
        return at == 0
    return (at == 1 and after[0] in _BREAKS) or (at == 0 and not _BREAKS.isdisjoint(after) and "without" not in after)


def _has_other_options(sentence: _Sentence, span: slice, options: frozenset[str] | None) -> bool:
    """Return whether a sentence says to run a command with options that the command line lacks: "Run nox -R"."""
    own = frozenset(filter(None, sentence.options[span]))
    is_order = not _ORDERS.isdisjoint(sentence.plain[: span.start])
    return bool(own) and is_order and not (options is not None and own <= options)


def _phrases_of_mention(mention: Sequence[str]) -> list[str]:
    """Return the longest phrase of a command that a memory names, as a list; empty if there is none."""
    words = list(mention)
    while words and "=" in words[0] and not words[0].startswith("-"):
        name = words[0].partition("=")[0]
        words = words[1:]
        if not words:
            return [f"{name}=".lower()]
    phrases = _phrases(words, 1)
    return [phrase.lower() for phrase in phrases[-1:]]


def _phrases(words: Sequence[str], most: int) -> list[str]:
    """Return the program, the program with its first argument, and both with each of the first *most* options."""
    words = without_runner([word.strip(_STRIPPED) or word for word in words])
    if not words or not words[0]:
        return []
    program = words[0].rstrip("/").rpartition("/")[2]
    script = program
    if program in SCRIPTS:
        script, words = NPM, [word for word in words if word != "run"]
    arguments = [word for word in words[1:] if not word.startswith("-")]
    base, at = script, 0
    while at < len(arguments) and arguments[at] in _CONTINUES:
        base, at = f"{base} {arguments[at]}", at + 1
    phrases = [program, *([base] if at else [])] + ([f"{base} {arguments[at]}"] if at < len(arguments) else [])
    options = [word.partition("=")[0] for word in words[1:] if word.startswith("-") and len(word) > 1]
    return phrases + [f"{phrase} {option}" for option in options[:most] for phrase in phrases]


def _option(word: str) -> str:
    """Return the option or variable that a word is or sets: `--locked`, `-n`, `TZ=`; empty for other words."""
    plain = word.strip(_STRIPPED) or word
    name, sign, _ = plain.partition("=")
    if plain.startswith("-") and len(name) > 1 and name.lstrip("-")[:1].isalpha():
        return name
    return f"{name}=" if sign and name.isupper() and name.replace("_", "").isalnum() else ""
