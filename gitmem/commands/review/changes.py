"""Describe the change of each memory in words, fields and commands, not lines, and that of each setting."""

from __future__ import annotations

import json

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.word_diff import diff
from gitmem.document.author import read_author
from gitmem.document.parse import parse
from gitmem.document.spec import check_of, describe_variables, format_check, spec_hash, spec_of
from gitmem.errors import FormatError, GitmemError
from gitmem.frozen import frozen
from gitmem.model import BUILTIN
from gitmem.policy import Policy, builtin, load
from gitmem.store.layout import MEMORY, POLICY_LIMIT
from gitmem.store.scopes import POLICY_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from gitmem.commands.review.changed_files import File, FileChanges
    from gitmem.commands.review.word_diff import PairBudget
    from gitmem.git import Git
    from gitmem.model import Document, Spec

# Fields that are not shown by name and value; and in a new memory, these as well.
_OWN = frozenset(("title", "verify", "retired", "updated"))
_OF_NEW = frozenset(("kind", "by", "created", "project", "refute", "network", "env", "timeout"))
# The most characters shown of an unreadable file.
RAW_KEPT = 2000
# The most characters shown of a field's value.
VALUE_KEPT = 1000
# Settings that affect trust, commands or reviews.
TRUSTED_SETTINGS = ("verify.", "signatures.", "secrets.", "duplicates.", "review.", "check.", "kinds.")
# The setting that is a command, shown in full like other commands.
SETUP_SETTING = "verify.setup"


@frozen
class MemoryVersion:
    """One state of a memory.

    Attributes:
        file: Its file.
        document: Its content; None if it cannot be read.
        text: The file's text, as far as it can be decoded.
        error: Why it cannot be read.
    """

    file: File
    document: Document | None
    text: str
    error: FormatError | None = None

    @property
    def is_archived(self) -> bool:
        """Return whether its file is in the archive."""
        return self.file.place is not None and self.file.place.archived


@frozen
class ChangedMemory:
    """One memory in both states; at least one of them exists."""

    key: str
    before: MemoryVersion | None
    after: MemoryVersion | None

    @property
    def is_back(self) -> bool:
        """Return whether it was retired and has been restored: its text may not have been reviewed meanwhile."""
        was, now = self.before, self.after
        return was is not None and was.is_archived and now is not None and not now.is_archived

    @property
    def old(self) -> Document | None:
        """Return its former content; None if there was none, or it could not be read."""
        return self.before.document if self.before else None

    @property
    def new(self) -> Document | None:
        """Return its present content; None if there is none, or it cannot be read."""
        return self.after.document if self.after else None

    @property
    def side(self) -> MemoryVersion:
        """Return its present state, or the last one."""
        side = self.after or self.before
        assert side is not None, "it differs, so it exists in one of them"
        return side


def read_memories(files: FileChanges) -> list[ChangedMemory]:
    """Return the memories that differ, by key; one with only a new key is returned by that key."""
    old = _sides(files, [file for file in files.files if file.was_there], files.before, lambda file: file.before)
    new = _sides(files, [file for file in files.files if file.is_there], files.after, lambda file: file.after)
    memories = [ChangedMemory(key, old.get(key), new.get(key)) for key in sorted({*old, *new})]
    return _join_renamed(memories)


def _sides(
    files: FileChanges, among: Iterable[File], content: Callable[[File], bytes | None], oid: Callable[[File], str]
) -> dict[str, MemoryVersion]:
    sides: dict[str, MemoryVersion] = {}
    for file in among:
        if file.place is None or file.place.what != MEMORY or not oid(file):
            continue
        data = content(file)
        # Of two files with one key the live one counts, as for readers (`catalog.update.settle_keys`).
        if data is None or (file.place.key in sides and file.place.archived):
            continue
        sides[file.place.key] = _side(file, data)
    return sides


def _side(file: File, data: bytes) -> MemoryVersion:
    text = data.decode("utf-8", "surrogateescape")
    try:
        return MemoryVersion(file, parse(data, path=file.path), text)
    except FormatError as err:
        return MemoryVersion(file, None, text, err)


def _join_renamed(memories: list[ChangedMemory]) -> list[ChangedMemory]:
    """Join deleted and new memories with the same content."""
    gone = {_content_of(m.old): m for m in memories if m.after is None and m.old}
    joined, dropped = list[ChangedMemory](), set[str]()
    for memory in memories:
        new = memory.new if memory.before is None else None
        old = gone.pop(_content_of(new), None) if new is not None else None
        if old is not None:
            dropped.add(old.key)
            memory = ChangedMemory(memory.key, old.before, memory.after)  # noqa: PLW2901 - it is one change
        joined.append(memory)
    return [memory for memory in joined if memory.key not in dropped or memory.after is not None]


def _content_of(document: Document) -> tuple[str, str, str]:
    return document.kind, document.title, document.body.strip()


def change_of(changed: ChangedMemory, policies: tuple[Policy, Policy], budget: PairBudget) -> f.MemoryChange:
    """Return the change of one memory, in clean texts; ``checks.with_commands`` adds the history of its command."""
    side, old, new = changed.side, changed.old, changed.new
    shown = new or old
    what, because = _event(changed)
    if shown is None or (changed.after is not None and new is None):
        raw = sanitize.text(side.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
        excerpt = raw if len(raw) <= RAW_KEPT else raw[: RAW_KEPT - 1] + "…"
        return f.MemoryChange(f.UNREADABLE, changed.key, "", changed.key, side.file.path, raw=excerpt)
    author = read_author(shown.fields)
    return f.MemoryChange(
        what,
        changed.key,
        sanitize.line(shown.kind),
        sanitize.line(shown.title),
        side.file.path,
        changed.before.file.path if changed.before and changed.before.file.path != side.file.path else "",
        sanitize.line(because),
        sanitize.line(author.label),
        sanitize.line(author.agent),
        diff(sanitize.text(old.title), sanitize.text(new.title), budget) if old and new else (),
        _body(old, new, budget),
        tuple(_fields(old.fields if old else {}, new.fields if new else {})) if new else (),
        _command(old, new, policies, is_back=changed.is_back) if new else None,
    )


def _event(changed: ChangedMemory) -> tuple[str, str]:
    """Return what happened, and the words for it."""
    before, after = changed.before, changed.after
    if after is None:
        return f.DELETED, ""
    fields = after.document.fields if after.document else {}
    if after.is_archived and (before is None or not before.is_archived):
        return f.RETIRED, _why(fields)
    if before is None:
        return f.ADDED, ""
    if changed.is_back:
        return f.RESTORED, ""
    if before.document and before.document.key != changed.key:
        return f.RENAMED, f"was {before.document.key}"
    old = before.document.fields if before.document else {}
    if fields.get("superseded_by") and fields.get("superseded_by") != old.get("superseded_by"):
        return f.SUPERSEDED, f"by {fields['superseded_by']}"
    if before.text == after.text:
        return f.MOVED, f"from {before.file.path}"
    return f.CHANGED, ""


def _why(fields: Mapping[str, Any]) -> str:
    """Return who retired a memory, and why."""
    retired = fields.get("retired")
    if not isinstance(retired, dict):
        return ""
    who, why = read_author(retired).label, str(retired.get("why") or "")
    return ": ".join(part for part in (f"by {who}" if who else "", why) if part)


def _body(old: Document | None, new: Document | None, budget: PairBudget) -> tuple[f.WordRun, ...]:
    if new is None:
        return ()
    text = sanitize.text(new.body).strip()
    if old is None:
        return (f.WordRun(f.NEW, text),) if text else ()
    return diff(sanitize.text(old.body), text, budget)


def _fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[f.FieldChange]:
    """Yield the changed fields that are not shown otherwise; for a new memory, all of them."""
    for name in dict.fromkeys((*new, *old)):
        if name not in _OWN and (old or name not in _OF_NEW) and old.get(name) != new.get(name):
            yield field_change(name, old.get(name), new.get(name))


def field_change(name: str, before: Any, after: Any, *, limit: int = VALUE_KEPT) -> f.FieldChange:
    """Return a changed field, with limited length of each value; for two lists, only the elements of each."""
    if isinstance(before, list) and isinstance(after, list):
        gone, new = [v for v in before if v not in after], [v for v in after if v not in before]
        if gone or new:  # otherwise only their order differs
            before, after = gone or None, new or None
    return f.FieldChange(sanitize.line(name), _value(name, before, limit), _value(name, after, limit))


def _value(name: str, value: Any, limit: int) -> str:
    if value in (None, [], {}):
        return ""
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        text = ", ".join(value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    # With its name, on which the detection of credentials may depend. Ends of lines are visible, so that text after a
    # comment is not mistaken for one.
    text = sanitize.text(f"{name}: {text}").partition(":")[2].strip().replace("\n", "\\n")
    return sanitize.line(text, limit=limit)


def specs_of(document: Document, policy: Policy) -> Spec | None:
    """Return the complete specification of a memory's check, as it is run; None if it has none."""
    how = policy.verify
    return spec_of(document, setup=how.setup, default_timeout_s=how.timeout_s, folders=how.folders)


def _command(
    old: Document | None, new: Document, policies: tuple[Policy, Policy], *, is_back: bool
) -> f.CheckCommand | None:
    """Return the check if it, or anything that is part of running it, is new, changed, or restored."""
    spec = specs_of(new, policies[1])
    if spec is None:
        return None
    was = specs_of(old, policies[0]) if old and check_of(old) else None
    if was is not None and spec_hash(was) == spec_hash(spec) and not is_back:
        return None
    before = sanitize.text(format_check(was.check)).rstrip("\n") if was is not None else ""
    text = sanitize.text(format_check(spec.check)).rstrip("\n")
    return f.CheckCommand(spec.check.form, text, before if before != text else "", asks_of(spec), "", "")


def asks_of(spec: Spec) -> tuple[str, ...]:
    """Return the parts of running a check besides its command, one line each."""
    lines = [f"counterexample: {sanitize.text(spec.refute)}"] if spec.refute else []
    if spec.check.form == BUILTIN:
        return tuple(lines)
    lines += [f"setup: {sanitize.text(spec.setup)}"] if spec.setup else []
    lines += ["the network"] if spec.network else []
    lines += [f"the {describe_variables(spec)}"] if spec.variables else []
    lines += [f"the folders {sanitize.line(', '.join(spec.folders))}"] if spec.folders else []
    return (*lines, f"a time limit of {spec.timeout_s} s")


def line_of(text: str, name: str) -> int:
    """Return the line where a field of the frontmatter begins; 0 if unknown."""
    starts = (f"{name}:", f'"{name}":', f"{json.dumps(name)} :")
    return next((at for at, line in enumerate(text.split("\n"), 1) if line.startswith(starts)), 0)


def policy_at(git: Git, commit: str) -> tuple[Policy, str]:
    """Return the policy of a commit of the store, and why it cannot be read; in that case the built-in policy."""
    if not commit:
        return builtin(), ""
    try:
        content = git.read_blob(f"{commit}:{POLICY_PATH}", limit=POLICY_LIMIT)
        return (load(content.decode("utf-8"), file=POLICY_PATH) if content else builtin()), ""
    except (GitmemError, UnicodeDecodeError) as err:
        return builtin(), sanitize.line(str(err))


def list_settings(before: Policy, after: Policy) -> tuple[f.FieldChange, ...]:
    """Return the differing settings of two policies, by name."""
    old, new = dict(_flat(before.changes)), dict(_flat(after.changes))
    return tuple(
        field_change(name, old.get(name), new.get(name), limit=POLICY_LIMIT if name == SETUP_SETTING else VALUE_KEPT)
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    )


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def look_at_policy(settings: tuple[f.FieldChange, ...], problem: str) -> Iterator[f.ReviewFinding]:
    """Yield findings about changes of the policy."""
    if problem:
        message = f"{problem}: the built-in policy would be used"
        yield f.ReviewFinding(f.ERROR, "bad-policy", sanitize.line(message), "", POLICY_PATH)
    for setting in settings:
        message = f"{setting.name}: {setting.before or 'default'} → {setting.after or 'default'}"
        if setting.name == SETUP_SETTING:  # first: the rest may be long
            message = f"runs before every command, so that each must be approved again: {message}"
        is_trusted = setting.name.startswith(TRUSTED_SETTINGS)
        code = "policy-trust" if is_trusted else "policy"
        yield f.ReviewFinding(f.WARNING if is_trusted else f.NOTE, code, sanitize.line(message), "", POLICY_PATH)
