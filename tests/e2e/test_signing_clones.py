"""Two people who sign sync the memory of one repository, by names of either length: signed verdicts stay signed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.console import environment, run_inside
from support.signers import Signer, needs_ssh_keygen

pytestmark = needs_ssh_keygen


class Clone:
    """A person's clone of the hub."""

    def __init__(self, top: Path, who: Signer) -> None:
        self.path = top / who.email.partition("@")[0]
        git(top, "clone", "-q", "hub.git", self.path.name)
        who.configure(self.path)

    def __call__(self, *argv: str) -> str:
        done = run_inside(list(argv), self.path, environment(GITMEM_VIEW="false"))
        assert done.status == 0, (argv, done)
        return done.out

    def verdict(self, key: str) -> tuple[str, str]:
        found = json.loads(self("show", key, "--json"))
        return found["status"], found["verdict"]["signer"]


@pytest.mark.whole_system
@pytest.mark.parametrize("names", ["sha1", "sha256"])
def test_verdicts_stay_signed_when_two_signing_clones_sync(tmp_path: Path, names: str) -> None:
    ana, bob = (Signer(tmp_path, f"{name}@example.com") for name in ("ana", "bob"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", f"--object-format={names}", "hub.git")
    git(tmp_path, "init", "-q", "-b", "main", f"--object-format={names}", "seed")
    ana.configure(tmp_path / "seed")
    (tmp_path / "seed/.github").mkdir()
    (tmp_path / "seed/.github/gitmem-signers").write_text(ana.line() + bob.line())
    (tmp_path / "seed/README.md").write_text("A service.\n")
    git(tmp_path / "seed", "add", ".")
    git(tmp_path / "seed", "commit", "-qm", "begin")
    git(tmp_path / "seed", "push", "-q", "../hub.git", "main")
    one, other = Clone(tmp_path, ana), Clone(tmp_path, bob)
    one("init")
    one("policy", "set", "signatures.required", "verdicts")
    one("fact", "There is a README", "--exists", "README.md", "--key", "readme")
    one("verify", "--record")
    one("sync")
    other("init")
    other("sync")
    assert other.verdict("readme") == ("verified", "ana@example.com")

    # Both go on apart, and what they wrote is merged.
    one("fact", "It is a service", "--contains", "service", "--in", "README.md", "--key", "service")
    other("fact", "There is no licence", "--absent", "LICENSE", "--key", "licence")
    for clone in (one, other):
        clone("verify", "--record")
    for clone in (one, other, one):
        clone("sync")

    assert git(one.path, "rev-parse", "memory") == git(other.path, "rev-parse", "memory")
    assert len(git(one.path, "rev-parse", "memory")) == {"sha1": 40, "sha256": 64}[names]
    assert other.verdict("readme") == ("verified", "ana@example.com")
    assert other.verdict("service") == ("verified", "ana@example.com")
    assert one.verdict("licence") == ("verified", "bob@example.com")
