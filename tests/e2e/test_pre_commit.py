"""The hooks that are offered to pre-commit: the manifest is one, and pre-commit runs its entries."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from conftest import git, put_files
from e2e.console import SCRIPTS, environment, run

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
PRE_COMMIT = SCRIPTS / "pre-commit"


@pytest.fixture
def configured(memory, repo: Path, tmp_path: Path) -> dict[str, str]:
    """Configure both hooks in the repository as local ones of the system; return the environment."""
    hooks = [{**hook, "language": "system"} for hook in yaml.safe_load(MANIFEST.read_text())]
    (repo / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": hooks}]}))
    git(repo, "add", ".pre-commit-config.yaml")
    return environment(PRE_COMMIT_HOME=str(tmp_path / "pre-commit"))


def test_manifest_is_one_for_pre_commit(tmp_path: Path) -> None:
    done = run([str(PRE_COMMIT), "validate-manifest", str(MANIFEST)], tmp_path)

    assert (done.status, done.err) == (0, ""), done


def test_doctor_passes_a_well_formed_memory_and_fails_one_that_cannot_be_read(
    configured: dict[str, str], repo: Path
) -> None:
    argv = [str(PRE_COMMIT), "run", "gitmem-doctor"]
    fine = run(argv, repo, env=configured)
    put_files(repo, {"learned/b.md": "---\ntitle: [\n---\n"})

    broken = run(argv, repo, env=configured)

    assert (fine.status, fine.out.count("Passed")) == (0, 1), fine
    assert broken.status == 1
    assert "learned/b.md" in broken.out


def test_index_is_brought_up_to_date_after_a_checkout(configured: dict[str, str], repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    words = ["--hook-stage", "post-checkout", "--from-ref", head, "--to-ref", head, "--checkout-type", "1"]

    done = run([str(PRE_COMMIT), "run", "gitmem-index", *words], repo, env=configured)

    assert done.status == 0, done
    assert (repo / ".git" / "gitmem" / "catalog.sqlite").exists()
