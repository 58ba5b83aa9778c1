"""Check who signed commits: ssh signatures, against a list of allowed signers.

``ssh-keygen`` is called directly and not through ``git verify-commit``: git takes its program and its list from
settings that a repository brings along, and accepts a signature in the name of anyone. Sources: ssh-keygen(1), ALLOWED
SIGNERS and ``-Y verify``; gitformat-signature(5).
"""

from __future__ import annotations

import os
import tempfile
import time

from gitmem.config import git_environment, machine_identity
from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.system import process
from gitmem.system.environment import search_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitmem.git import Git

PROGRAM = "ssh-keygen"
# The namespace of git's signatures: a key that is allowed for other purposes only is refused (gpg-interface.c).
NAMESPACE = "git"
# One check takes 5 ms; one that talks to nothing cannot need longer than this.
CHECK_S = 20.0
_ARMOR = b"-----BEGIN SSH SIGNATURE-----"
_HEADERS = (b"gpgsig", b"gpgsig-sha256")
# Longer than any commit that gitmem writes; its subject and trailers are bounded.
_COMMIT_LIMIT = 1 << 20


@frozen
class CommitIdentity:
    """The parts of a commit that say who made it, as they are written in it.

    Attributes:
        commit: Its name.
        parents: Its parents, also those that a shallow clone does not have.
        author: The author's address.
        committer: The committer's address.
        at: When it was committed, epoch seconds.
        signature: Its signature; empty if there is none, or not exactly one.
        signed: What the signature is about.
    """

    commit: str
    parents: tuple[str, ...]
    author: str
    committer: str
    at: int
    signature: bytes
    signed: bytes


@frozen
class Signature:
    """Who signed a commit.

    Attributes:
        signer: The allowed signer's address; empty if no allowed signer signed it.
        why: The reason if it is empty, on one line.
    """

    signer: str
    why: str = ""


@frozen
class SignedText:
    """A text that is not a commit, with its signature.

    Attributes:
        text: What is signed.
        signature: The ssh signature, in its armor.
        signer: The address of whom it names as its signer.
    """

    text: bytes
    signature: bytes
    signer: str


class NoSignatureProgramError(ProcessError):
    """``ssh-keygen`` is missing or does not work, so that no signature can be checked."""


def is_checkable() -> bool:
    """Return whether ``ssh-keygen`` is on PATH."""
    return any(os.access(os.path.join(folder, PROGRAM), os.X_OK) for folder in search_path().split(os.pathsep))


def read_identities(git: Git, commits: Iterable[str]) -> dict[str, CommitIdentity]:
    """Return who made each commit; commits that are missing or not well formed are left out."""
    names = list(dict.fromkeys(commits))
    identities = {}
    argv = git.argv("cat-file", "--batch", "--buffer")
    lines = "".join(f"{name}\n" for name in names).encode("ascii")
    if not names:
        return {}
    with process.RunningTool(argv, env=git.environment(), input=lines) as out:
        for name in names:
            words = out.readline().split()
            if len(words) != 3 or not words[2].isdigit():
                continue
            content = out.read(int(words[2]))
            out.read(1)
            if words[1] == b"commit" and len(content) <= _COMMIT_LIMIT:
                try:
                    identities[name] = parse_commit(name, content)
                except ValueError:
                    continue
    return identities


def parse_commit(commit: str, content: bytes) -> CommitIdentity:
    """Return who made a commit, from its object.

    Raises:
        ValueError: It is not a commit.
    """
    head, _, message = content.partition(b"\n\n")
    remaining: list[bytes] = []
    values: dict[bytes, list[bytes]] = {}
    name = b""
    for line in head.split(b"\n"):
        if line.startswith(b" "):  # continues the header above
            values[name][-1] += b"\n" + line[1:]
        else:
            name, _, value = line.partition(b" ")
            values.setdefault(name, []).append(value)
        if name not in _HEADERS:
            remaining.append(line)
    (author, _), (committer, at) = _identity(values, b"author"), _identity(values, b"committer")
    signatures = [value for header in _HEADERS for value in values.get(header, ())]
    return CommitIdentity(
        *(commit, tuple(value.decode("ascii") for value in values.get(b"parent", ())), author, committer, at),
        signatures[0] if len(signatures) == 1 else b"",
        b"\n".join(remaining) + b"\n\n" + message,
    )


def _identity(values: Mapping[bytes, list[bytes]], name: bytes) -> tuple[str, int]:
    """Return the address and the time of the only author or committer."""
    if len(values.get(name, ())) != 1:
        raise ValueError(name)
    who, _, rest = values[name][0].rpartition(b"> ")
    return who.rpartition(b"<")[2].decode("utf-8", "surrogateescape"), int(rest.split(b" ")[0])


def check_signatures(
    commits: Iterable[CommitIdentity], signers: bytes, *, revoked: str = "", since: Mapping[str, int] | None = None
) -> dict[str, Signature]:
    """Return who signed each commit.

    A signature counts for the committer's address alone, and only if the author is the committer or gitmem itself, so
    that an allowed signer cannot sign in the name of another one. A key must have been valid when the commit was made.

    Args:
        commits: The commits.
        signers: The text of an allowed signers file.
        revoked: A file of revoked keys (ssh-keygen(1), ``-r``), or empty.
        since: The least time at which a commit was made, epoch seconds, by name: a commit may claim an earlier one.

    Raises:
        NoSignatureProgramError: ``ssh-keygen`` is missing or does not work.
    """
    signatures = {}
    with tempfile.TemporaryDirectory(prefix="gitmem-signers-") as folder:
        listed, signature = os.path.join(folder, "signers"), os.path.join(folder, "signature")
        _write(listed, signers)
        for commit in commits:
            if why := _refusal(commit):
                signatures[commit.commit] = Signature("", why)
                continue
            _write(signature, commit.signature + b"\n")
            at = max(commit.at, (since or {}).get(commit.commit, 0))
            options = [f"-Overify-time={time.strftime('%Y%m%d%H%M%S', time.gmtime(at))}"]
            options += ["-r", revoked] if revoked else []
            argv = [PROGRAM, "-Y", "verify", "-f", listed, "-I", commit.committer, "-n", NAMESPACE, "-s", signature]
            signatures[commit.commit] = _check([*argv, *options], commit.signed, commit.committer)
    return signatures


def check_text(signed: SignedText, signers: bytes, *, namespace: str, revoked: str = "") -> str:
    """Return why a text is not signed by an allowed signer with a key that is valid now; empty if it is.

    Args:
        signed: The text.
        signers: The text of an allowed signers file.
        namespace: The purpose of the signature.
        revoked: A file of revoked keys, or empty.

    Raises:
        NoSignatureProgramError: ``ssh-keygen`` is missing or does not work.
    """
    if not is_plain_address(signed.signer):
        return "its signer has no plain address"
    with tempfile.TemporaryDirectory(prefix="gitmem-signers-") as folder:
        listed, signature = os.path.join(folder, "signers"), os.path.join(folder, "signature")
        _write(listed, signers)
        _write(signature, signed.signature)
        argv = [PROGRAM, "-Y", "verify", "-f", listed, "-I", signed.signer, "-n", namespace, "-s", signature]
        return _check([*argv, *(["-r", revoked] if revoked else [])], signed.text, signed.signer).why


def is_plain_address(text: str) -> bool:
    """Return whether ssh-keygen can read a text only as one address, not as several or as an option."""
    return text.isprintable() and bool(text) and text[0] not in "-!" and "," not in text


def _refusal(identity: CommitIdentity) -> str:
    """Return why a commit's signature need not be checked, or an empty string."""
    if not identity.signature:
        return "it is not signed"
    if not identity.signature.startswith(_ARMOR):
        return "it is not signed with an ssh key"
    if not is_plain_address(identity.committer):
        return "its committer has no plain address"
    if identity.author not in (identity.committer, machine_identity()[1], "gitmem@localhost"):
        return f"it was committed by {identity.committer} in the name of {identity.author}"
    return ""


def _check(argv: list[str], text: bytes, signer: str) -> Signature:
    # Times without a zone are local ones.
    env = git_environment() | {"TZ": "UTC"}
    try:
        result = process.run(argv, env=env, input=text, check=False, timeout_s=CHECK_S)
    except ProcessError as err:
        message = f"cannot check signatures: {PROGRAM} is not installed or does not answer"
        raise NoSignatureProgramError(
            message, argv=argv, stderr=err.stderr, hint="install OpenSSH's client, 8.9 or later"
        ) from err
    if result.status == 0:
        return Signature(signer)
    stderr = result.stderr.decode("utf-8", "replace")
    if "usage:" in stderr or "option" in stderr:
        message = f"cannot check signatures: {PROGRAM} is too old"
        raise NoSignatureProgramError(message, argv=argv, stderr=stderr, hint="install OpenSSH's client, 8.9 or later")
    return Signature("", f"no allowed signer {signer} signed it")


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
