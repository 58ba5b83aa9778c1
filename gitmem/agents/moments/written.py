"""Find the names of code that an edit adds, and whether a memory forbids one, or says what harm it did. Pure.

"Never `date.today()`", "a plain add_index locked the table", "http.Client without a Timeout hung all workers".
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.commands.context.near import NO_CODE, SYMBOLS_AT_MOST, is_distinctive_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.agents.event import Edit

# The most characters of one edit, the fewest of a name, and how many words may be between a name and what forbids it.
CHARS, NAME_CHARS, WORDS_BETWEEN = 64 * 1024, 4, 4
# Objects whose names differ from one place to the next.
_SELVES = frozenset(("self", "this", "cls", "super", "it"))
_FORBIDS = frozenset(("never", "not", "don't", "dont", "avoid", "instead", "rather", "no", "nobody"))
# Words between what forbids and the name that it forbids: "do not ever call `x`". Others are forbidden themselves:
# "never merge without `run_checks`", "do not rename `x`".
_LINKS = frozenset(
    "use uses using used pass passing set setting call calls calling called write writing import importing add adding"
    " rely on ever again a an the of than to directly raw plain bare in into go through touch reach for any every over"
    " one should must may".split()
)
# Phrases that say that nothing can be avoided: "it is not possible to avoid `x`".
_UNAVOIDABLE = frozenset("cannot can't couldn't not isn't impossible unable hard no never don't doesn't".split())
# Verbs before "`a` over `b`", and before "`b` with `a`", which forbid `b`.
_PREFERS = frozenset("prefer favor favour choose pick use".split())
_REPLACES, _BY = ("replace", "swap"), ("with", "for", "by")
# The ends of a clause before a name that forbid it, besides links in between.
_AWAY = (
    *("away from", "steer clear of", "stay clear of", "keep clear of", "get rid of", "refrain from", "stop"),
    *("move off", "migrate off"),
)
# Phrases that forbid the name before them: "`x` blocks, so don't use it".
_IT = (
    *(f"{no} {verb} it" for no in ("don't", "do not", "never") for verb in ("use", "call", "import", "add")),
    *("avoid it", "stay away from it"),
)
# What "not" follows where it forbids, besides nothing: "the worker does not use `send_mail`" says what is so.
_ORDERS = frozenset("do must should shall may can ought or and but please".split())
# Words after a name that forbid it.
_AFTER = frozenset(("banned", "forbidden", "deprecated", "prohibited", "discouraged", "obsolete", "off-limits"))
_NEGATED = (
    *(
        f"{verb} not be {done}"
        for verb in ("must", "may", "should")
        for done in ("used", "called", "imported", "added")
    ),
    "is not allowed",
    "are not allowed",
)
# After a name that "not" only distinguishes from another one: "`a`, not `b`, is slow".
_SUBJECT = tuple(f", {verb} " for verb in ("is", "are", "was", "were", "has", "does"))
_NO = frozenset("not never no isn't wasn't".split())
# Words after a name, in its sentence, that say what harm it did.
_HARMS = frozenset(
    """
    hung hangs hang deadlocks deadlocked deadlock breaks broke broken crashes crashed leaks leaked loses lost corrupts
    corrupted blocks blocked locks locked fails failed panics panicked wrong drops dropped overwrites overwrote refuses
    refused rejects rejected wipes wiped deletes deleted truncates truncated duplicates duplicated doubled stalls
    stalled silently bricks bricked exhausts exhausted swallows swallowed skips skipped races garbles garbled
    """.split()
)
# Words between a name and a harm after which the harm is that of something else, or none.
_TURNS = frozenset(
    """
    or otherwise else unless until before not never no doesn't don't cannot can't isn't didn't nothing fixed fixes fix
    prevents prevented prevent avoids avoided avoid repaired repairs cured solved solves stopped removed
    """.split()
)
# Words after a harm that say that there was none, or that only a text is wrong.
_NEGATIONS = frozenset(("nothing", "none", "no"))
_TEXTS = frozenset("docs documentation readme docstring comment comments diagram wiki changelog manual".split())
# Words before a name, in its clause, that order it, ask for it, or say what happens where it is missing.
_ORDERED = frozenset(
    "use call always must pass set run need needs want wants require requires add keep prefer without unless until"
    " before after missing lacks forgot".split()
)
_CLAUSE_BEGINS = frozenset(("that", "which", "who"))
# Files with command lines that run elsewhere: their folders, names, and keys.
_WORKFLOW_FOLDERS = ("/.github/workflows", "/.gitea/workflows", "/.forgejo/workflows", "/.circleci", "/.woodpecker")
_WORKFLOWS = frozenset(
    (".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml")
)
_RUN_KEYS = frozenset(("run", "script", "command"))
# What no package is called after `import` and `use`: words of a language, and its own library.
_NO_PACKAGES = frozenset("static crate self super java javax kotlin type strict warnings core".split())
# Verbs at the beginning of what a memory says to do instead of what its sentence before names.
_INSTEAD = ("use ", "pass ", "prefer ", "call ", "set ")
# How many characters before and after a name are read.
AROUND = 160
# The most characters of a memory that are read, and the most names of code in it that an edit may have instead.
MEMORY_CHARS, OTHERS_AT_MOST = 20_000, 200
_CODE_SIGNS = frozenset("_.(=`:!")
_UNQUOTED = str.maketrans("'\"()<>;,", "        ")
_SEPARATED = str.maketrans("(),;{}[]", "        ")
_NOT_NAMES = [char if char.isalnum() or char in "_.(" else " " for char in map(chr, range(128))]


def added_names(edits: Iterable[Edit]) -> list[str]:
    """Return the names that edits of code add, in order: dotted ones, those of several words, and what is called.

    Of a longer dotted name, its last two parts count as well: ``datetime.datetime.utcnow`` is a ``datetime.utcnow``.
    """
    names: dict[str, None] = {}
    for edit in edits:
        if edit.path.endswith(NO_CODE) or not edit.after:
            continue
        before = set(_names(edit.before[:CHARS]))
        names |= dict.fromkeys(name for name in _names(edit.after[:CHARS]) if name not in before)
    return list(names)[:SYMBOLS_AT_MOST]


def added_commands(edits: Iterable[Edit]) -> str:
    """Return the command lines that edits of CI workflows add, one a line; empty for other files."""
    lines: dict[str, None] = {}
    for edit in edits:
        if _is_workflow(edit.path):
            before = {*map(_command_of, edit.before[:CHARS].split("\n"))}
            after = map(_command_of, edit.after[:CHARS].split("\n"))
            lines |= dict.fromkeys(line for line in after if line and line not in before)
    return "\n".join(list(lines)[:SYMBOLS_AT_MOST])


def _is_workflow(path: str) -> bool:
    folder, _, name = f"/{path}".replace("\\", "/").rpartition("/")
    return name in _WORKFLOWS or (folder.endswith(_WORKFLOW_FOLDERS) and name.endswith((".yml", ".yaml")))


def _command_of(line: str) -> str:
    """Return the command in a line of a workflow, as `run:` or as a line of its block; empty for another key."""
    plain = line.strip().removeprefix("- ").strip()
    key, colon, value = plain.partition(":")
    is_key = bool(colon) and value[:1] in ("", " ") and key.replace("-", "").replace("_", "").isalnum()
    if plain.startswith("#") or (is_key and key not in _RUN_KEYS):
        return ""
    return value.strip(" |>-'\"") if is_key else plain


def imported_packages(edits: Iterable[Edit]) -> list[str]:
    """Return the packages that edits of code import and did not before: `holidays` of `import holidays`."""
    names: dict[str, None] = {}
    for edit in edits:
        if edit.path.endswith(NO_CODE):
            continue
        before = set(_imports(edit.before[:CHARS]))
        names |= dict.fromkeys(name for name in _imports(edit.after[:CHARS]) if name not in before)
    return list(names)[:SYMBOLS_AT_MOST]


def _imports(text: str) -> list[str]:
    names: list[str] = []
    in_block = False
    for line in text.split("\n"):
        words = line.translate(_UNQUOTED).split()
        if in_block:  # of Go
            in_block = not line.lstrip().startswith(")")
            names.append(line.partition('"')[2].partition('"')[0])
        elif words == ["import"]:
            in_block = line.rstrip().endswith("(")
        elif not line.lstrip().startswith(("'", '"')):  # 'use strict'
            names += _imported(words, line)
    packages = (_package_of(name) for name in names if not name.startswith("."))
    return [name for name in packages if len(name) >= NAME_CHARS and name not in _NO_PACKAGES]


def _imported(words: list[str], line: str) -> list[str]:
    """Return the modules that a line imports, as written."""
    if words[:1] in (["import"], ["}"]) and "from" in words[1:]:
        return words[words.index("from") + 1 :][:1]
    if words[:1] == ["import"] and "," in line:
        return [part.split()[0] for part in " ".join(line.split()[1:]).split(",") if part.strip()]
    if words[:1] in (["import"], ["from"], ["require"], ["use"], ["#include"]):
        return words[2:3] if words[1:2] == ["static"] else words[-1:] if '"' in line and len(words) == 3 else words[1:2]
    return words[words.index("require") + 1 :][:1] if "require" in words else []


def _package_of(module: str) -> str:
    """Return the package of a module: `errors` of `github.com/pkg/errors/v2`, `lodash` of `lodash/merge`."""
    parts = [part for part in module.split("/") if part and not (part[0] == "v" and part[1:].isdigit())]
    if not parts:
        return ""
    is_inner = len(parts) > 1 and ("." in parts[0] or parts[0].startswith("@"))
    name = parts[0] if not is_inner else parts[1] if parts[0].startswith("@") else parts[-1]
    return name.split(".")[0].split("::")[0]


def _names(text: str) -> list[str]:
    names: list[str] = [name for line in text.split("\n") if "=" in line for name in _assigned(line)]
    for word in text.translate(_NOT_NAMES).replace("(", "( ").split():
        parts = [part for part in word.rstrip("(").strip(".").split(".") if part]
        if not parts or not all(part.isidentifier() for part in parts):
            continue
        names += [part for part in parts if is_distinctive_name(part)]
        if len(parts) > 1 and parts[0] not in _SELVES:
            names += [".".join(parts), ".".join(parts[-2:])]
        is_called = word.endswith("(") and len(parts[-1]) >= NAME_CHARS
        if is_called or (len(parts[-1]) > 2 and _is_numbered(parts[-1])):
            names.append(parts[-1])
    return names


def _assigned(line: str) -> Iterator[str]:
    """Yield the plain values that a line gives to names, as memories write them: `inplace=True`, `workers=-1`."""
    parts = line.replace(" = ", "=").translate(_SEPARATED).split()
    for part in parts:
        name, sign, value = part.partition("=")
        if sign and len(name) >= NAME_CHARS and name.isidentifier() and value.lstrip("-").isalnum():
            yield part


def _is_numbered(name: str) -> bool:
    """Return whether a name has letters and digits, as those of types and algorithms do: `f32`, `sha1`."""
    return name.isascii() and name.isalnum() and name[0].isalpha() and name[-1].isdigit()


def speaks_against(text: str, name: str, added: str) -> bool:
    """Return whether a memory forbids a name that an edit adds, or says what harm it did where the edit repeats that.

    Args:
        text: The memory.
        name: The name.
        added: The text that the edit adds.
    """
    text = text[:MEMORY_CHARS]
    return forbids(text, name) or (name in text and _blames(text, name, added))


def _blames(text: str, name: str, added: str) -> bool:
    """Return whether a memory says what harm a name did, or what to use instead, and the edit does not heed that."""
    for before, rest in _mentions(text, name):
        if _is_numbered(name) and before[-1:] != "`" and rest[:1] != "(":  # the name of a type is also one of prose
            continue
        start = _clause(before[-AROUND:][::-1])[::-1].lower().split()
        has_order = not _ORDERED.isdisjoint(start) and _CLAUSE_BEGINS.isdisjoint(start)
        sentence, _, following = rest[: 2 * AROUND].partition(". ")
        words = [word.strip("`'\"(),:;.") for word in sentence.lower().replace("\u2019", "'").split()]
        harm = next((at for at, word in enumerate(words) if word in _HARMS), None)
        is_harm = harm is not None and _TURNS.isdisjoint(words[:harm]) and _did_harm(words[harm : harm + 5])
        if (
            not has_order
            and (is_harm or _names_another(sentence, following))
            and not _is_heeded(text, name, words, added)
        ):
            return True
    return False


def _did_harm(words: list[str]) -> bool:
    """Return whether a word of harm says that there was some, by the words after it."""
    return _NEGATIONS.isdisjoint(words[1:2]) and not (words[0] == "wrong" and not _TEXTS.isdisjoint(words))


def _names_another(sentence: str, following: str) -> bool:
    """Return whether the next clause or sentence says what code to use instead."""
    for clause in (*sentence.replace(";", ":").split(": ")[1:], *sentence.split("; ")[1:], following):
        begin = next((verb for verb in _INSTEAD if clause.lower().lstrip().startswith(verb)), "")
        if begin and _is_code(clause.lstrip()[len(begin) :].split(maxsplit=1)[0:1]):
            return True
    return False


def _is_code(words: list[str]) -> bool:
    return any(not _CODE_SIGNS.isdisjoint(word.rstrip(".:!,;)")) for word in words)


def _is_heeded(text: str, name: str, words: list[str], added: str) -> bool:
    """Return whether an edit has what a memory misses in a name: "`x` without a timeout", or other code that it names.

    Args:
        text: The memory.
        name: The name.
        words: The words after the name.
        added: The text that the edit adds.
    """
    low = added.lower()
    if words[:1] == ["without"]:
        missing = next((word for word in words[1:4] if word not in ("a", "an", "the", "its", "any")), "")
        return bool(missing) and missing in low
    return any(name not in other and other not in name for other in _code_in_both(text, added))


@lru_cache(maxsize=64)
def _code_in_both(text: str, added: str) -> tuple[str, ...]:
    """Return the code that a memory names and an edit adds; read once for all names that are looked up in it."""
    words = (word.strip("`'\",;.()") for word in text.split() if _is_code([word.strip("'\",;")]))
    others = dict.fromkeys(word for word in words if len(word) >= NAME_CHARS)
    return tuple(other for other in list(others)[:OTHERS_AT_MOST] if other in added)


def _mentions(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the texts before and after each mention of a name; one that may be prose must be written as code."""
    is_plain = not ("." in name or "=" in name or is_distinctive_name(name) or _is_numbered(name))
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, rest = text[max(0, at - AROUND) : at], text[end : end + 2 * AROUND]
        is_whole = not (before[-1:].isalnum() or before[-1:] in ("_", ".")) and not (
            rest[:1].isalnum() or rest[:1] == "_"
        )
        is_whole = is_whole and not (rest[:1] in (".", "=") and (rest[1:2].isalnum() or rest[1:2] == "-"))
        if is_whole and (not is_plain or before[-1:] == "`" or rest[:1] == "("):
            yield before, rest
        at = text.find(name, at + 1)


def forbids(text: str, name: str) -> bool:
    """Return whether a memory forbids a name; one that may be a word of prose must be written as code in it."""
    return any(_is_forbidden_at(before, rest) for before, rest in _mentions(text, name))


def _is_forbidden_at(before: str, rest: str) -> bool:
    clause = _clause(before[-120:][::-1])[::-1].lower().replace("\u2019", "'")
    plain = [word.strip("`'\"*_") for word in clause.split()]
    if plain[-1:] == [""]:
        del plain[-1]
    if rest.lstrip("`()").startswith(_SUBJECT) and plain[-1:] == ["not"]:
        return False
    return _forbidden_by(plain) or _is_replaced(plain, rest) or _is_forbidden(rest) or _is_forbidden_below(rest)


def _is_replaced(plain: list[str], rest: str) -> bool:
    """Return whether the words around a name ask for another one: "prefer `a` over `b`", "replace `b` with `a`"."""
    if plain[-1:] == ["over"]:
        return not _PREFERS.isdisjoint(plain)
    while plain and plain[-1] in _LINKS:
        if " ".join(plain[-3:]).endswith(_AWAY):
            return True
        plain = plain[:-1]
    if " ".join(plain[-3:]).endswith(_AWAY):
        return True
    below = rest.lstrip("`()").split(maxsplit=1)
    return len(plain) < 3 and plain[-1:] != [] and plain[-1] in _REPLACES and below[:1] != [] and below[0] in _BY


def _is_forbidden_below(rest: str) -> bool:
    """Return whether the rest of a sentence forbids its only name as "it"."""
    sentence = rest[:160].lstrip("`()").split("\n")[0].lower().replace("\u2019", "'")
    ends = [at for sign in _IT if (at := sentence.find(sign)) >= 0]
    between = sentence[: min(ends)] if ends else ""
    return bool(ends) and not any(sign in between for sign in ("`", "_", "()", ". "))


def _forbidden_by(words: list[str]) -> bool:
    """Return whether the words before a name, in its clause, forbid it."""
    plain = words[-WORDS_BETWEEN - 2 :]
    while len(plain) > 1 and plain[-1] in ("or", "and", "nor"):  # "never `print` or `input`"
        plain = plain[:-2]
    for at in range(len(plain) - 1, max(len(plain) - WORDS_BETWEEN - 2, -1), -1):
        if plain[at] == "avoid" and not _UNAVOIDABLE.isdisjoint(words[: words.index("avoid")]):
            return False
        if plain[at] in _FORBIDS:
            previous = plain[at - 1] if at else ""
            return plain[at] != "not" or not previous.isalpha() or previous in _ORDERS
        if plain[at] not in _LINKS and plain[at]:
            return False
    return False


def _is_forbidden(rest: str) -> bool:
    """Return whether the words after a name, in its clause, forbid it."""
    words = _clause(rest[:120]).lower().replace("`", " ").replace("()", " ").split()[:WORDS_BETWEEN]
    sentence = " ".join(word.rstrip(".!") for word in words)
    return sentence.startswith(_NEGATED) or (not _AFTER.isdisjoint(sentence.split()) and _NO.isdisjoint(words))


def _clause(text: str) -> str:
    """Return a text up to the sign that ends its clause, read forwards or backwards."""
    for at, char in enumerate(text):
        beside = text[at + 1 : at + 2], text[at - 1 : at] if at else " "
        if char in ";\n" or (char in ".:!?," and any(char_beside.isspace() for char_beside in beside if char_beside)):
            return text[:at]
    return text
