"""A memory's check, and the hashes that tie a verdict and an approval to it."""

from __future__ import annotations

from gitmem.document.builtin_checks import mapping_of, words_of
from gitmem.document.fields import is_newer, parse_timeout
from gitmem.document.variables import variables_of
from gitmem.model import BUILTIN, PROGRAM, SHELL, Check, Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gitmem.model import Document


def check_of(document: Document) -> Check | None:
    """Return the check of a parsed memory; None if it has none, or was written for a newer version."""
    verify = document.fields.get("verify")
    if verify is None or is_newer(document.fields):
        return None
    if isinstance(verify, str):
        return Check(SHELL, (verify,))
    if isinstance(verify, list):
        return Check(PROGRAM, tuple(verify))
    return Check(BUILTIN, words_of(verify))


def spec_of(document: Document, *, setup: str, default_timeout_s: int, folders: tuple[str, ...]) -> Spec | None:
    """Return the complete specification of a memory's check, or None if it has no check.

    Args:
        document: A parsed memory.
        setup: The policy's ``setup`` command, part of every specification that starts a process.
        default_timeout_s: The policy's time limit in seconds, for a memory without one.
        folders: The policy's folders of the work tree that a check sees: a permission, hence part of it.
    """
    check = check_of(document)
    if check is None:
        return None
    fields = document.fields
    refute = fields.get("refute") or ""
    if check.form == BUILTIN:
        return Spec(check, refute=refute)
    timeout = fields.get("timeout")
    return Spec(
        check,
        setup=setup,
        interpreter="sh" if check.form == SHELL else "",
        timeout_s=default_timeout_s if timeout is None else parse_timeout(timeout),
        network=fields.get("network") is True,
        refute=refute,
        folders=folders,
        outside=fields.get("outside") is True,
        variables=variables_of(fields),
    )


def own_spec(document: Document) -> Spec | None:
    """Return the memory's own part of the specification, without the policy's, to compare two texts of a memory."""
    return spec_of(document, setup="", default_timeout_s=1, folders=())


def spec_hash(spec: Spec) -> str:
    """Return the SHA-256 of a specification, 64 hex digits: equal only for equal specifications."""
    words = spec.check.words
    run = (spec.setup, spec.interpreter, str(spec.timeout_s), str(spec.network), spec.refute)
    folders = ("folders", *spec.folders) if spec.folders else ()  # earlier hashes stay valid
    outside = ("outside",) if spec.outside else ()  # a change that declares this excuses itself, so it is another check
    variables = ("variables", *spec.variables) if spec.variables else ()
    version = "gitmem-spec-1"
    if {"outside", "variables"} & {*spec.folders}:
        # A folder could be read as the word after the folders: all lists get their length.
        version = "gitmem-spec-2"
        folders = ("folders", str(len(spec.folders)), *spec.folders)
        variables = ("variables", str(len(spec.variables)), *spec.variables)
    return _hash(version, (spec.check.form, str(len(words)), *words, *run, *folders, *outside, *variables))


def claim_hash(document: Document) -> str:
    """Return the SHA-256 of a memory's claim, its title and body, 64 hex digits.

    The form of line breaks does not matter, nor do line breaks around the body: an editor that changes them does not
    change the claim.
    """
    title = document.fields.get("title")
    body = document.body.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return _hash("gitmem-claim-1", (title if isinstance(title, str) else "", body))


def format_check(check: Check) -> str:
    """Return a check on one line, as a person would type it; control characters are kept."""
    if check.form == SHELL:
        return check.words[0]
    if check.form == PROGRAM:
        return " ".join(_quoted(word) for word in check.words)
    fields = mapping_of(check.words).items()
    return f"{{{', '.join(f'{name}: {_listed(value)}' for name, value in fields)}}}"


def format_spec(spec: Spec) -> str:
    """Return everything that is run, on one line, in the form of the check; control characters are kept."""
    more = [f"setup: {spec.setup}"] if spec.setup else []
    more += [f"counterexample: {spec.refute}"] if spec.refute else []
    more += [f"sees {', '.join(spec.folders)}"] if spec.folders else []
    more += [f"sees the {describe_variables(spec)}"] if spec.variables else []
    more += ["with the network"] if spec.network else []
    more += ["about the world outside"] if spec.outside else []
    return format_check(spec.check) + "".join(f"  [{part}]" for part in more)


def describe_variables(spec: Spec) -> str:
    """Return the variables that a check sees, as text: ``variables A, B``."""
    return f"variable{'s' * (len(spec.variables) > 1)} {', '.join(spec.variables)}"


def _listed(value: Any) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, list) else "true" if value is True else str(value)


def _quoted(word: str) -> str:
    plain = word and all(c.isalnum() or c in "@%+=:,./-_" for c in word)
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"


def _hash(version: str, parts: Iterable[str]) -> str:
    # Each part is preceded by its length: joined by a separator, two different lists could give one text.
    from gitmem.text.sha256 import sha256  # only for a fact

    digest = sha256()
    for part in (version, *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
