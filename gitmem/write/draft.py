"""Turn input by a person or an agent into a valid memory: title, key, tags and metadata; or refuse it.

Pure: the clock, the author and the policy are arguments.
"""

from __future__ import annotations

import unicodedata

from gitmem.document.edit import edit
from gitmem.document.fields import TITLE_LIMIT, strings_in
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse, unify
from gitmem.document.times import format_time
from gitmem.errors import FormatError, RefusedError
from gitmem.frozen import frozen
from gitmem.model import TASK
from gitmem.policy.kinds import BOARD_KINDS, KINDS, REMEMBER, nearest_kind
from gitmem.store import layout
from gitmem.text import display
from gitmem.text.budget import count_tokens
from gitmem.text.hazards.hidden_characters import find_hidden
from gitmem.text.secrets import find_secrets
from gitmem.text.slugs import KEY_TEXT, slug
from gitmem.text.tags import find_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.model import Document
    from gitmem.policy import Policy
    from gitmem.write.new_memory import NewMemory

# The characters of the hash that distinguishes two texts with one key.
HASH_TEXT = len("-") + 6
# The options for fields that a kind may require.
OPTIONS = {
    **{name: name for name in ("title", "kind", "ttl", "importance", "confidence", "task", "requires", "produces")},
    "workspace": "workspace",
    **{"tags": "tag", "paths": "path", "refs": "ref", "domains": "domain"},
}
# Similarity from which two memories are near duplicates ("similarity above 0.85").
SAME_ABOVE = 0.85
# The lines around a frontmatter in YAML and in TOML, and the sign behind its names.
_FRONTMATTERS = {"---": ":", "+++": "="}
# Fields set by the store itself: they are no difference between two texts.
ASIDE = ("by", "updated", "superseded_by")
# The history of a task, which recording the task again does not undo.
_LIFE = ("state", "claimed", "attempts", "closed")
# A check is one unit: a new command removes all fields of the old check.
_CHECK = ("verify", "refute", "timeout", "network", "env", "outside")


@frozen
class Author:
    """The author of a write.

    Attributes:
        who: The person, as git names them.
        agent: The agent, or empty.
        project: The repository's name.
        more: Further data about the agent (its role, its session), as names and values.
        top: The top folder of the current work tree, or empty.
    """

    who: str
    agent: str
    project: str
    more: tuple[tuple[str, str], ...] = ()
    top: str = ""


@frozen
class Draft:
    """A memory that has no path yet.

    Attributes:
        key: Its key.
        is_explicit: Whether the key was given explicitly: then the latest text wins.
        fields: Its frontmatter.
        body: Its body.
        made: The names of generated fields, which do not replace explicit values.
        former: The key that earlier versions gave it: a memory that still has it is updated; empty if there was none.
    """

    key: str
    is_explicit: bool
    fields: Mapping[str, Any]
    body: str
    made: tuple[str, ...] = ()
    former: str = ""

    @property
    def kind(self) -> str:
        """Return its kind."""
        return str(self.fields["kind"])


def clean_text(text: str) -> str:
    """Return a typed title, name or short text in stored form: NFC, only line feeds, stripped."""
    return clean_body(text).strip()


def clean_body(text: str) -> str:
    """Return typed text in stored form: NFC, only line feeds, stripped, except that code keeps its indentation."""
    return _trimmed(unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")))


def _trimmed(text: str) -> str:
    """Strip a text; if it has several lines, the first one keeps its indentation, which may be that of code."""
    stripped = text.strip()
    if "\n" not in stripped:
        return stripped
    text = text.rstrip()
    return text[text.rfind("\n", 0, len(text) - len(stripped)) + 1 :]


def split_title(text: str, title: str) -> tuple[str, str]:
    """Split a memory that was typed as one text into title and body.

    A single short line is a title without a body. Of a longer text the first sentence or line becomes the title, and
    the body is the whole text. Lines of dashes and a frontmatter never become the title; the body keeps a frontmatter.
    """
    if title:
        return clean_text(title), text
    text = text.strip()
    if text.startswith((*_FRONTMATTERS,)):
        after = without_frontmatter(text)
        title, body = _split(after.lstrip("- \t\n"))
        return title, body if after == text else text
    return _split(text)


def _split(text: str) -> tuple[str, str]:
    """Split a text without surrounding space into a title and a body."""
    first = text.split("\n", 1)[0].lstrip("#").strip()
    if len(first) <= TITLE_LIMIT:
        rest = _trimmed(text.split("\n", 1)[1]) if "\n" in text else ""
        return first.removesuffix(".") if not first.endswith("..") else first, rest
    sentence = first.split(". ", 1)[0]
    if len(sentence) > TITLE_LIMIT:
        # If its second half was cut, a joiner would be a hidden character.
        sentence = sentence[: TITLE_LIMIT - 1].rsplit(" ", 1)[0].rstrip("\u200c\u200d") + "…"
    return sentence, text


def without_frontmatter(text: str) -> str:
    """Return what follows the frontmatter that a text begins with; the text if it has none, or nothing follows."""
    first, *lines = text.split("\n")
    fence = first.rstrip()
    sign = _FRONTMATTERS.get(fence, "")
    end = next((at for at, line in enumerate(lines) if line.rstrip() == fence), 0) if sign else 0
    is_frontmatter = any(sign in line for line in lines[:end])
    return ("\n".join(lines[end + 1 :]).strip("-\n ") if is_frontmatter else "") or text


def make_draft(new: NewMemory, *, author: Author, policy: Policy, now: int) -> Draft:
    """Return the draft of a new memory.

    Args:
        new: What its author gives of it.
        author: Who writes.
        policy: The store's policy.
        now: Epoch seconds.

    Raises:
        RefusedError: It is empty, the key is invalid, or its collection does not accept it from this writer.
    """
    text, title, kind, key, options = new.text, new.title, new.kind, new.key, new.fields
    if kind in BOARD_KINDS and kind in policy.kinds and policy.kinds[kind] == KINDS[kind]:
        raise RefusedError(
            f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} belongs on the board of its run, not in the memory",
            hint='gitmem board signal RUN "…"' if kind == "signal" else 'gitmem board post RUN "…"',
        )
    if new.writer == REMEMBER and (near := nearest_kind(kind, policy.kinds)):
        raise RefusedError(f"unknown kind: {kind}", hint=f"--kind {near}; a new kind needs a row: gitmem policy edit")
    if policy.collections:
        from gitmem.policy.collection_rules import refuse_writer

        refuse_writer(policy, kind, new.writer)
    heading, body = split_title(clean_body(text), title)
    if not heading:
        raise RefusedError("the text is empty", hint='gitmem remember "what you learned"')
    # Before a key is made from it, because errors name the key.
    for what, typed in (("the title", title), ("the text", text), ("the key", key)):
        refuse_typed(what, clean_text(typed), policy)
    if key and not layout.is_key(key):
        raise RefusedError(
            f"invalid key {key!r}: use at most {layout.KEY_LIMIT} lower-case letters, digits, '.', '_' and '-'",
            hint=f"--key {key_from(key) or 'a-name'}",
        )
    words = find_tags(f"{heading}\n{body}", policy.tags, policy.recall.language)
    tags = list(dict.fromkeys([*options.get("tags", ()), *words]))
    fields = {"title": heading, "kind": kind, **{k: v for k, v in options.items() if v not in (None, "", [], ())}}
    fields |= {"tags": tags} if tags else {}
    if isinstance(fields.get("workspace"), str):
        fields["workspace"] = portable(fields["workspace"], author.top)
    generated = metadata(fields, author, now)
    name = key or automatic_key(kind, f"{heading} {body}" if title else without_frontmatter(clean_text(text)))
    return Draft(name, bool(key), fields | generated, body + "\n" if body else "", tuple(generated), new.former)


def portable(folder: str, top: str) -> str:
    """Return a folder by a name valid in every clone: relative to the top of the code; only its name if outside."""
    if not folder.startswith("/"):
        return folder
    bare, top = folder.rstrip("/"), top.rstrip("/")
    if bare == top:
        return "."
    return bare.removeprefix(f"{top}/") if top and bare.startswith(f"{top}/") else bare.rpartition("/")[2] or "."


def metadata(fields: Mapping[str, Any], author: Author, now: int) -> dict[str, Any]:
    """Return the required metadata that is missing and can be generated (the key is the file's own)."""
    # Names from git or of folders may contain anything, and must not block a write.
    who, project = (display(unicodedata.normalize("NFC", name)) for name in (author.who, author.project))
    by = {"who": who} | ({"agent": author.agent} if author.agent else {}) | dict(author.more)
    generated = {"importance": "medium", "project": project, "created": format_time(now), "by": by}
    return {name: value for name, value in generated.items() if name not in fields}


def automatic_key(kind: str, text: str) -> str:
    """Return the key made from a text: a slug of its beginning, without a kind that the text names first ("Task: …").

    If the text has no slug (one in Chinese), or this is not a key, it is the kind and a short hash.
    """
    label, colon, rest = text.partition(":")
    is_kind = colon and slug(label) == kind.replace("_", "-")
    candidate = slug(rest if is_kind else text, limit=KEY_TEXT)
    return candidate if layout.is_key(candidate) else f"{kind.replace('_', '-')}-{short_hash(text)}"


def key_from(text: str) -> str:
    """Return the key that a name from elsewhere becomes: itself, or a slug of it; empty if it has no letter or digit.

    A name that Windows keeps for a device gets a prefix: ``key-nul``.
    """
    if layout.is_key(text):
        return text
    candidate = slug(text, limit=layout.KEY_LIMIT - len("key-"))
    return candidate if not candidate or layout.is_key(candidate) else f"key-{candidate}"


def hashed_key(key: str, text: str, is_taken: Callable[[str], bool]) -> str:
    """Return a key followed by a short hash of a text, for a memory whose key belongs to another one."""
    stem = hashed_stem(key)
    while is_taken(found := f"{stem}-{short_hash(text)}"):
        text += "\n"
    return found


def hashed_stem(key: str) -> str:
    """Return a key without the words at its end that leave no room for a short hash."""
    limit = (KEY_TEXT if len(key) <= KEY_TEXT else layout.KEY_LIMIT) - HASH_TEXT
    stem = key[:limit]
    if key[limit : limit + 1].isalnum() and "-" in stem:
        stem = stem.rpartition("-")[0]
    return stem.rstrip("-._")


def short_hash(text: str) -> str:
    """Return six hex digits that distinguish texts with the same slug."""
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def validate_text(key: str, fields: Mapping[str, Any], body: str, *, policy: Policy, path: str) -> Document:
    """Return the memory as it will be written, or refuse it.

    Raises:
        RefusedError: It has hidden characters, a secret or an invalid field, or lacks metadata.
    """
    try:
        text = format_document(fields, body)
    except FormatError as err:
        raise RefusedError(f"{key}: {err.message}", hint=err.hint) from err
    return check_file(key, text, policy=policy, path=path, names_line=False)


def validate_draft(draft: Draft, policy: Policy) -> Document:
    """Return the memory that a draft becomes, or refuse it, with RefusedError."""
    return validate_text(draft.key, draft.fields, draft.body, policy=policy, path=f"{draft.key}.md")


def check_file(key: str, text: str, *, policy: Policy, path: str, names_line: bool = True) -> Document:
    """Return the memory in a file's text, or refuse it (hidden characters, secrets, invalid fields).

    The line of a problem is named, except where no person wrote the file: its fields came from options.
    """
    # A leading byte order mark and Windows line breaks belong to the file format; they hide nothing.
    refuse_typed(key, unify(text).removeprefix("\ufeff"), policy)
    try:
        document = parse(text, path=path)
    except FormatError as err:
        where = f"line {err.line}: " if err.line and names_line else ""
        raise RefusedError(f"{key}: {where}{err.message}", hint=err.hint) from err
    # An escape in a quoted YAML scalar can contain characters that the text itself does not show.
    for name, value in document.fields.items():
        for part in strings_in(value):
            refuse_typed(f"{key}: {name}", part, policy)
    check_rules(key, document, policy)
    return document


def check_rules(key: str, document: Document, policy: Policy) -> None:
    """Refuse a memory that lacks what the policy requires of its kind, or that supersedes or requires itself.

    Raises:
        RefusedError: It does; the message names what is missing.
    """
    if document.fields.get("superseded_by") == key:
        raise RefusedError(f"{key} cannot supersede itself")
    if key in document.strings("requires"):
        lines = (
            "--requires names another memory, on which it rests",
            f"to require nothing: gitmem edit {key} --requires ''",
        )
        raise RefusedError(f"{key} cannot require itself", hint="\n".join(lines))
    kind = policy.kind(document.kind)
    missing = [name for name in kind.required if document.fields.get(name) in (None, "", [], {})]
    if missing:
        options = " ".join(f"--{OPTIONS[name]} …" for name in missing if name in OPTIONS)
        others = ", ".join(name for name in missing if name not in OPTIONS)
        ways = [f"add {options}"] if options else []
        ways += [f"add {others} to its frontmatter: gitmem edit {key}"] if others else []
        raise RefusedError(f"{key}: a {document.kind} needs {', '.join(missing)}", hint="\n".join(ways))
    if kind.needs_verify and document.fields.get("verify") is None:
        raise RefusedError(
            f"{key}: a {document.kind} needs a check that proves it (--verify, --exists, --contains, …)",
            hint='if it cannot be checked, record another kind of memory: gitmem remember "…" --kind convention',
        )
    if policy.collections:
        from gitmem.policy.collection_rules import refuse_size

        refuse_size(policy, document.kind, lambda: count_tokens(f"{document.title}\n{document.body}"))
    if kind.needs_refs and not any(is_line_reference(ref) for ref in document.strings("refs")):
        raise RefusedError(
            f"{key}: a {document.kind} needs a reference to lines of code",
            hint="--ref src/auth/jwt.py:89-145",
        )


def refuse_project_code(kind: str, refs: Sequence[str], text: str, *, scope: str, policy: Policy) -> None:
    """Refuse code of this project in a scope that other projects read, where it would mislead.

    Raises:
        RefusedError: The kind needs code locations, its collection stays in the project, or it refers to lines of code.
    """
    from gitmem.policy.collection_rules import refuse_scope
    from gitmem.policy.collections import is_file, words_of

    refuse_scope(policy, kind, scope)
    lines = [ref for ref in refs if is_line_reference(ref)]
    lines += [word for word in words_of(text) if is_line_reference(word) and is_file(word.rpartition(":")[0])]
    if lines or policy.kind(kind).needs_refs:
        what = display(lines[0]) if lines else f"a {kind}"
        raise RefusedError(
            f"{what} is code of this project; {scope} memories are read by other projects",
            hint="use --scope project, or say what holds in every project, without code locations",
        )


def unite_fields(before: Mapping[str, Any], new: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Return the fields of a memory that was written again.

    With an explicit key the new fields win, except for generated values and links; otherwise missing fields stay, and
    lists are united.
    """
    stay = (
        ("created", "supersedes", *(_LIFE if draft.kind == TASK else ()), *draft.made) if draft.is_explicit else before
    )
    gone = ("superseded_by", "retired", "by", *(_CHECK if "verify" in new else ()))
    remaining = {name: value for name, value in before.items() if name in stay and name not in gone}
    fields = {
        **remaining,
        **{name: value for name, value in new.items() if name not in draft.made or name not in remaining},
    }
    for name, value in new.items():
        if isinstance(value, list) and name in remaining and name != "verify":
            listed = [remaining[name]] if isinstance(remaining[name], str) else remaining[name]
            fields[name] = list(dict.fromkeys([*listed, *value]))
    return fields


def refuse_typed(what: str, text: str, policy: Policy) -> None:
    """Refuse a text that a commit must not contain: hidden characters, secrets.

    Raises:
        RefusedError: It contains some; the message does not repeat them.
    """
    refuse_hidden(what, text)
    refuse_secrets(what, text, policy)


def is_line_reference(ref: str) -> bool:
    """Return whether *ref* is ``path:line`` or ``path:line-line``."""
    path, _, lines = ref.rpartition(":")
    numbers = lines.split("-")
    # `https://example.org:8080` has the same ending, but no line.
    are_numbers = all(n.isdigit() and n.isascii() and int(n) > 0 for n in numbers)
    return bool(path) and "://" not in path and len(numbers) <= 2 and are_numbers


def refuse_hidden(key: str, text: str) -> None:
    """Refuse a text with characters that readers cannot see."""
    flaws = find_hidden(text)
    if flaws:
        first = flaws[0]
        more = f", and {len(flaws) - 1} more" if len(flaws) > 1 else ""
        raise RefusedError(
            f"{key}: line {first.line}, column {first.column} has {first.name} ({first.codepoint}){more}",
            hint="remove the invisible characters; a memory is read by people and agents",
        )


def refuse_secrets(key: str, text: str, policy: Policy) -> None:
    """Refuse a text with a secret; the message never repeats the secret."""
    secrets = [s for s in find_secrets(text) if s.rule not in policy.secrets.allow]
    if secrets:
        places = ", ".join(f"{s.rule} in line {s.line}" for s in secrets[:5])
        raise RefusedError(
            f"{key}: it seems to contain a secret ({places}); nothing was written",
            hint="remove the secret; if it ever left this machine, revoke it",
        )


def with_fields(text: str, changes: Mapping[str, Any], path: str, *, body: str | None = None) -> str:
    """Return a file's text with some fields changed and the rest unchanged.

    Raises:
        RefusedError: The form of the frontmatter cannot be changed safely.
    """
    try:
        return edit(parse(text, path=path), dict(changes), body)
    except FormatError as err:
        message = f"{path.removesuffix('.md')}: {err.message}"
        raise RefusedError(message, hint=err.hint, quoted=err.message) from err
