"""Where the allowed signers come from: never from the memory branch, where anyone who can push could add a key.

They are those of a reviewed file on the code's default branch, as this clone knows it, and those of git's own setting
``gpg.ssh.allowedSignersFile``. A file of the work tree is read from the default branch as well: on another branch, it
may be an unreviewed proposal.
"""

from __future__ import annotations

import os
from hashlib import blake2b

from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.git.repository import is_oid
from gitmem.git.signatures import is_checkable
from gitmem.system import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

FILE = ".github/gitmem-signers"
# Nobody reviews a longer list.
LIMIT = 1024 * 1024
# Git's settings: the list, and the revoked keys (git-config(1)).
ALLOWED, REVOKED = "gpg.ssh.allowedSignersFile", "gpg.ssh.revocationFile"


@frozen
class SignerSources:
    """The places where allowed signers are listed.

    Attributes:
        commit: The commit of the code's default branch; empty if there is none.
        paths: The files there.
        own: The file outside of the repository that git's setting names, or empty.
        revoked: The file of revoked keys, or empty.
        stamp: Differs whenever the signers may.
    """

    commit: str
    paths: tuple[str, ...]
    own: str
    revoked: str
    stamp: str


def find_sources(git: Git, reviewed: str) -> SignerSources:
    """Return where the allowed signers are listed, without starting a process if git's files are plain.

    Args:
        git: The repository.
        reviewed: The code's default branch, a full ref, or its commit; or empty.
    """
    commit = reviewed if is_oid(reviewed) else (git.read_ref(reviewed) if reviewed else None) or ""
    own, revoked = (_setting(git, name) for name in (ALLOWED, REVOKED))
    inside = _in_work_tree(git, own)
    paths = (FILE, inside) if inside and inside != FILE else (FILE,)
    own = "" if inside else own
    contents = [read_file(path) if path else b"" for path in (own, revoked)]
    known = (commit, paths, own, revoked, contents, is_checkable())
    stamp = blake2b(repr(known).encode(), digest_size=12).hexdigest()
    return SignerSources(commit, paths, own, revoked, stamp)


def read_signers(git: Git, sources: SignerSources) -> bytes:
    """Return the text of all lists, in the form of an allowed signers file; empty if there is no signer."""
    texts = [read_file(sources.own)] if sources.own else []
    for path in sources.paths if sources.commit else ():
        try:
            texts.append(git.read_blob(f"{sources.commit}:{path}", limit=LIMIT) or b"")
        except GitmemError:
            continue  # longer than any list: it allows nobody
    lines = [line.strip() for text in texts for line in text[:LIMIT].splitlines()]
    return b"".join(line + b"\n" for line in lines if line and not line.startswith(b"#"))


def _setting(git: Git, name: str) -> str:
    """Return a path from git's settings, absolute or relative to the work tree; or empty."""
    word = name.rpartition(".")[2].lower()
    return os.path.expanduser(git.config_value(name)) if git.may_be_set(word) else ""  # noqa: PTH111 - not a file


def _in_work_tree(git: Git, path: str) -> str:
    """Return a path relative to the work tree, in git's form; empty if it is outside of it."""
    if not path:
        return ""
    top = git.repository.top or ""
    if not os.path.isabs(path):  # noqa: PTH117 - git reads it relative to the top of the work tree
        relative = os.path.normpath(path)
    elif top and os.path.realpath(path).startswith(f"{os.path.realpath(top)}{os.sep}"):
        relative = os.path.relpath(os.path.realpath(path), os.path.realpath(top))
    else:
        return ""
    return "" if relative.startswith("..") else relative.replace(os.sep, "/")
