"""The policy: the kinds of memory and the settings of a store, from ``gitmem.toml`` at its root.

A policy comes with the memory branch, so it is data of others: its text is bounded by the reader, every value is
checked, and its ``setup`` command runs only as a part of specifications that were approved.
"""

from __future__ import annotations

from gitmem.errors import ConfigError
from gitmem.frozen import frozen, replace
from gitmem.policy import kinds as read
from gitmem.policy.kinds import KINDS, RESERVED_FOLDERS, TAG_WORDS, Kind
from gitmem.policy.settings import (
    OWN,
    ROLES,
    CaptureSettings,
    CheckSettings,
    ContextSettings,
    DenseSettings,
    DuplicateSettings,
    FactorSizes,
    RecallSettings,
    ReviewSettings,
    Role,
    RotationSettings,
    ScopeFactors,
    SecretSettings,
    SessionSettings,
    StatusFactors,
    StopSettings,
    VerifySettings,
    Weights,
    WorkflowSettings,
    WorkPoints,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    T = TypeVar("T")


# The format of a store, as the key `format` of its policy names it.
FORMAT = 1


@frozen
class Policy:
    """The kinds and settings of one store.

    Attributes:
        kinds: The rows by name, built-in ones and those of the store.
        recall, verify, check, context, session, stops, capture, workflow: The sections of these names.
        secrets, rotation, duplicates, review: Those of these.
        roles: What is told to each role, by name.
        tags: The words that give each tag.
        changes: What the store's file says, as JSON can hold it: this alone is stored, so that defaults can move.
    """

    kinds: Mapping[str, Kind]
    recall: RecallSettings
    verify: VerifySettings
    check: CheckSettings
    context: ContextSettings
    session: SessionSettings
    stops: StopSettings
    capture: CaptureSettings
    workflow: WorkflowSettings
    secrets: SecretSettings
    rotation: RotationSettings
    duplicates: DuplicateSettings
    review: ReviewSettings
    roles: Mapping[str, Role]
    tags: Mapping[str, tuple[str, ...]]
    changes: Mapping[str, Any]

    def kind(self, name: str) -> Kind:
        """Return the row of a kind; one that is not in the table gets a default row and the folder of its name."""
        known = self.kinds.get(name) or self.kinds.get(name.replace("-", "_"))
        return known or _plain_row(name)

    def with_own(self, *, allow: tuple[str, ...], push: bool) -> Policy:
        """Return the policy with what a person's own configuration says of the settings in ``OWN``."""
        if not allow and not push:
            return self
        return replace(self, secrets=SecretSettings(allow), stops=replace(self.stops, push=push))

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as JSON can hold it; ``from_dict`` undoes it."""
        return dict(self.changes)

    @classmethod
    def from_dict(cls, changes: Mapping[str, Any], *, file: str = "the stored policy") -> Policy:
        """Return the policy with these changes of the built-in one, in the form of ``gitmem.toml``.

        Raises:
            ConfigError: An unknown key, or a value that cannot be used.
        """
        return _with_changes(changes, file)


def builtin() -> Policy:
    """Return the policy of a store without a ``gitmem.toml``."""
    return Policy.from_dict({})


def load(text: str, *, file: str) -> Policy:
    """Return the policy that a ``gitmem.toml`` sets.

    Args:
        text: The file; its size is bounded by whoever read it.
        file: Its name, for errors.

    Raises:
        ConfigError: It is no TOML, or has an unknown key or a value that cannot be used.
    """
    # 13 ms (measured, Python 3.11.7); recall reads the stored form instead.
    import tomllib

    # RecursionError: a value in a thousand brackets; ValueError: also a number of 5,000 digits.
    try:
        changes = tomllib.loads(text)
    except (ValueError, RecursionError) as err:
        why = "it is nested too deeply" if isinstance(err, RecursionError) else str(err)
        raise ConfigError(f"{file} is not valid TOML: {why}", file=file, key="") from err
    if (number := changes.pop("format", FORMAT)) != FORMAT or isinstance(number, bool):
        told = f"{file}: format {number!r} is not one that this gitmem knows ({FORMAT})"
        raise ConfigError(told, file=file, key="format", hint="update gitmem")
    return Policy.from_dict(changes, file=file)


def _with_changes(changes: Mapping[str, Any], file: str) -> Policy:
    for name in changes:
        if name not in _TABLES:
            raise _unknown(name, _TABLES, file)
    sections = [name for name in DEFAULTS if "." not in name]
    found = {name: _settings(name, DEFAULTS[name], changes.get(name, {}), file) for name in sections}
    kinds = _kinds(changes.get("kinds", {}), found["verify"].ttl_s, file)
    tags, roles = _tags(changes.get("tags", {}), file), _roles(changes.get("roles", {}), file)
    return Policy(kinds=kinds, tags=tags, roles=roles, changes=changes, **found)


def _settings(section: str, defaults: T, changes: Any, file: str) -> T:
    """Return the settings of a section and of the sections inside it."""
    found: dict[str, Any] = {}
    for key, value in _items(changes, section, file):
        name = f"{section}.{key}"
        if name in DEFAULTS:
            found[key] = _settings(name, getattr(defaults, key), value, file)
            continue
        row = ROWS[section].get(key)
        if row is None:
            inside = [other for other in DEFAULTS if other.startswith(f"{section}.")]
            raise _unknown(name, [*(f"{section}.{known}" for known in ROWS[section]), *inside], file)
        read_value = _value(row.read, value, name, file)
        if name not in OWN:
            found[row.attribute or key] = read_value
    return replace(defaults, **found) if found else defaults


def _kinds(changes: Any, ttl_s: int | None, file: str) -> Mapping[str, Kind]:
    """Return the table of kinds; what needs a check and names no time of its own counts as long as its verdict."""
    rows, timed = dict(KINDS), set[str]()
    for name, change in _items(changes, "kinds", file):
        found = _kind_changes(name, change, file)
        timed |= {name} if "ttl_s" in found else set()
        rows[name] = replace(rows.get(name) or _plain_row(name), **found)
    for name, row in rows.items():
        if row.needs_verify and row.ttl_s != ttl_s and name not in timed:
            rows[name] = replace(row, ttl_s=ttl_s)
    return rows


def _kind_changes(name: str, changes: Any, file: str) -> dict[str, Any]:
    if not read.is_slug(name):
        raise _wrong(f"kinds.{name}", "a kind whose name is one word in lower case", file)
    found: dict[str, Any] = {}
    for key, value in _items(changes, f"kinds.{name}", file):
        reader = _KIND_ROWS.get(key)
        if reader is None:
            raise _unknown(f"kinds.{name}.{key}", [f"kinds.{name}.{known}" for known in _KIND_ROWS], file)
        found[_KIND_ATTRIBUTES.get(key, key)] = _value(reader, value, f"kinds.{name}.{key}", file)
    return found


def _plain_row(name: str) -> Kind:
    return Kind(name, "memories" if name in RESERVED_FOLDERS else name)


def _roles(changes: Any, file: str) -> Mapping[str, Role]:
    roles = dict(ROLES)
    for name, change in _items(changes, "roles", file):
        if not read.is_slug(name):
            raise _wrong(f"roles.{name}", "a role whose name is one word in lower case", file)
        found: dict[str, Any] = {}
        for key, value in _items(change, f"roles.{name}", file):
            reader = _ROLE_ROWS.get(key)
            if reader is None:
                raise _unknown(f"roles.{name}.{key}", [f"roles.{name}.{known}" for known in _ROLE_ROWS], file)
            found[key] = _value(reader, value, f"roles.{name}.{key}", file)
        roles[name] = replace(roles.get(name, Role()), **found)
    return roles


def _tags(changes: Any, file: str) -> Mapping[str, tuple[str, ...]]:
    words = dict(TAG_WORDS)
    for key, value in _items(changes, "tags", file):
        if key != "words":
            raise _unknown(f"tags.{key}", ["tags.words"], file)
        for tag, given in _items(value, "tags.words", file):
            _value(read.line, tag, "the name of a tag", file)
            words[tag] = _value(read.lines, given, f"tags.words.{tag}", file)
    return {tag: given for tag, given in words.items() if given}


def _items(table: Any, name: str, file: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(table, dict):
        raise _wrong(name, f"a table: [{name}]", file)
    return table.items()


def _value(reader: Callable[[Any], T], value: Any, name: str, file: str) -> T:
    try:
        return reader(value)
    except read.WrongValue as err:
        raise _wrong(name, str(err), file) from err


def _wrong(name: str, wanted: str, file: str) -> ConfigError:
    return ConfigError(f"{file}: {name} must be {wanted}", file=file, key=name)


def _unknown(name: str, known: Iterable[str], file: str) -> ConfigError:
    # 7 ms (measured), and only on this error.
    from difflib import get_close_matches

    nearest = get_close_matches(name, list(known), n=1, cutoff=0.0)[0]
    return ConfigError(f"{file}: there is no setting {name}", file=file, key=name, hint=f"the nearest one is {nearest}")


@frozen
class _Row:
    """One key of a section: how its value is read, one line about it, and the attribute that it sets if not its own."""

    read: Callable[[Any], Any]
    about: str
    attribute: str = ""


def _factors(*names: str) -> dict[str, _Row]:
    return {name: _Row(read.number(0, 10, is_open=True), f"score factor of {name} memories") for name in names}


_TABLES = (
    *("recall", "verify", "check", "context", "session", "stops", "capture", "workflow", "secrets", "rotation"),
    *("duplicates", "review", "roles", "tags", "kinds"),
)

DEFAULTS: dict[str, Any] = {
    "recall": RecallSettings(),
    "recall.weights": Weights(),
    "recall.status": StatusFactors(),
    "recall.scope": ScopeFactors(),
    "recall.factors": FactorSizes(),
    "recall.points": WorkPoints(),
    "recall.dense": DenseSettings(),
    "verify": VerifySettings(),
    "check": CheckSettings(),
    "context": ContextSettings(),
    "session": SessionSettings(),
    "stops": StopSettings(),
    "capture": CaptureSettings(),
    "workflow": WorkflowSettings(),
    "secrets": SecretSettings(),
    "rotation": RotationSettings(),
    "duplicates": DuplicateSettings(),
    "review": ReviewSettings(),
}

ROWS: dict[str, dict[str, _Row]] = {
    "recall": {
        "half_life_days": _Row(
            read.number(0, is_open=True), "days in which age takes half of what it can, for kinds without a half_life"
        ),
        "access_boost_max": _Row(read.number(1, 10), "factor for what is read often"),
        "access_recency_hours": _Row(read.number(0), "hours in which a read counts whole"),
        "candidate_multiplier": _Row(read.number(1, 1000), "candidates ranked for each hit"),
        "relative_floor": _Row(read.number(0, 1), "hits below this share of the best are dropped"),
        "without": _Row(read.factors, "factors that are switched off: recency, status, …"),
        "work": _Row(read.looking, '"always" = recall looks at changed files and held tasks without being asked, too'),
        "domains": _Row(read.lines, "domains of this project, whose memories are read here, too"),
        "language": _Row(read.language, 'language whose stems words are searched by: "german", "french", …; or "none"'),
    },
    "recall.weights": {
        n: _Row(read.number(0, 1000), f"what a word in the {n} counts")
        for n in ("title", "tags", "key", "paths", "body")
    },
    "recall.status": _factors("verified", "stale", "unproven", "suspect", "failed"),
    "recall.scope": _factors("project", "private", "domain", "universal", "listed"),
    "recall.factors": {
        "recency": _Row(read.number(0, 1), "what age may take of a score"),
        "importance": _Row(read.number(0, 0.99), "what it may add or take"),
        "confidence": _Row(read.number(0, 0.99), "what doubt may take"),
        "workspace": _Row(read.number(0, 10), "what having been learnt in this folder may add"),
        "provenance": _Row(
            read.number(0, 0.99), "what an agent's having written it may take, where no check proves it"
        ),
    },
    "recall.points": {
        "path": _Row(read.number(0, 1000), "points of a memory about the place of the work"),
        "dependency": _Row(read.number(0, 1000), "points of one that is linked with the work"),
        "recency": _Row(read.number(0, 1000), "points of a new one, in a session's digest"),
        "double": _Row(read.number(0, 1000, is_open=True), "points that double the score of a hit"),
    },
    "recall.dense": {
        "weight": _Row(read.number(0, 10), "what meaning counts, words counting 1; 0 = nothing"),
        "adapt": _Row(
            read.number(0, 10), "how much more where a question's nearest memories stand out; 0 = always alike"
        ),
        "common": _Row(read.number(0, 1), "share of memories beyond which a word is left out of a question's meaning"),
        "mmr": _Row(read.number(0, 1), "what being unlike the hits above counts; 0 = nothing"),
        "gate": _Row(read.number(0, 1), "cosine of the best hit below which nothing is told unasked; 0 = no gate"),
        "floor": _Row(read.number(0, 1), "share of the best score that a hit must have to be told unasked; 0 = none"),
        "turn_floor": _Row(read.number(0, 1), "the same for what is told with every prompt"),
    },
    "verify": {
        "setup": _Row(read.command, "shell command run before each check"),
        "folders": _Row(read.work_folders, 'ignored folders that checks see: [".venv", "node_modules"]'),
        "timeout": _Row(read.time_limit, "time limit of a check that names none", "timeout_s"),
        "ttl": _Row(read.lifetime, "how long a verdict counts", "ttl_s"),
        "jobs": _Row(read.whole(0, 1024), "checks run in parallel; 0 = one per core"),
        "min_sandbox": _Row(read.rung, '"landlock" or "bubblewrap": verdicts made with less do not count'),
        "claimed": _Row(read.flag, "whether verdicts made in other clones count"),
        "default_branch": _Row(read.line, "branch whose verdicts are committed; empty = found from git"),
        "trace": _Row(read.tracing, '"auto" = look at what checks read, where strace works; "off" = never'),
    },
    "check": {
        "fail_on": _Row(read.fail_on, '"newly_false", "unchecked" (also what could not be checked) or "never"'),
    },
    "context": {
        "budget_tokens": _Row(read.budget(1), "tokens of a session's digest"),
        "max_memory_tokens": _Row(read.budget(1), "tokens shown of one memory"),
        "recent_days": _Row(read.whole(0, 36_500), "days that count as recent work"),
    },
    "session": {
        "profile": _Row(read.profile, '"bmad" = session summaries at the start, and nothing with a prompt'),
        "budget_tokens": _Row(read.budget(1), "tokens of what a session's start tells"),
        "spec_tokens": _Row(read.budget(0), "a topic's specification above this is left out, with a pointer"),
        "worklog_entries": _Row(read.whole(0, 100), "last commands and edits told after a compaction"),
        "newest": _Row(read.whole(0, 100), "newest memories told at the start"),
        "discipline": _Row(read.flag, "whether the start says how claims are to be backed"),
        "prompt": _Row(read.flag, "whether memories are recalled for each prompt"),
        "limit": _Row(read.whole(1, 20), "memories told for a prompt or a topic at most"),
        "gate": _Row(read.number(0, 1000), "words of one memory alone that a prompt's best hit must be worth"),
        "coverage": _Row(read.number(0, 1), "share of a prompt's words that its best hit must have"),
    },
    "stops": {
        "worktree": _Row(read.flag, "whether a sub-agent is asked to leave nothing uncommitted in its work tree"),
        "push": _Row(read.flag, "without effect: gitmem.stopPush of your own configuration counts"),
        "task": _Row(read.flag, "whether it is asked to end the tasks that it began"),
        "exempt": _Row(read.lines, "types of sub-agents that are asked nothing"),
        "log": _Row(read.stop_log, '"activity" = stops are logged in each clone; "responses" = with what was said'),
    },
    "capture": {
        "edits": _Row(read.edits, '"patterns" = what edits define becomes code patterns; "off" = git keeps them'),
        "fixes": _Row(read.flag, "whether what failed and then passed becomes a candidate for a gotcha"),
        "notes": _Row(read.flag, "whether note files that agents write become memories"),
        "exempt": _Row(read.lines, "types of sub-agents of whose work nothing is captured unasked"),
    },
    "workflow": {
        "budget_tokens": _Row(read.budget(1), "tokens of what is told before a work"),
        "limit": _Row(read.whole(1, 20), "memories of each part of it at most"),
        "min_tokens": _Row(read.budget(0), "tokens that what is stored after a work has at least"),
        "max_tokens": _Row(read.budget(1), "and at most"),
    },
    "secrets": {"allow": _Row(read.lines, "without effect: gitmem.secretsAllow of your own configuration counts")},
    "rotation": {
        "limit": _Row(read.whole(0), "live memories of a kind before the oldest go to the archive; 0 = never"),
        "move": _Row(read.whole(1), "how many go at once"),
        "kinds": _Row(read.lines, "the kinds that are rotated"),
    },
    "duplicates": {"threshold": _Row(read.share_or_off, 'memories as like as this are not written twice; or "off"')},
    "review": {"fail_on": _Row(read.severity, '"warning", "note" or "never": findings that fail a review')},
}

_ROLE_ROWS: dict[str, Callable[[Any], Any]] = {"budget_tokens": read.budget(0), "kinds": read.lines}
_KIND_ROWS: dict[str, Callable[[Any], Any]] = {
    "folder": read.folder,
    "description": read.line,
    "ttl": read.lifetime,
    "half_life": read.lifetime,
    "expires": read.flag,
    "required": read.field_names,
    "needs_refs": read.flag,
    "needs_verify": read.flag,
    "collection": read.line,
}
_KIND_ATTRIBUTES = {"ttl": "ttl_s", "half_life": "half_life_s"}
