"""Change a policy's text and list what it sets; other settings and comments stay as they are. Pure.

Loaded only to change or to show a policy.
"""

from __future__ import annotations

from gitmem.errors import ConfigError, UsageError
from gitmem.frozen import frozen
from gitmem.policy import Policy, load
from gitmem.policy.collections import COLLECTIONS, Collection
from gitmem.policy.kinds import KINDS, ROLES, TAG_WORDS, Kind, Role, plain_row
from gitmem.policy.settings import OWN, ROWS, SECTIONS, keys_of
from gitmem.policy.template import spell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gitmem.config import Setting

# The name of a policy in messages.
POLICY_FILE = "gitmem.toml"


@frozen
class SettingLine:
    """A setting of a store, as ``gitmem.toml`` spells it.

    Attributes:
        name: Its dotted name: ``recall.dense.weight``, ``kinds.gotcha.ttl``.
        value: What counts in this store, as TOML.
        default: What counts in a store that does not set it, as TOML; empty for a tag that only this store has.
        is_set: Whether the store's policy sets it.
        about: One line of Markdown about it.
    """

    name: str
    value: str
    default: str
    is_set: bool
    about: str


def settings_of(policy: Policy) -> list[SettingLine]:
    """Return every setting of a store, in the order of the reference."""
    changed = set(_names(policy.changes))
    rows = [*_rows(policy)]
    settings = [
        SettingLine(name, spell(row, value), spell(row, default), name in changed, row.about)
        for name, row, value, default in rows
        if not row.instead
    ]
    some = rows[0][1]
    for tag, words in {**dict.fromkeys(TAG_WORDS, ()), **policy.tags}.items():
        name, default = f"tags.words.{tag}", TAG_WORDS.get(tag)
        is_set = tag in policy.changes.get("tags", {}).get("words", {})
        about = "words that give a memory this tag"
        default_words = spell(some, default) if default else ""
        settings.append(SettingLine(name, spell(some, words), default_words, is_set, about))
    return settings


def settings_named(policy: Policy, name: str) -> list[SettingLine]:
    """Return the setting with a name, or those of a table.

    Raises:
        UsageError: There is none.
    """
    lines = settings_of(policy)
    matching = [line for line in lines if line.name == name or line.name.startswith(f"{name}.")]
    if not matching:
        names = [line.name for line in lines]
        tables = dict.fromkeys(name.rpartition(".")[0] for name in names)
        raise UsageError(f"unknown setting: {name}", hint=_closest(name, [*names, *tables]))
    return matching


def with_settings(text: str, settings: str) -> str:
    """Return the text of a policy with some settings.

    Args:
        text: The policy, as TOML.
        settings: The settings, as TOML.

    Raises:
        ConfigError: The text is not a valid policy.
    """
    import tomlkit  # 30 ms, only to change a policy

    load(text, file=POLICY_FILE)
    policy = tomlkit.parse(text)
    _set_all(policy, tomlkit.parse(settings))
    return tomlkit.dumps(policy)


def with_setting(text: str, name: str, value: str) -> str:
    """Return the text of a policy with one setting.

    Args:
        text: The policy, as TOML.
        name: The setting's dotted name.
        value: TOML, or plain text: quotes and brackets that the setting needs are added.

    Raises:
        ConfigError: The text is not a valid policy.
        UsageError: The setting is unknown, it is a table, or the value is not allowed.
    """
    load(text, file=POLICY_FILE)
    if not all(name.split(".")):
        raise UsageError(f"not the name of a setting: {name!r}", hint="gitmem policy show --all lists all settings")
    if name in OWN:
        raise UsageError(f"{name} has no effect in a policy", hint=OWN[name])
    if name in SECTIONS or "." not in name:
        near = f"{name}.{next(iter(ROWS[name]))}" if ROWS.get(name) else "SETTING"
        raise UsageError(f"{name} is a table of settings", hint=f"gitmem policy set {near} VALUE")
    problem: ConfigError | None = None
    for spelled in _spellings(value):
        try:
            return _with_line(text, name, spelled)
        except ConfigError as err:
            problem = problem or err
    assert problem  # a value has at least one spelling
    raise UsageError(problem.message, hint=problem.hint) from problem


def with_more(text: str, name: str, value: str) -> str:
    """Return the text of a policy with more in a list.

    Args:
        text: The policy, as TOML.
        name: The setting's dotted name.
        value: What is added, with commas between several.

    Raises:
        ConfigError: The text is not a valid policy.
        UsageError: The setting is unknown or not a list, or a value is not allowed.
    """
    import tomlkit

    line = settings_named(load(text, file=POLICY_FILE), name)[0]
    known: Any = tomlkit.value(line.value) if line.name == name else None
    if not isinstance(known, list):
        raise UsageError(f"{name} is not a list", hint=f"gitmem policy set {name} VALUE")
    whole = dict.fromkeys((*known, *(part.strip() for part in value.split(",") if part.strip())))
    return with_setting(text, name, tomlkit.item([*whole]).as_string())


def without_setting(text: str, name: str) -> str:
    """Return the text of a policy without one setting or one table.

    Raises:
        ConfigError: The text is not a valid policy.
        UsageError: The text does not set it.
    """
    import tomlkit

    names = [*_names(load(text, file=POLICY_FILE).changes)]
    if not any(known == name or known.startswith(f"{name}.") for known in names):
        raise UsageError(f"the policy does not set {name}", hint="gitmem policy show lists what it sets")
    policy: Any = tomlkit.parse(text)
    parts = name.split(".")
    for depth in range(len(parts), 0, -1):  # and the tables that are empty without it
        table = policy
        for part in parts[: depth - 1]:
            table = table[part]
        if depth == len(parts) or not table[parts[depth - 1]]:
            del table[parts[depth - 1]]
    return tomlkit.dumps(policy)


def _with_line(text: str, name: str, spelled: str) -> str:
    """Return a policy with one setting: in its table, or in a new table at the end, which no remark follows."""
    import tomlkit
    from tomlkit.items import SingleKey, Table

    load(text, file=POLICY_FILE)
    *tables, last = (SingleKey(part) for part in name.split("."))
    line = f"[{'.'.join(key.as_string() for key in tables)}]\n{last.as_string()} = {spelled}\n"
    table: Any = tomlkit.parse(text)
    for key in tables:
        table = table.get(key.key) if isinstance(table, dict) else None
    if table is None or (isinstance(table, Table) and table.is_super_table()):
        new = f"{text.rstrip()}\n\n{line}".lstrip()
        try:
            load(new, file=POLICY_FILE)
        except ConfigError as err:
            if "is not valid TOML" not in err.message:  # it is where the text has this table in another form
                raise
        else:
            return new
    new = with_settings(text, line)
    load(new, file=POLICY_FILE)
    return new


def _spellings(value: str) -> Iterator[str]:
    """Return what a typed value can be as TOML: itself if it is TOML, a string, a list of strings.

    A bracket at its start begins a list in TOML: with an error in it, it is not split at its commas.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        tomlkit.value(value)
    except (TOMLKitError, ValueError, RecursionError):
        pass
    else:
        yield value
    yield tomlkit.item(value).as_string()
    if not value.lstrip().startswith("["):
        yield tomlkit.item([part.strip() for part in value.split(",") if part.strip()]).as_string()


def _rows(policy: Policy) -> Iterator[tuple[str, Setting, Any, Any]]:
    """Return each setting that has a row: its name, the row, its value and its default."""
    for section, rows in ROWS.items():
        holder: Any = policy
        for part in section.split("."):
            holder = getattr(holder, part)
        for key, row in rows.items():
            yield f"{section}.{key}", row, getattr(holder, row.name), row.default
    tables: tuple[tuple[str, type[object], Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("roles", Role, policy.roles, ROLES),
        ("kinds", Kind, policy.kinds, KINDS),
        ("collections", Collection, {**COLLECTIONS, **policy.collections}, COLLECTIONS),
    )
    for table, row_type, known, builtin in tables:
        for name, setting in known.items():
            default = builtin.get(name) or (plain_row(name) if row_type is Kind else row_type())
            for key, row in keys_of(row_type).items():
                yield f"{table}.{name}.{key}", row, getattr(setting, row.name), getattr(default, row.name)


def _names(settings: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Return the dotted names of the settings in a table."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _names(value, f"{before}{key}.")
        else:
            yield f"{before}{key}"


def _closest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    last = name.rpartition(".")[2]
    names = [*known]
    near = [name for name in names if name.endswith(f".{last}")] or get_close_matches(name, names, n=1, cutoff=0.0)
    return f"did you mean {near[0]}? gitmem policy show --all lists all settings"


def _set_all(table: Any, settings: Mapping[str, Any]) -> None:
    """Set the settings of a table of tomlkit, also of its tables; new ones follow its last setting."""
    from tomlkit.items import Table

    if isinstance(table, Table) and table.is_super_table():
        # It has no line of its own: this remark is of a table in it.
        table.trivia.comment_ws = table.trivia.comment = ""
    # The document holds its own lines, a table has them in its value. One that is written in several parts has none.
    holder = table if hasattr(table, "body") else table.value
    body: list[Any] = getattr(holder, "body", [])
    remarks = []
    while body and body[-1][0] is None:  # comments and blank lines at its end, which are about what follows
        remarks.append(body.pop()[1])
    for key, value in settings.items():
        if isinstance(value, dict) and isinstance(table.get(key), dict):
            _set_all(table[key], value)
        else:
            table[key] = value
    for remark in reversed(remarks):
        table.add(remark)
