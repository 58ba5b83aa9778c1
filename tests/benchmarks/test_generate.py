"""The generator: the same bytes for the same seed, in the layout of the design, true to what it says of the code."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from benchmarks import codebase, generate

CODE = codebase.code_files(80, 1)


def git(path: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", *args], cwd=path, env=generate.environment(), check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("generated")
    generate.make_code(path, 80)
    generate.make_store(path, 2000, files=80)
    return path


@pytest.mark.whole_system
def test_same_seed_gives_the_same_commits_and_another_one_does_not(repository: Path, tmp_path: Path) -> None:
    generate.make_code(tmp_path, 80)
    generate.make_store(tmp_path, 2000, files=80)

    assert git(tmp_path, "rev-parse", "main", "memory") == git(repository, "rev-parse", "main", "memory")

    generate.make_store(tmp_path / "other", 100, seed=2, files=80)
    generate.make_store(tmp_path / "first", 100, seed=1, files=80)
    assert git(tmp_path / "other", "rev-parse", "memory") != git(tmp_path / "first", "rev-parse", "memory")


def test_repository_is_sound_and_its_work_tree_clean(repository: Path) -> None:
    assert git(repository, "fsck", "--strict", "--no-progress") == ""
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "rev-list", "--count", "memory").strip() == "2"


def test_folders_past_the_limit_are_split_by_the_hash_of_the_key(repository: Path) -> None:
    paths = git(repository, "ls-tree", "-r", "--name-only", "memory").split()
    sizes = Counter(path.split("/")[0] for path in paths)
    assert len(paths) == 2000
    assert min(sizes.values()) <= generate.SPLIT_ABOVE < max(sizes.values())

    for path in paths:
        folder, *shard, name = path.split("/")
        digits = sha256(name.removesuffix(".md").encode()).hexdigest()[:2]
        assert shard == ([digits] if sizes[folder] > generate.SPLIT_ABOVE else [])


def test_kinds_and_sizes_are_those_of_a_teams_store() -> None:
    made = list(generate.iter_memories(3000, 1, code=CODE, mix=generate.MIX, end=generate.END))

    shares = Counter(memory.kind for memory in made)
    assert all(abs(shares[kind] / 3000 - share) < 0.03 for kind, share in generate.MIX.items())
    sizes = [len(memory.body) for memory in made]
    assert sum(300 <= size <= 900 for size in sizes) > 0.99 * len(sizes)
    assert len({memory.key for memory in made}) == 3000
    assert max(memory.created for memory in made) - min(memory.created for memory in made) > 360 * 86400


def test_links_lead_to_memories_of_the_store_and_both_ways() -> None:
    made = {m.key: m for m in generate.iter_memories(3000, 1, code=CODE, mix=generate.MIX, end=generate.END)}

    linked = [memory for memory in made.values() if memory.links]
    assert len(linked) > 200
    for memory in linked:
        assert all(key in made for key in memory.links.values())
        if "supersedes" in memory.links:
            assert made[memory.links["supersedes"]].links["superseded_by"] == memory.key


def test_facts_hold_except_for_the_few_that_should_not() -> None:
    texts = {file.path: file.text for file in CODE}
    made = list(generate.iter_memories(4000, 1, code=CODE, mix=generate.FACTS_ONLY, end=generate.END))

    false = [memory.key for memory in made if not holds(memory.check, texts)]

    assert 0 < len(false) < 4000 * codebase.BROKEN_SHARE * 2


def holds(check: dict[str, str], texts: dict[str, str]) -> bool:
    """Judge a built-in check without any code of gitmem."""
    name, wanted = next(iter(check.items()))
    if name in ("exists", "absent"):
        return (wanted in texts) == (name == "exists")
    folder, _, last = check["in"].rpartition("/")
    seen = [text for path, text in texts.items() if path == check["in"] or ("*" in last and path.startswith(folder))]
    assert seen, check
    if name == "matches":
        return any(re.search(wanted, text) for text in seen)
    if name == "same":
        return sha256(seen[0].encode()).hexdigest() == wanted
    return any(wanted in text for text in seen) == (name == "contains")
