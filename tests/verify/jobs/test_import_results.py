"""Results of other machines: what fits the store and the code here is written down, nothing is run or believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, tip
from support.facts import BETWEEN, DAY, approve_all, commit_later, count_commits, make_fact, put, statuses, verify
from support.ids import id_of

from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.repository.approvals import approve_command
from gitmem.verify.jobs import import_results
from gitmem.verify.jobs.shards import Shard
from gitmem.verify.overview.stock import Stock

RS256 = {"contains": "RS256", "in": "src/auth/*.py"}


@pytest.fixture
def machines(memory: Memory, repo: Path):
    """Return two clones with a fact of each form; the first one judges, the second one records."""
    commit_later(repo, {"broken": ""})  # after the facts were written
    echo = "test ! -e broken || { echo '::error::pwned ##[add-mask]'; exit 1; }"
    put(
        repo,
        make_fact("builtin", RS256),
        make_fact("fails", echo, paths=["README.md", "broken"], created=BETWEEN),
        make_fact("shell", "grep -q service README.md", paths=["README.md"]),
        make_fact("waits", "make"),
    )
    with Memory(shutil.copytree(repo, repo.parent / "judge"), clock=lambda: float(NOW)) as judge:
        for due in judge.repository.commands(["fails", "shell"]):
            approve_command(judge.repository, due)
        yield judge, memory


def judged(judge: Memory, path: Path, **options) -> list[dict]:
    verify(judge, results=str(path), **options)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rewrite(path: Path, rows: list[dict]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_results_are_written_instead_of_the_branch_and_count_after_recording(machines, repo, tmp_path, run_cli) -> None:
    judge, memory = machines
    before, commits = tip(repo), count_commits(repo)
    rows = judged(judge, tmp_path / "part")
    assert tip(repo.parent / "judge") == before
    assert [(row["key"], row["outcome"]) for row in rows[1:]] == [
        ("builtin", "holds"), ("fails", "fails"), ("shell", "holds"), ("waits", "skipped")
    ]  # fmt: skip

    done = memory.jobs.import_results([str(tmp_path / "part")])

    assert (done.taken, done.unlearnt) == (("builtin", "fails", "shell"), (("waits", "skipped"),))
    assert count_commits(repo) == commits + 1
    assert statuses(memory) == {"builtin": "verified", "fails": "failed", "shell": "verified", "waits": "unproven"}
    assert not memory.show("shell").document["verdict"]["own"]
    assert "##[" not in git(repo, "show", "memory:STATUS.md")
    again = run_cli("verify", "--record-results", str(tmp_path / "part"))
    assert (again.status, tip(repo)) == (1, done.recorded.commit)


def test_shards_come_together_in_one_commit_and_a_missing_one_is_named(machines, repo, tmp_path) -> None:
    judge, memory = machines
    before = count_commits(repo)
    paths = [str(tmp_path / str(number)) for number in (1, 2)]
    for number, path in enumerate(paths, 1):
        verify(judge, results=path, shard=Shard(number, 3), everything=True)

    done = memory.jobs.import_results(paths)

    assert done.missing == ("3/3",)
    assert count_commits(repo) == before + 1
    assert len(done.taken) + len(done.unlearnt) < 5


def test_shards_that_one_clone_judged_in_turn_are_taken_whole(machines, tmp_path) -> None:
    judge, memory = machines
    paths = [str(tmp_path / str(number)) for number in (1, 2, 3)]
    for number, path in enumerate(paths, 1):
        verify(judge, results=path, shard=Shard(number, 3), everything=True)

    done = memory.jobs.import_results(paths)

    assert (done.taken, done.unlearnt) == (("builtin", "fails", "shell"), (("waits", "skipped"),))
    assert (done.missing, done.skipped) == ((), ())


def test_clone_that_ran_the_shards_records_them_itself(memory, repo, tmp_path) -> None:
    put(repo, make_fact("builtin", RS256), make_fact("shell", "grep -q service README.md", paths=["README.md"]))
    approve_all(memory)
    rows = judged(memory, tmp_path / "part")

    done = memory.jobs.import_results([str(tmp_path / "part")])
    again = memory.jobs.import_results([str(tmp_path / "part")])

    assert (len(rows) - 1, done.taken, done.skipped) == (2, ("builtin", "shell"), ())
    assert (bool(done.recorded.commit), again.recorded.commit) == (True, "")
    assert memory.show("shell").document["verdict"]["own"]


def test_result_file_keeps_since_when_a_fact_is_unsteady(machines, repo, tmp_path) -> None:
    judge, memory = machines
    rows = judged(judge, tmp_path / "part")
    good = git(repo, "rev-parse", "HEAD")
    said = {"flapping": 10, "attempt": "unsteady since X: 4 of 8 runs fail there", "attempt_at": rows[3]["at"]}
    rows[3] |= said | {"culprit": good, "alike": 0}
    rows[2] |= {"attempt": "not flapping"}

    memory.jobs.import_results([rewrite(tmp_path / "part", rows)])

    shown = {key: memory.show(key).document["verdict"] for key in ("shell", "fails")}
    assert (shown["shell"]["attempt"], shown["shell"]["culprit"]) == (said["attempt"], good)
    assert shown["fails"].get("attempt", "") == ""


UNFIT: list[tuple[dict[str, object], str]] = [
    ({"key": "unknown"}, "no such fact"),
    ({"spec": "0" * 64}, "is different here"),
    ({"claim": "0" * 64}, "is different here"),
    ({"inputs": "files:0"}, "inputs are different"),
    ({"sandbox": "builtin"}, "it was not judged the way such a check is judged"),
    ({"sandbox": ""}, "it was not judged the way such a check is judged"),
    ({"at": "2027-09-21T14:13:20Z"}, "future"),
]


def test_line_that_does_not_fit_is_skipped_and_the_others_are_taken(machines, tmp_path) -> None:
    judge, memory = machines
    head, _, fails, shell, _ = judged(judge, tmp_path / "part")

    reasons = []
    for changes, _ in UNFIT:
        done = memory.jobs.import_results([rewrite(tmp_path / "part", [head | {"facts": 1}, shell | changes])])
        reasons.append((done.taken, *done.skipped))
    done = memory.jobs.import_results([rewrite(tmp_path / "part", [head | {"facts": 2}, fails, shell | UNFIT[1][0]])])

    wanted = [(changes.get("key", "shell"), reason) for changes, reason in UNFIT]
    assert [(document[1][0], reason) for document, (_, reason) in zip(reasons, wanted, strict=True)] == wanted
    assert all(
        document[0] == () and reason in document[1][1] for document, (_, reason) in zip(reasons, UNFIT, strict=True)
    )
    assert done.taken == ("fails",)


def test_builtin_check_is_answered_again(machines, tmp_path) -> None:
    judge, memory = machines
    rows = judged(judge, tmp_path / "part")
    rows[1] |= {"outcome": "fails"}

    done = memory.jobs.import_results([rewrite(tmp_path / "part", rows)])

    assert done.skipped == (("builtin", "the check gives a different answer here"),)
    others_well = replace(done, standing=Stock({}, {"failed": 0, "suspect": 0}, ()))
    assert [import_results.exit_status(others_well, fail_on=on) for on in ("failed", "news", "never")] == [1, 1, 0]


def test_policy_decides_whether_a_claim_counts(machines, repo, tmp_path) -> None:
    judge, memory = machines
    judged(judge, tmp_path / "part")
    put(repo, {"gitmem.toml": '[verify]\nmin_sandbox = "landlock"\n'})

    done = memory.jobs.import_results([str(tmp_path / "part")])

    assert done.taken == ("builtin",)
    assert {why for _, why in done.skipped} == {"the policy does not accept it"}


def test_contradiction_and_repetition_are_refused(machines, repo, tmp_path, run_cli) -> None:
    judge, _ = machines
    rows = judged(judge, tmp_path / "one")
    rows[3] |= {"outcome": "fails"}
    rewrite(tmp_path / "two", [rows[0] | {"facts": 1}, rows[3]])

    ran = run_cli(
        "verify", "--json", *(word for name in ("one", "two") for word in ("--record-results", str(tmp_path / name)))
    )

    document = json.loads(ran.out)
    assert (ran.status, document["taken"]) == (2, ["builtin", "fails"])
    assert document["skipped"] == [
        {"key": "shell", "short_id": id_of("shell"), "reason": "it is judged more than once"}
    ]


def test_file_of_another_history_is_refused_and_the_good_one_recorded(machines, repo, tmp_path, run_cli) -> None:
    judge, _ = machines
    rows = judged(judge, tmp_path / "good")
    rewrite(tmp_path / "code", [rows[0] | {"code": "0" * 40}, *rows[1:]])
    rewrite(tmp_path / "memory", [rows[0] | {"memory": git(repo, "rev-parse", "HEAD")}, *rows[1:]])

    ran = run_cli("verify", "--record-results", *(str(tmp_path / name) for name in ("code", "memory", "good")))

    assert (ran.status, ran.err.count("is refused")) == (2, 2)
    assert "3 accepted, 1 not checked there, 2 files refused" in ran.out
    assert [line for line in (ran.out + ran.err).split("\n") if line.lstrip().startswith("::") or "##[" in line] == []


def test_older_code_counts_for_what_did_not_change_since(machines, repo, tmp_path) -> None:
    judge, memory = machines
    code = judged(judge, tmp_path / "part")[0]["code"]
    commit_files(repo, {"src/auth/jwt.py": "EdDSA\n"})

    done = memory.jobs.import_results([str(tmp_path / "part")])

    assert done.taken == ("fails", "shell")
    assert done.skipped == (("builtin", "its inputs are different here"),)
    assert memory.show("shell").document["verdict"]["commit"] == code


def test_later_verdict_of_the_branch_is_kept(machines, repo, tmp_path) -> None:
    judge, _ = machines
    judged(judge, tmp_path / "part")
    with Memory(repo, clock=lambda: float(NOW + DAY)) as later:
        approve_all(later)
        verify(later, "shell")

        done = later.jobs.import_results([str(tmp_path / "part")])

    assert dict(done.skipped) == {"shell": "there is already a verdict that is as new"}


def test_elsewhere_than_on_the_default_branch_nothing_is_recorded(machines, repo, tmp_path, run_cli) -> None:
    judge, _ = machines
    judged(judge, tmp_path / "part")
    git(repo, "switch", "-q", "-c", "side")

    refused = run_cli("verify", "--record-results", str(tmp_path / "part"))
    meant = run_cli("verify", "--record", "--record-results", str(tmp_path / "part"))

    assert (refused.status, meant.status) == (3, 1)
    assert "results are recorded on the default branch, but HEAD is on another one" in refused.err


def test_culprit_and_last_good_commit_are_not_believed(machines, repo, tmp_path) -> None:
    judge, memory = machines
    rows = judged(judge, tmp_path / "part")
    rows[2] |= {"culprit": "1" * 40, "culprit_after": "2" * 40, "held_commit": "3" * 40, "because": "\x1b]52;c;x\x07no"}

    memory.jobs.import_results([rewrite(tmp_path / "part", rows)])

    names = git(repo, "ls-tree", "-r", "--name-only", "memory").split("\n")
    verdict = git(repo, "show", next(f"memory:{name}" for name in names if "/fails." in name))
    assert not any(word in verdict for word in ("1" * 40, "2" * 40, "3" * 40, "52;c", "\\u001b"))
