"""Find problems in the files of a change, one by one: each rule is a function that yields findings."""

from __future__ import annotations

import unicodedata

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.changes import line_of
from gitmem.document import conflict
from gitmem.document.author import agent_of, read_author
from gitmem.document.fields import strings_in
from gitmem.document.spec import check_of
from gitmem.document.times import format_time
from gitmem.errors import FormatError, RefusedError
from gitmem.model import BUILTIN, SHELL
from gitmem.statuses import SKEW_S
from gitmem.store import layout
from gitmem.store.verdicts.buckets import parse_section, split_bucket
from gitmem.text.hazards.hazard import find_hazards
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.secrets import find_secrets
from gitmem.verify.trivial import why_trivial
from gitmem.write.draft import check_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitmem.commands.review.changed_files import File, FileChanges
    from gitmem.commands.review.changes import ChangedMemory
    from gitmem.model import Document
    from gitmem.policy import Policy

    # Makes a finding about one memory: severity, code, message, line, hint.
    Finds = Callable[..., f.ReviewFinding]

# The most hidden characters and secrets named per file; the others are counted.
FINDINGS_SHOWN = 5
# Files that a forge runs or reads as settings.
OF_FORGES = (".github/", layout.GITLAB_PATH)
# The longest command that a person still reads.
MOST_COMMAND = 2000


def look_at_files(files: FileChanges, allowed: tuple[str, ...], now: int) -> Iterator[f.ReviewFinding]:
    """Yield problems of files regardless of their meaning: forbidden, invisible or secret content.

    *allowed* are the rules of the secret scan that the base's policy switches off.
    """
    judged = any(file.place is not None and file.place.what == layout.VERDICT for file in files.files)
    for file in files.files:
        if file.is_there:
            yield from _look_at_place(file, files.after(file), judged=judged)
            if not file.is_part:
                yield from _look_at_content(file, files.after(file), allowed)
            yield from _look_at_verdict(file, files.after(file), now)
    if files.left:
        message = f"{files.left} more changed files were skipped: the change is too large to review"
        yield f.ReviewFinding(f.ERROR, "not-looked-at", message, hint="split the change")


def _look_at_place(file: File, data: bytes | None, *, judged: bool) -> Iterator[f.ReviewFinding]:
    if file.problem is not None:
        code = "unknown-file" if file.problem.code == "bad-name" else file.problem.code
        message = sanitize.line(file.problem.message)
        yield f.ReviewFinding(
            f.ERROR, code, message, file.problem.key, sanitize.path(file.path), hint="remove it from the change"
        )
    elif file.path.startswith(OF_FORGES):
        text = "a workflow or other forge code: it may run with this repository's permissions"
        yield f.ReviewFinding(f.ERROR, "workflow-file", text, "", sanitize.path(file.path), hint="review it as code")
    elif file.path == layout.STATUS_PATH and file.was_there and not judged:
        text = "a status page without a new verdict: verify jobs write this page, so it was edited by hand"
        yield f.ReviewFinding(f.NOTE, "status-page", text, "", file.path)
    elif file.path == layout.ATTRIBUTES_PATH and data != layout.ATTRIBUTES.encode():
        text = "it controls how git handles every file on the branch: filters and conversions do not belong there"
        yield f.ReviewFinding(f.WARNING, "attributes-file", text, "", file.path)


def _look_at_verdict(file: File, data: bytes | None, now: int) -> Iterator[f.ReviewFinding]:
    """Yield why a verdict's file is invalid or has no effect, although it looks like a verdict."""
    if data is None or file.place is None:
        return
    errors = split_bucket(data, file.path)[1] if file.place.what == layout.BUCKET else []
    if file.place.what == layout.VERDICT:
        try:
            verdict = parse_section((file.place.key, file.place.spec), data, file.path)
            if verdict.at > now + SKEW_S:
                text = f"its verdict is dated {format_time(verdict.at)}, in the future: it does not count"
                yield f.ReviewFinding(f.WARNING, "future-verdict", text, file.place.key, file.path)
        except FormatError as wrong:
            errors = [wrong]
    for err in errors:
        text = sanitize.line(err.message)
        yield f.ReviewFinding(f.ERROR, "malformed", text, file.place.key, file.path, err.line, hint="take it out")


def _look_at_content(file: File, data: bytes | None, allowed: tuple[str, ...]) -> Iterator[f.ReviewFinding]:
    """Yield the credentials and the hidden characters in a file, by position."""
    if data is None:
        return
    key = file.place.key if file.place else ""
    path = sanitize.path(file.path)
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    secrets = [s for s in find_secrets(text) if s.rule not in allowed]
    for secret in secrets[:FINDINGS_SHOWN]:
        message = f"contains a credential ({secret.rule}) in column {secret.column}"
        hint = "remove it from every commit of the change, and revoke it: anyone who could read the change has it"
        yield f.ReviewFinding(f.ERROR, "secret", message, key, path, secret.line, hint)
    flaws = find_hidden(text)
    for flaw in flaws[:FINDINGS_SHOWN]:
        message = f"{flaw.codepoint} {flaw.name} in column {flaw.column} is invisible"
        yield f.ReviewFinding(f.ERROR, "hidden-character", sanitize.line(message), key, path, flaw.line, "take it out")
    for problems, code in ((secrets, "secret"), (flaws, "hidden-character")):
        if len(problems) > FINDINGS_SHOWN:
            yield f.ReviewFinding(f.ERROR, code, f"and {len(problems) - FINDINGS_SHOWN} more in this file", key, path)


def look_at_memory(changed: ChangedMemory, policy: Policy) -> Iterator[f.ReviewFinding]:
    """Yield problems of a memory's content under the policy after the change; none for a removed one."""
    side = changed.after
    if side is None:
        return
    if side.document is None:
        err = side.error
        text = sanitize.line(f"it is not a memory: {err.message if err else ''}")
        line, hint = (err.line or 0, sanitize.line(err.hint)) if err else (0, "")
        yield f.ReviewFinding(f.ERROR, "malformed", text, changed.key, side.file.path, line, hint)
        return

    def finding(severity: str, code: str, message: str, line: int = 0, hint: str = "") -> f.ReviewFinding:
        return f.ReviewFinding(
            severity, code, sanitize.line(message), changed.key, side.file.path, line, sanitize.line(hint)
        )

    yield from _look_at_text(side.document, side.text, finding)
    if side.is_archived:
        if not isinstance(side.document.fields.get("retired"), dict):
            yield finding(f.NOTE, "no-reason", "it is in the archive without a reason")
        return
    old = changed.old
    yield from _look_at_kind(side.document, policy, finding)
    yield from _look_at_check(side.document, None if changed.is_back else old, side.text, finding)
    agent, new = agent_of(side.document.fields), side.document
    is_said = old is None or changed.is_back or (old.title, old.body) != (new.title, new.body)
    if is_said and agent:
        yield finding(f.NOTE, "agent-written", f"written by {agent}, with no sign that a person has reviewed it")


def _look_at_text(document: Document, text: str, finding: Finds) -> Iterator[f.ReviewFinding]:
    """Yield invisible and misleading text in a memory."""
    for line, word in _mixed_words(text):
        yield finding(f.WARNING, "mixed-scripts", f"{word}: letters of several scripts that look alike", line)
    for hazard in find_hazards(text):
        yield finding(hazard.severity, hazard.code, hazard.message, hazard.line)
    # Characters from YAML escapes are not in the file's text.
    for name, value in document.fields.items():
        for part in strings_in(value):
            if part not in text and find_hidden(part):
                message = f"{name} contains an escaped invisible character"
                yield finding(f.ERROR, "hidden-character", message, line_of(text, name))
            if part not in text and find_secrets(part):
                yield finding(f.ERROR, "secret", f"a credential in {name}", line_of(text, name))
    message = conflict.summary(document.fields)
    if message:
        yield finding(f.WARNING, "to-settle", message, line_of(text, "conflict"), f"gitmem edit {document.key}")


def _look_at_kind(document: Document, policy: Policy, finding: Finds) -> Iterator[f.ReviewFinding]:
    """Yield the policy's requirements for the kind that the memory does not meet."""
    try:
        check_rules(document.key, document, policy)
    except RefusedError as err:
        yield finding(f.ERROR, "missing-metadata", err.message.removeprefix(f"{document.key}: "), 1, err.hint)


def _look_at_check(document: Document, old: Document | None, text: str, finding: Finds) -> Iterator[f.ReviewFinding]:
    """Yield problems of a check, if it is new or changed."""
    check = check_of(document)
    if check is None or (old is not None and check_of(old) == check):
        return
    line = line_of(text, "verify")
    why = why_trivial(check)
    if why:
        yield finding(f.ERROR, "trivial-check", f"its check proves nothing: {why}", line)
    if check.form == BUILTIN:
        return
    command = "\n".join(check.words)
    foreign = sorted({char for char in command if not char.isascii()})
    if foreign:
        named = ", ".join(f"U+{ord(char):04X} {unicodedata.name(char, '')}" for char in foreign[:FINDINGS_SHOWN])
        yield finding(f.WARNING, "foreign-letters", f"its command contains non-ASCII letters: {named}", line)
    if check.form == SHELL and len(command) > MOST_COMMAND:
        message = f"its command has {len(command)} characters, too many to review: move it into a file in the code"
        yield finding(f.WARNING, "long-command", message, line)


def look_at_author(changed: ChangedMemory, writers: Mapping[str, set[tuple[str, str]]]) -> Iterator[f.ReviewFinding]:
    """Yield a finding if a memory names an author who committed none of it, and that is new.

    *writers* are the names and addresses of each file's committers.
    """
    side, old = changed.after, changed.before
    if side is None or side.document is None:
        return
    by = side.document.fields.get("by")
    who = read_author(side.document.fields).who.strip()
    known = writers.get(side.file.path, set())
    if not who or not known or (old is not None and old.document and old.document.fields.get("by") == by):
        return
    if not any(_is_one(who, *person) for person in known):
        names = ", ".join(sorted(f"{name} <{address}>" for name, address in known)[:FINDINGS_SHOWN])
        message = f"it says that {who} wrote it, but it was committed by {names}"
        line = line_of(side.text, "by")
        yield f.ReviewFinding(f.WARNING, "foreign-author", sanitize.line(message), changed.key, side.file.path, line)


def _is_one(who: str, name: str, address: str) -> bool:
    """Return whether a name belongs to a committer: full name, a part of it, the address, or its part before ``@``."""
    folded = who.casefold()
    local = address.casefold().partition("@")[0].rpartition("+")[2]  # GitHub's: 123+login@users.noreply.github.com
    return folded in {name.casefold(), address.casefold(), local, *name.casefold().split()}


def _mixed_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield words that mix Latin letters with Greek or Cyrillic ones, with their lines: a few of them.

    Source: UTS #39, section 5.1, Mixed-Script Detection; these two scripts have the letters that look most like Latin.
    """
    if text.isascii():
        return
    named = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii():
            continue
        for word in _words(line):
            if not word.isascii() and len({script for char in word if (script := _script(char))}) > 1:
                yield number, word
                named += 1
                if named == FINDINGS_SHOWN:
                    return


def _words(line: str) -> list[str]:
    """Return the runs of letters in a line."""
    return "".join(char if char.isalpha() else " " for char in line).split()


def _script(char: str) -> str:
    name = unicodedata.name(char, "").split(" ", 1)[0]
    return name if name in ("LATIN", "GREEK", "CYRILLIC") else ""
