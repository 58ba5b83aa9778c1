"""Detect contradictions between two memories, by rules on their titles and built-in checks.

Two titles with the same words are opposed if only one is negated, if a word is replaced by its opposite, or if a value
differs: a number, or a name from a group of which only one applies (one key algorithm, one package manager).
Differences in the subject do not count ("the v1 API …", "the v2 API …"). The rules do not know what words mean, so a
result is worth a look but no proof, except for checks: of two opposed built-in checks, one always fails.

Figures on labelled pairs and on real memories: benchmarks/README.md, by ``benchmarks/contradictions.py``.
"""

from __future__ import annotations

import json

from gitmem.document.builtin_checks import CHECKS, globs_of, parse_arguments, row_of
from gitmem.document.check_values import SHA256
from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE
from gitmem.model import BUILTIN, ENGLISH, Check
from gitmem.text import tokens as analysis
from gitmem.text.globs import escape, is_plain, matcher, path_of, unescape
from gitmem.text.similarity import MOST_IN_A_BUCKET, have_swapped, wording_of
from gitmem.write.duplicates import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.text.similarity import Wording

# The most live memories whose titles are compared, about 3 s (measured); of a larger store only a part is compared.
MOST_TITLES = 60_000
# The share of the longer title's words that both must have, besides the opposed ones.
ALIKE = 0.75
# The most words that only one title has: the opposed one, perhaps in two parts (``10s``).
MOST_APART = 4
# Fewer words do not identify a subject: "use it", "never use it".
FEWEST = 2

_OPPOSITES = (
    "always never", "before after", "enable disable", "enabled disabled", "allow deny", "allowed denied",
    "allow forbid", "allowed forbidden", "allowed prohibited", "permitted forbidden", "accept reject",
    "accepts rejects", "accepted rejected", "true false", "on off", "minimum maximum", "min max", "least most",
    "increase decrease", "increases decreases", "more less", "more fewer", "above below", "over under",
    "add remove", "include exclude", "includes excludes", "included excluded", "sync async",
    "synchronous asynchronous", "public private", "optional required", "optional mandatory", "safe unsafe",
    "valid invalid", "first last", "newest oldest", "start stop", "starts stops", "read write",
    "deprecated supported", "supported unsupported", "up down", "with without", "unless if", "succeed fail",
    "succeeds fails", "required forbidden", "open closed", "visible hidden", "sorted unsorted", "shared separate",
    "mutable immutable", "lazy eager", "blocking nonblocking", "sensitive insensitive", "encrypted unencrypted",
    "signed unsigned", "stable unstable", "manual automatic", "manually automatically", "inclusive exclusive",
    "ascending descending", "allow block", "allowed blocked", "prefer avoid", "use avoid", "keep drop",
    "keep delete", "internal external", "== !=", "omitted included", "client server", "online offline",
    "uppercase lowercase", "parallel sequential", "parallel serial", "strict lenient", "local remote", "static dynamic",
    "full partial", "absolute relative", "stateful stateless", "authenticated anonymous", "opt-in opt-out", "hard soft",
    "nullable required", "push pull", "upstream downstream", "fails succeeds", "signed anonymous", "single multiple",
)  # fmt: skip
# Only one of each group applies to a subject: a different one is a contradiction.
_ONE_OF = (
    "postgres postgresql mysql sqlite mariadb oracle mongodb", "redis memcached", "npm pnpm yarn bun",
    "hs256 hs384 hs512 rs256 rs384 rs512 es256 es384 ps256 eddsa", "md5 sha1 sha256 sha512 bcrypt argon2 scrypt",
    "s3 gcs azure", "tabs spaces", "json yaml toml xml csv", "utc localtime", "http https", "rest graphql grpc",
    "float floats double decimal decimals", "bytes characters", "seconds milliseconds microseconds minutes hours",
    "s ms us", "kb mb gb kib mib gib", "daily weekly monthly hourly nightly", "pytest unittest nose",
    "black ruff yapf", "kafka rabbitmq sqs nats", "sentry grafana datadog", "rebase squash merge", "c c++ rust go",
    "monday tuesday wednesday thursday friday saturday sunday", "utf-8 utf8 latin-1 latin1 ascii utf-16",
    "poetry uv pipenv", "react vue angular svelte solid preact", "webpack vite rollup esbuild parcel",
    "jest vitest mocha jasmine", "django flask fastapi", "maven gradle bazel", "aws gcp azure",
    "github gitlab bitbucket", "terraform pulumi cloudformation", "uuidv1 uuidv4 uuidv7 ulid", "gzip brotli zstd",
    "rsa ed25519 ecdsa", "prisma drizzle typeorm sequelize", "cypress playwright selenium", "redux zustand mobx",
    "elasticsearch opensearch solr meilisearch", "semver calver", "express fastify koa nestjs", "eslint biome",
    "nginx caddy apache", "polling websockets", "utc local", "cookies cookie header", "camelcase snakecase kebabcase",
    "snake_case camelcase kebab-case",
)  # fmt: skip
# Units and how many of the smallest they are: a larger number of a smaller unit may be the same.
_UNITS = (
    {"ms": 1, "millisecond": 1, "s": 1000, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000,
     "week": 604_800_000},
    {"byte": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30},
)  # fmt: skip
# Words that may change with the value: "on the server", "in the client".
_LINKS = frozenset("in on at to by the a an of for from via into".split())
# After one of these, several of a group may apply: "supports MySQL", "reads YAML".
_OF_SEVERAL = frozenset(
    """
    support supports accept accepts allows works reads parses imports exports handles detects converts
    """.split()
)
# A number after one of these words is a statement about the subject; before the first of them, part of its name.
_SAYING = frozenset(
    """
    is are was be has have at to after before than every by most least under over in on for with within until up only
    must may can should uses use keep keeps support supports set sets run runs needs requires allows expires expire
    listens returns takes defaults waits retries limit = ist sind hat haben auf läuft nach bei braucht nutzt verwendet
    liegt beträgt es son tiene usa en est sont utilise tras después
    """.split()
)
# The same in a script that writes no blanks.
_SAYING_SIGNS = frozenset("是为在用がは")
# Adjectives that select one of several subjects if nothing was stated before: "the newest one", "the oldest one".
_NAMES = frozenset(
    """
    min max minimum maximum first last newest oldest public private internal external read write sync async up down
    start stop open closed sorted client server local remote static dynamic full partial absolute relative hard soft
    push pull upstream downstream single multiple authenticated anonymous online offline parallel sequential serial
    """.split()
)
# Words after which a number or name is an identifier, not a measure.
_NAMING = frozenset(
    """
    pr issue ticket task step sprint chapter release phase story epic adr rfc cve section line row case example part
    item bug commit milestone
    """.split()
)


@frozen
class ComparedTitle:
    """A title in the form in which two are compared.

    Attributes:
        wording: Its words without function words, its negations, its numbers.
        tokens: All its words, in order.
        words: Its distinct words without function words.
    """

    wording: Wording
    tokens: tuple[str, ...]
    words: frozenset[str]


def parse_statement(title: str, language: str = ENGLISH) -> ComparedTitle:
    """Return a title in the form in which it is compared."""
    wording = wording_of(title, language)
    return ComparedTitle(wording, tuple(word for word in wording.plain.split(" ") if word), frozenset(wording.counts))


def why_opposed(one: ComparedTitle, other: ComparedTitle) -> str:
    """Return in a few words why two titles contradict each other; empty if the rules find no contradiction."""
    # The cheapest test first: most pairs are unrelated.
    if len(one.words ^ other.words) > MOST_APART:
        return ""
    a, b = one.wording, other.wording
    if a.plain == b.plain or min(len(a.words), len(b.words)) < FEWEST:
        return ""
    gone, new = _only(a.counts, b.counts), _only(b.counts, a.counts)
    if len(gone) > MOST_APART // 2 or len(new) > MOST_APART // 2:
        return ""
    common = sum(min(count, b.counts.get(word, 0)) for word, count in a.counts.items())
    if common < FEWEST - 1 or common < ALIKE * (max(len(a.words), len(b.words)) - 1):
        return ""
    return _negation(one, other, gone, new) or _replacement(one, other) or _swap(one, other, gone, new)


def _only(mine: Mapping[str, int], other: Mapping[str, int]) -> list[str]:
    return [word for word, count in mine.items() for _ in range(count - other.get(word, 0))]


def _negation(one: ComparedTitle, other: ComparedTitle, gone: list[str], new: list[str]) -> str:
    """Return the reason if only one of the titles is negated."""
    if not denies(one, other):
        return ""
    # "Always squash", "never squash": an adverb may take the position of the negation.
    left = [word for word in (*gone, *new) if word not in _EMPHASIS]
    return "" if left else "one denies what the other says"


_EMPHASIS = frozenset(
    analysis.stems(tuple("not no longer more always only must may can could please really should any a".split()))
)


def _swap(one: ComparedTitle, other: ComparedTitle, gone: list[str], new: list[str]) -> str:
    """Return the reason if the titles say the same words about different things."""
    if gone or new:
        return ""
    return "the same words have changed sides" if have_swapped(one.wording, other.wording) else ""


def _replacement(one: ComparedTitle, other: ComparedTitle) -> str:
    """Return the reason if exactly one word differs, and the two words contradict each other."""
    if one.wording.negations != other.wording.negations:
        return ""
    mine, yours = _without_links(one.tokens), _without_links(other.tokens)
    if len(mine) != len(yours):
        return _exchange(one, other)
    places = [(at, to) for at, to in zip(mine, yours, strict=True) if one.tokens[at] != other.tokens[to]]
    pairs = [(one.tokens[at], other.tokens[to]) for at, to in places]
    if not pairs or any(_bare(a) == _bare(b) for a, b in pairs):
        return ""
    if len(pairs) == 1 and _are_opposites(*pairs[0]) and _decides(one.tokens, places[0][0]):
        return f"“{pairs[0][0]}” and “{pairs[0][1]}” are opposites"
    if len(pairs) == 1 and _are_one_of(*pairs[0]) and _says_one(one.tokens, places[0][0]):
        return f"“{pairs[0][0]}” instead of “{pairs[0][1]}”"
    if all(_are_of_a_kind(a, b) for a, b in pairs) and all(_is_measure(one.tokens, at) for at, _ in places):
        return "" if _are_equal(pairs) else "other numbers: " + ", ".join(f"{a} and {b}" for a, b in pairs)
    return _exchange(one, other)


def _without_links(tokens: tuple[str, ...]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token not in _LINKS]


def _exchange(one: ComparedTitle, other: ComparedTitle) -> str:
    """Return the reason if two titles of the same words name different ones of a group, in any order."""
    gone, new = _only(one.wording.counts, other.wording.counts), _only(other.wording.counts, one.wording.counts)
    mine = [at for at, token in enumerate(one.tokens) if token not in other.tokens and _is_in_group(token)]
    yours = [at for at, token in enumerate(other.tokens) if token not in one.tokens and _is_in_group(token)]
    if not len(gone) == len(new) == len(mine) == len(yours) == 1:
        return ""
    a, b = one.tokens[mine[0]], other.tokens[yours[0]]
    is_said = _says_one(one.tokens, mine[0]) and _says_one(other.tokens, yours[0])
    return f"“{a}” instead of “{b}”" if _are_one_of(a, b) and is_said else ""


def _are_of_a_kind(a: str, b: str) -> bool:
    """Return whether two words are numbers, or units of the same kind."""
    return (_is_value(a) and _is_value(b)) or any(_size_in(units, a) and _size_in(units, b) for units in _UNITS)


def _are_equal(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether a number and its unit are the same quantity in another unit: 60 minutes and 1 hour."""
    if len(pairs) != 2:
        return False
    numbers, words = pairs
    try:
        a, b = (float(number.replace("one", "1")) for number in numbers)
    except ValueError:
        return False
    sizes = [(_size_in(units, words[0]), _size_in(units, words[1])) for units in _UNITS]
    return any(size and other and a * size == b * other for size, other in sizes)


def _size_in(units: Mapping[str, int], word: str) -> int:
    return units.get(word) or units.get(_bare(word), 0)


def _bare(word: str) -> str:
    return word.removesuffix("s") if len(word) > 1 else word


def _are_opposites(a: str, b: str) -> bool:
    return b in _OPPOSED.get(a, ())


def _are_one_of(a: str, b: str) -> bool:
    return not _groups_of(a).isdisjoint(_groups_of(b))


def _is_in_group(word: str) -> bool:
    return word in _GROUPS or _bare(word) in _GROUPS


def _groups_of(word: str) -> frozenset[int]:
    """Return the numbers of the groups of a word; none for most words."""
    return _GROUPS.get(word, _NO_GROUPS) | _GROUPS.get(_bare(word), _NO_GROUPS)


def _is_value(word: str) -> bool:
    """Return whether a word is a number, perhaps with a unit; ``rs256`` and ``v2`` are names."""
    return word.lstrip("-")[:1].isdigit() or word == "one"


def _says_something(tokens: tuple[str, ...], at: int) -> bool:
    """Return whether a word belongs to the statement, as opposed to the subject's name."""
    before = tokens[:at]
    return any(token in _SAYING or not _SAYING_SIGNS.isdisjoint(token) for token in before)


def _says_one(tokens: tuple[str, ...], at: int) -> bool:
    """Return whether a statement names a word as the only one of its group."""
    return _says_something(tokens, at) and _OF_SEVERAL.isdisjoint(tokens[:at])


def _decides(tokens: tuple[str, ...], at: int) -> bool:
    """Return whether an opposite is a statement, as opposed to selecting one of several subjects."""
    return tokens[at] not in _NAMES or _says_something(tokens, at)


def _is_measure(tokens: tuple[str, ...], at: int) -> bool:
    """Return whether a number is a measure, as opposed to an identifier such as ``PR 412``."""
    return _says_something(tokens, at) and tokens[at - 1] not in _NAMING


def _by_word() -> dict[str, frozenset[str]]:
    by_word: dict[str, set[str]] = {}
    for pair in _OPPOSITES:
        one, other = pair.split(" ")
        by_word.setdefault(one, set()).add(other)
        by_word.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in by_word.items()}


def _groups_by_word() -> dict[str, frozenset[int]]:
    by_word: dict[str, set[int]] = {}
    for number, group in enumerate(_ONE_OF):
        for word in group.split(" "):
            by_word.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in by_word.items()}


_OPPOSED = _by_word()
# By word, so that a title is looked up in no time: a change with many similar titles compares millions of pairs.
_GROUPS, _NO_GROUPS = _groups_by_word(), frozenset[int]()


def find_opposition(one: Check, other: Check) -> str:
    """Return why two built-in checks can never both pass, or an empty string."""
    if one.form != BUILTIN or other.form != BUILTIN:
        return ""
    for a, b in ((one, other), (other, one)):
        if why := _conflict(b, a):
            return why
    where = globs_of(one.words)
    if where == globs_of(other.words) and _is_digest(one) and _is_digest(other) and one.words[1] != other.words[1]:
        return f"{path_of(where[0])} cannot have two contents"
    if (
        one.words[:2] == other.words[:2]
        and _find_required_value(one)
        and _find_required_value(other)
        and _find_required_value(one) != _find_required_value(other)
    ):
        return f"{one.words[1]} cannot be both {_find_required_value(one)} and {_find_required_value(other)}"
    return ""


def _find_required_value(check: Check) -> str:
    """Return the value that a check requires of a place; empty for other checks."""
    return parse_arguments(check.words).more.get("is", "")


def _conflict(denial: Check, check: Check) -> str:
    """Return why a check can never pass together with one that denies what it looks for, or an empty string."""
    row, text = row_of(denial), denial.words[1]
    if not row.is_denial or (check.words[0] != row.denies and not _is_digest(check)):
        return ""
    where = globs_of(check.words)[0]
    # A file with content exists.
    if row.probe is None:
        return f"{text} cannot both exist and be absent" if path_of(where) == path_of(escape(text)) else ""
    is_opposed = check.words[0] == row.denies and text and text in check.words[1]
    if is_opposed and _is_within(where, globs_of(denial.words)[0]):
        return f"{path_of(where)} cannot contain {text!r} and lack it"
    return ""


def _is_digest(check: Check) -> bool:
    return row_of(check).value is SHA256


def _is_within(where: str, glob: str) -> bool:
    """Return whether the second glob matches every file that the first one matches, in simple cases."""
    if where == glob:
        return True
    return is_plain(where) and matcher(glob)(unescape(where))


@frozen
class Title:
    """A memory in a pair."""

    key: str
    title: str
    path: str


def find_opposed(
    catalog: Catalog, changed: Collection[str] | None = None, *, at_most: int
) -> Iterator[tuple[Title, Title, str]]:
    """Yield live memories whose titles contradict each other, and why.

    Candidates share a rare word; the number of memories per word is limited, so that a store full of similar titles
    takes no longer.

    Args:
        catalog: The catalog.
        changed: The memories to compare with all others; None for all.
        at_most: The number of pairs after which to stop.
    """
    titles = live_titles(catalog)
    statements = {key: parse_statement(title.title, catalog.language) for key, title in titles.items()}
    buckets: dict[str, list[str]] = {}
    frequency = _frequency(statements)
    for key, one in statements.items():
        for word in _distinctive(one, frequency):
            held = buckets.setdefault(word, [])
            if len(held) < MOST_IN_A_BUCKET:
                held.append(key)
    seen = set[frozenset[str]]()
    for key in sorted(statements if changed is None else set(changed) & statements.keys()):
        near = {other for word in _distinctive(statements[key], frequency) for other in buckets[word]}
        for other in sorted(near - {key}):
            pair = frozenset((key, other))
            why = "" if pair in seen or len(seen) > at_most else why_opposed(statements[key], statements[other])
            if why:
                seen.add(pair)
                yield titles[key], titles[other], why


def live_titles(catalog: Catalog) -> dict[str, Title]:
    """Return the titles to compare, by key, latest change first."""
    rows = catalog.rows(
        f"SELECT m.key, m.title, m.path FROM memory m WHERE {LIVE} AND m.kind NOT IN"
        f" ({', '.join('?' * len(EVENTS))}) ORDER BY m.updated DESC, m.key LIMIT ?",
        (*EVENTS, MOST_TITLES),
    )
    return {key: Title(key, title, path) for key, title, path in rows}


def denies(one: ComparedTitle, other: ComparedTitle) -> bool:
    """Return whether only one of two titles is negated, with the same numbers in both."""
    return (one.wording.negations > 0) != (other.wording.negations > 0) and one.wording.numbers == other.wording.numbers


def _frequency(statements: Mapping[str, ComparedTitle]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for statement in statements.values():
        for word in statement.wording.counts:
            counts[word] = counts.get(word, 0) + 1
    return counts


def _distinctive(statement: ComparedTitle, frequency: Mapping[str, int]) -> list[str]:
    """Return the rarest words of a title, of which two opposed titles share one: they differ in at most two words."""
    return sorted(statement.wording.counts, key=lambda word: (frequency[word], word))[:3]


def find_opposed_checks(catalog: Catalog, changed: Collection[str] | None = None) -> Iterator[tuple[Title, Title, str]]:
    """Yield live facts whose built-in checks can never both pass, and why; *changed* as for ``find_opposed``."""
    rows = catalog.rows(
        "SELECT m.key, m.title, m.path, f.words FROM fact f JOIN memory m ON m.id = f.id WHERE f.form = 'builtin' AND"
        f" m.kind NOT IN ({', '.join('?' * len(EVENTS))}) AND {LIVE} ORDER BY m.key",
        EVENTS,
    )
    titles = {key: Title(key, title, path) for key, title, path, _ in rows}
    checks = {key: Check(BUILTIN, tuple(json.loads(words))) for key, _, _, words in rows}
    by_target: dict[tuple[str, str], list[str]] = {}
    for key, check in checks.items():
        by_target.setdefault(_target(check), []).append(key)
    seen = set[frozenset[str]]()
    for key in sorted(checks if changed is None else set(changed) & checks.keys()):
        for other in by_target[_target(checks[key])][:MOST_IN_A_BUCKET]:
            pair = frozenset((key, other))
            why = "" if pair in seen or other == key else find_opposition(checks[key], checks[other])
            if why:
                seen.add(pair)
                yield titles[key], titles[other], why


def _target(check: Check) -> tuple[str, str]:
    """Return the target that two opposed checks share: the path or the searched text."""
    row = row_of(check)
    is_about_text = row.is_about_any and (row.denies or any(check.denies == row.name for check in CHECKS.values()))
    return ("text", check.words[1]) if is_about_text else ("path", " ".join(globs_of(check.words)))
