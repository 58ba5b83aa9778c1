"""Sign the commits of a store with the person's ssh key, as git is set up to sign theirs.

``git fast-import`` signs nothing: it writes the objects, and ``git commit-tree`` makes the signed commit of its tree.
"""

from __future__ import annotations

import os

from gitmem.config import BOOLEANS, git_environment
from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git.repository import Unsure
from gitmem.system.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# Deleted by the same stream that names it, so that it never exists.
REF = "refs/gitmem/signing"
# Nobody can type a passphrase into a hook: without an agent that has the key, signing fails at once (ssh-keygen(1)).
_NO_PROMPT = {"SSH_ASKPASS": "false", "SSH_ASKPASS_REQUIRE": "force"}
_PROGRAM = "ssh-keygen"
# A key in an agent answers at once, and one on a card after a touch.
SIGN_S = 20.0


@frozen
class UnsignedCommit:
    """A commit to be signed.

    Attributes:
        tree: Its tree.
        parents: Its parents.
        author: Its author's name and address: gitmem itself for what it found.
        message: Its message.
        now: Its time, epoch seconds.
    """

    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str]
    message: str
    now: int


def signs(git: Git) -> bool:
    """Return whether git is set up to sign commits with an ssh key; starts no process if its files are plain."""
    if not git.may_be_set("gpgsign") or not git.may_be_set("signingkey"):
        return False
    if git.config_value("gpg.format") != "ssh" or not git.config_value("user.signingKey"):
        return False
    if BOOLEANS.get(git.config_value("commit.gpgSign").lower()):
        return True
    # gitmem itself switches signing off on git's command line, for the objects that it does not sign.
    output = git.run("config", "--show-scope", "--type=bool", "--get-all", "commit.gpgSign", check=False).stdout
    values = [line.split()[1] for line in output.splitlines() if not line.startswith(b"command")]
    return values[-1:] == [b"true"]


def reset(git: Git, tip: str | None) -> bytes:
    """Return the end of a stream that deletes the ref of its commit again (git-fast-import(1), reset)."""
    length = len(tip) if tip else 64 if git.text("rev-parse", "--show-object-format") == "sha256" else 40
    return f"reset {REF}\nfrom {'0' * length}\n\n".encode("ascii")


def sign(git: Git, commit: UnsignedCommit) -> str:
    """Write a signed commit, and return its name; the person is the committer, for whom the key stands.

    Raises:
        ProcessError: It could not be signed.
    """
    name, email = git.identity()
    stamp = f"{commit.now} +0000"
    who = {"GIT_AUTHOR_NAME": commit.author[0], "GIT_AUTHOR_EMAIL": commit.author[1], "GIT_AUTHOR_DATE": stamp}
    who |= {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email, "GIT_COMMITTER_DATE": stamp}
    behind = [word for parent in commit.parents for word in ("-p", parent)]
    safe = ("-c", f"gpg.ssh.program={_program(git)}", "-c", "i18n.commitEncoding=UTF-8")
    argv = (*safe, "commit-tree", "-S", *behind, "-F", "-", commit.tree)
    result = git.run(
        *argv, input=commit.message.encode("utf-8", "replace"), check=False, durable=True, more=who | _NO_PROMPT
    )
    if result.status != 0:
        stderr = result.stderr.decode("utf-8", "replace")
        lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in stderr.split("\n") if line.strip()]
        raise ProcessError(
            f"the commit could not be signed, nothing was changed: {lines[0] if lines else 'git said nothing'}",
            argv=list(argv),
            status=result.status,
            stderr=stderr,
            hint="load the key of user.signingKey into the agent: ssh-add",
        )
    return result.stdout.decode("ascii").strip()


def sign_text(git: Git, text: bytes, namespace: str) -> bytes:
    """Return the person's ssh signature of a text, by the key with which git signs; empty if git uses no ssh key.

    Raises:
        ProcessError: It could not be signed.
    """
    key = os.path.expanduser(git.config_value("user.signingKey"))
    if not key or git.config_value("gpg.format") != "ssh":
        return b""
    import tempfile  # 4 ms (measured), and only where a text is signed

    with tempfile.TemporaryDirectory(prefix="gitmem-sign-") as folder:
        place = os.path.join(folder, "text")
        with open(place, "wb") as file:
            file.write(text)
        options = []
        if key.startswith(("key::", "ssh-", "ecdsa-", "sk-")):  # the key itself, which the agent has (git-config(1))
            literal, key, options = key.removeprefix("key::"), os.path.join(folder, "key"), ["-U"]
            with open(key, "w", encoding="utf-8") as written:
                written.write(f"{literal}\n")
        argv = [_program(git), "-Y", "sign", "-n", namespace, "-f", key, *options, place]
        run(argv, env=git_environment() | _NO_PROMPT, timeout_s=SIGN_S)
        with open(f"{place}.sig", "rb") as file:
            return file.read()


def _program(git: Git) -> str:
    """Return the program that signs: the person's own setting; a repository cannot name one."""
    try:
        programs = [
            value for name, value, is_own in git.plain_settings("gpg", "ssh") if name == "program" and not is_own
        ]
    except Unsure:
        return _PROGRAM
    return programs[-1] if programs else _PROGRAM
