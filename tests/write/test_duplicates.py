"""Duplicates are found with few queries, refused with all ways to proceed, or added to the existing memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files
from support.branch import fields_of, memory_files
from support.catalogs import catalog_of
from support.each import each
from support.embedded_store import make_model, set_up

from gitmem.errors import DuplicateError
from gitmem.memory import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.write.duplicates import NewText, find_duplicate

SAID = "The gateway drops requests without a trace id"
NEARLY = "The gateway drops any request without a trace id"


def found(files: dict[str, str], title: str = SAID, **options: object) -> str:
    """Return the key of the memory that says it, or an empty string."""
    new = NewText(title, "", options.pop("fields", {}))  # type: ignore[arg-type]
    one = find_duplicate(catalog_of(files), new, 0.85, **options)  # type: ignore[arg-type]
    return one.key if one else ""


@each(
    ("text", "says"),
    [
        ("the gateway drops requests, without a TRACE id!", True),
        (NEARLY, True),
        ("The gateway drops requests with a trace id", False),
        ("The gateway drops responses without a trace id", False),
        ("Deploys need VPN", False),
        ("of the and", False),
        ("", False),
    ],
)
def test_same_and_nearly_the_same_are_found_and_others_are_not(text: str, says: bool) -> None:
    files = {"gotchas/a.md": memory_text(SAID), "gotchas/b.md": memory_text("Kafka consumers must be idempotent")}

    assert found(files, text) == ("a" if says else "")


def test_words_of_title_and_body_count_together() -> None:
    files = {"gotchas/a.md": memory_text("The gateway drops requests", body="without a trace id")}

    assert found(files) == "a"


def test_retired_and_superseded_ones_are_found_by_their_very_words_only() -> None:
    gone = memory_text(SAID, retired='{when: "2026-01-01T00:00:00Z"}')

    assert found({"archive/gotchas/a.md": gone}) == "a"
    assert found({"archive/gotchas/a.md": gone}, NEARLY) == ""
    assert found({"gotchas/a.md": memory_text(SAID, superseded_by="b")}, NEARLY) == ""
    assert found({"archive/gotchas/a.md": memory_text(SAID, retired="{why: rotated}")}) == ""


def test_tasks_sessions_and_what_is_superseded_by_it_are_not_compared() -> None:
    assert found({"tasks/a.md": memory_text(SAID, kind="task")}) == ""
    assert found({"gotchas/a.md": memory_text(SAID)}, fields={"kind": "session"}) == ""
    assert found({"gotchas/a.md": memory_text(SAID)}, fields={"supersedes": ["a"]}) == ""
    assert found({"gotchas/a.md": memory_text(SAID)}, apart=("a",)) == ""


def test_facts_with_different_checks_are_no_near_duplicates() -> None:
    files = {"facts/a.md": memory_text(SAID, kind="fact", verify="grep -q trace src/gateway.py")}

    assert found(files, NEARLY, fields={"verify": "grep -q id src/gateway.py"}) == ""
    assert found(files, NEARLY, fields={"verify": "grep -q trace src/gateway.py"}) == "a"


def test_meaning_brings_more_but_another_number_is_another_claim() -> None:
    files = {
        "gotchas/a.md": memory_text("Requests lacking a trace identifier are discarded 3 times"),
        "gotchas/b.md": memory_text("Requests that lack a trace identifier are discarded 5 times"),
    }

    def similar(_: str) -> list[tuple[str, float]]:
        return [("b", 0.97), ("a", 0.91), ("gone", 0.99)]

    assert found(files, "The gateway drops any lacking a trace id 3 times", similar=similar) == "a"
    assert found(files, "The gateway drops any lacking a trace id 3 times", similar=lambda _: [("a", 0.8)]) == ""


def test_few_memories_of_many_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"gotchas/k{n}.md": memory_text(f"The gateway drops requests of team {n}") for n in range(300)}
    catalog, asked = catalog_of(files), []
    catalog.connection.set_trace_callback(asked.append)

    one = find_duplicate(catalog, NewText("The gateway drops requests of the team 7", "", {}), 0.85)

    assert one is not None
    assert one.key == "k7"
    assert len([one for one in asked if not one.startswith("--")]) <= 4


def test_refusal_names_the_memory_its_status_and_every_way_on(memory: Memory, run_cli, repo: Path) -> None:  # type: ignore[no-untyped-def]
    memory.remember(SAID, key="trace", kind="gotcha")

    done = run_cli("remember", NEARLY)

    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"gitmem: error: trace says nearly the same thing (0.99): {SAID}\n"
        "  hint: replace it: --supersedes trace; keep both: --force\n"
    )
    assert list(memory_files(repo)) == ["gotchas/trace.md"]
    assert run_cli("remember", NEARLY, "--supersedes", "trace").status == 0
    assert run_cli("remember", SAID, "--key", "again").status == 2
    assert run_cli("remember", SAID, "--key", "again", "--force").status == 0


def test_fact_is_refused_before_its_check_is_run_and_with_what_the_other_ones_check_says(memory: Memory) -> None:
    memory.fact("Tokens are signed with RS256", verify={"exists": "src/auth/jwt.py"}, key="tokens")

    with pytest.raises(DuplicateError) as refused:
        memory.fact("Tokens are signed with RS256", verify={"contains": "nosuch", "in": "src/**"}, key="other")

    assert (refused.value.key, refused.value.status, refused.value.likeness) == ("tokens", "verified", 1.0)
    assert str(refused.value.message).endswith("(verified)")


def test_edit_may_not_make_a_memory_say_what_another_one_says(memory: Memory) -> None:
    memory.remember(SAID, key="a")
    memory.remember("Deploys need VPN", key="b")

    with pytest.raises(DuplicateError, match="a says nearly the same thing"):
        memory.edit("b", fields={"title": NEARLY}, body=None, approve=False)

    memory.edit("b", fields={"tags": ["ops"]}, body=None, approve=False)
    memory.edit("b", fields={"title": NEARLY}, body=None, approve=False, force=True)
    memory.edit("b", fields={"title": f"{NEARLY}."}, body="", approve=False, force=True)


def test_two_homes_know_of_each_other(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="a")
    with pytest.raises(DuplicateError, match="a already says this"):
        memory.remember("Deploys need VPN", key="b", in_tree=True)
    memory.remember(SAID, key="c", in_tree=True)

    with pytest.raises(DuplicateError, match="c already says this"):
        memory.remember(SAID, key="d", in_tree=True)
    git(repo, "add", "-f", ".memory")
    git(repo, "commit", "-qm", "memory")
    with Memory(repo) as fresh, pytest.raises(DuplicateError, match="c already says this"):
        fresh.remember(SAID, key="e")


@pytest.mark.parametrize(("threshold", "refused"), [("1", False), ('"off"', False), ("0.5", True)])
def test_policy_says_what_is_alike(memory: Memory, repo: Path, threshold: str, refused: bool) -> None:
    put_files(repo, {"gitmem.toml": f"[duplicates]\nthreshold = {threshold}\n", "gotchas/a.md": memory_text(SAID)})

    if refused:
        with pytest.raises(DuplicateError):
            memory.remember(NEARLY)
    else:
        memory.remember(NEARLY)


def test_batch_adds_to_the_memory_that_says_it(memory: Memory, repo: Path) -> None:
    memory.remember(SAID, key="a", refs=["README.md:1"])

    with memory.bulk.batch() as batch:
        batch.remember(f"{SAID}!", key="b", refs=["README.md:9"])
        batch.remember("Deploys need VPN", key="c")

    changes = batch.flush()
    assert [(change.key, change.is_folded) for change in changes] == [("a", True), ("c", False)]
    assert fields_of(repo, changes[0].path)["refs"] == ["README.md:1", "README.md:9"]
    assert fields_of(repo, changes[0].path)["title"] == SAID


def test_what_is_captured_again_is_added_and_its_words_stay_in_the_history(memory: Memory, repo: Path) -> None:
    memory.remember(SAID, key="a")
    memory.capture(NEARLY, refs=["commit:1234567"])
    memory.capture(f"{SAID}.", kind="gotcha")

    memory.captures.drain()

    [path] = memory_files(repo)
    assert (fields_of(repo, path)["title"], fields_of(repo, path)["refs"]) == (SAID, ["commit:1234567"])
    assert f"a was repeated:\n    {NEARLY}" in git(repo, "log", "-1", "--format=%B", "memory")


def test_duplicate_by_meaning_is_refused_if_a_model_is_set_up(repo: Path, tmp_path: Path) -> None:
    set_up(repo, make_model(tmp_path / "tiny"))
    with Memory(repo) as memory:
        memory.remember("Login", key="login")
        memory.vectors.rebuild()

        with pytest.raises(DuplicateError, match=r"(sso|login) says nearly the same thing \(0\.99\)"):
            memory.remember("Authentication")
        memory.remember("Authentication 2")


WRITER = """
import sys
from gitmem import Memory
from gitmem.plugins.import_.run import Sources
from gitmem.errors import DuplicateError
with Memory(".") as memory:
    try:
        print(memory.remember("The gateway drops requests without a trace id", kind=sys.argv[1]).key)
    except DuplicateError as err:
        print("refused", err.key)
"""


def test_of_several_that_say_the_same_at_once_one_is_kept_and_the_others_are_reported(
    memory: Memory, repo: Path
) -> None:
    memory.remember("Deploys need VPN")
    kinds = ("learned", "gotcha", "pattern")

    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, kind], cwd=repo, stdout=subprocess.PIPE, text=True)
        for kind in kinds
    ]
    message = sorted(child.communicate()[0].strip() for child in children)

    [kept] = [line for line in message if not line.startswith("refused")]
    assert message == sorted([kept, f"refused {kept}", f"refused {kept}"])
    assert len(memory_files(repo)) == 2


def test_near_duplicates_are_reported_by_the_stems_of_the_stores_language(repo: Path) -> None:
    put_files(repo, {"gitmem.toml": '[recall]\nlanguage = "german"\n'})

    with Memory(repo) as memory:
        memory.remember("Alte Häuser am Fluss heizen wir im Winter nicht")
        with pytest.raises(DuplicateError):
            memory.remember("Altes Haus am Fluss heizen wir im Winter nicht")


SWAPPED = ("Use tabs and not spaces in Makefiles here", "Use spaces and not tabs in Makefiles here")


def test_correction_that_swaps_two_words_is_written_and_leaves_the_older_memory_alone(memory: Memory) -> None:
    older = memory.remember(SWAPPED[0])
    before = memory.show(older.key).document

    corrected = memory.remember(SWAPPED[1])

    assert corrected.key != older.key
    assert memory.show(older.key).document == before


@pytest.mark.parametrize("way", ["remember", "import"])
def test_texts_that_begin_alike_and_differ_in_a_number_are_two_memories(
    memory: Memory, way: str, tmp_path: Path
) -> None:
    stem = "The retry limit of the mailer in the billing service of the shop is"
    assert len(stem) > 60  # the keys made from both are the same
    texts = [f"{stem} 3", f"{stem} 5"]

    if way == "remember":
        for text in texts:
            memory.remember(text)
    else:
        lines = tmp_path / "texts.jsonl"
        lines.write_text("".join(json.dumps({"content": text}) + "\n" for text in texts))
        memory.bulk.import_files(Sources((str(lines),)))

    assert [
        memory.repository.catalog().row("SELECT count(*) FROM memory WHERE title = ?", (text,))[0] for text in texts
    ] == [1, 1]
