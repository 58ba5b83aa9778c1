"""`recall --near FILE` without a question lists what an agent is shown when it touches the file, all of it."""

from __future__ import annotations

from support.facts import make_memory, put

PLACE = "src/gateway/retry.py"


def test_memories_about_the_file_are_listed_best_first(memory, repo, run_cli) -> None:
    put(
        repo,
        make_memory("exact", "Bursts are dropped", paths=[PLACE]),
        make_memory("folder", "Retries stay", kind="decision", paths=["src/**"]),
        make_memory("text", f"{PLACE} is generated", kind="learned"),
        make_memory("other", "The door is red"),
    )

    done = run_cli("recall", "--near", PLACE)

    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["exact", "folder", "text"]
    assert run_cli("recall", "--near", PLACE, "--kind", "decision").out.startswith("folder\t")
    assert run_cli("recall", "--near", "src/other.md").out.startswith("folder\t")


def test_a_question_only_prefers_them(memory, repo, run_cli) -> None:
    put(repo, make_memory("door", "The door is red"), make_memory("exact", "Bursts are dropped", paths=[PLACE]))

    assert run_cli("recall", "door", "--near", PLACE).out.startswith("door\t")
    assert run_cli("recall").status == 2
