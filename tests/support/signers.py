"""People with ssh keys, and commits that they sign."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files, tip

from gitmem.commands.policy import change_policy
from gitmem.policy.edit import with_setting

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


class Signer:
    """A person with a key of their own."""

    def __init__(self, folder: Path, email: str) -> None:
        """Make the key in a folder."""
        self.email = email
        self.key = folder / f"key-{email.partition('@')[0]}"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", email, "-f", self.key], check=True)

    def line(self, options: str = "", *, principal: str = "") -> str:
        """Return the line of an allowed signers file that allows the key."""
        words = (self.key.parent / f"{self.key.name}.pub").read_text(encoding="ascii").split()
        return " ".join(filter(None, (principal or self.email, options, *words[:2]))) + "\n"

    def settings(self) -> list[str]:
        """Return git's options with which this person signs."""
        pairs = {"gpg.format": "ssh", "user.signingKey": f"{self.key}.pub", "user.name": self.email.partition("@")[0]}
        return [
            word for name, value in {**pairs, "user.email": self.email}.items() for word in ("-c", f"{name}={value}")
        ]

    def configure(self, repo: Path) -> None:
        """Have this person work and sign in a repository."""
        for pair in (*self.settings()[1::2], "commit.gpgSign=true"):
            name, _, value = pair.partition("=")
            subprocess.run(["git", "config", name, value], cwd=repo, check=True)

    def commit(
        self,
        repo: Path,
        tree: str,
        *parents: str,
        signs: bool = True,
        author: str = "",
        at: int = NOW,
        message: str = "x",
    ) -> str:
        """Make a commit of a tree as this person, signed or not, and return it."""
        stamp = f"{at} +0000"
        env = {**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        env |= {"GIT_AUTHOR_EMAIL": author or self.email}
        behind = [word for parent in parents for word in ("-p", parent)]
        argv = ["git", *self.settings(), "commit-tree", *(["-S"] if signs else []), *behind, "-m", message, tree]
        return subprocess.run(argv, cwd=repo, env=env, check=True, capture_output=True, text=True).stdout.strip()


def allow(repo, *lines: str) -> None:
    """List the allowed signers on the code's default branch."""
    commit_files(repo, {".github/gitmem-signers": "".join(lines)}, "allow signers")


def ask(memory, *what: str) -> None:
    """Have the policy ask for signatures."""
    change_policy(memory.repository, lambda text: with_setting(text, "signatures.required", ",".join(what)), "ask")


def forget(memory, repo) -> None:
    """Forget what this clone judged itself, so that the verdicts on the branch are claims."""
    memory.close()
    for local in (repo / ".git/gitmem").glob("local.sqlite*"):
        local.unlink()


def push(repo, files: dict, who: Signer | None = None, **how) -> str:
    """Write files onto the memory branch in a commit of this person, or unsigned, and return the commit."""
    before = tip(repo)
    commit = put_files(repo, files)
    if who is not None:
        commit = who.commit(repo, git(repo, "rev-parse", f"{commit}^{{tree}}"), before, **how)
        git(repo, "update-ref", "refs/heads/memory", commit)
    return commit
