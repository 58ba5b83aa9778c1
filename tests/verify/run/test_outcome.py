"""What each way of ending shows, and the words that say why."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.model import BLOCKED, FAILS, HOLDS, PROGRAM, SHELL, Check, Ran, Spec
from gitmem.verify.run.outcome import UNCLEAR, argv_of, is_chosen, outcome_of, show_errors

SPEC = Spec(Check(SHELL, ("make",)), interpreter="sh", timeout_s=7)


def ran(status, output="", **fields) -> Ran:
    return Ran(status, fields.pop("timed_out", False), output, False, 0.1, **fields)


@each(
    ("found", "outcome", "why"),
    [
        pytest.param(ran(0), HOLDS, "", id="0"),
        pytest.param(ran(0, "permission denied: operation not permitted"), HOLDS, "", id="0-whatever-it-says"),
        pytest.param(ran(1), FAILS, "exit 1", id="1"),
        pytest.param(ran(1, "version is 3\nbye\n\n"), FAILS, "exit 1: version is 3", id="1-with-words"),
        pytest.param(ran(2), FAILS, "exit 2", id="2"),
        pytest.param(
            ran(2, 'a.sh: 3: Syntax error: "(" unexpected'),
            FAILS,
            'exit 2: a.sh: 3: Syntax error: "(" unexpected',
            id="script",
        ),
        pytest.param(ran(125), BLOCKED, "it cannot say (exit 125)", id="125"),
        pytest.param(ran(125, "no docker here"), BLOCKED, "it cannot say (exit 125): no docker here", id="125-why"),
        pytest.param(ran(126), UNCLEAR, "the command could not be run (exit 126)", id="126"),
        pytest.param(ran(127, "sh: 1: nope: not found"), UNCLEAR, "sh: 1: nope: not found", id="127"),
        pytest.param(ran(128), FAILS, "exit 128", id="128"),
        pytest.param(ran(137), UNCLEAR, "killed by a signal (exit 137)", id="137"),
        pytest.param(ran(129), UNCLEAR, "killed by a signal (exit 129)", id="129"),
        pytest.param(ran(192), UNCLEAR, "killed by a signal (exit 192)", id="192"),
        pytest.param(ran(193), FAILS, "exit 193", id="193"),
        pytest.param(ran(255), FAILS, "exit 255", id="255"),
        pytest.param(ran(-9), UNCLEAR, "killed by a signal (exit -9)", id="signal"),
        pytest.param(ran(None), UNCLEAR, "killed by a signal (exit None)", id="never-told"),
        pytest.param(ran(-9, timed_out=True), UNCLEAR, "timed out after 7 s", id="timeout"),
        pytest.param(ran(1, problem="interrupted"), BLOCKED, "interrupted", id="interrupted"),
        pytest.param(
            ran(None, problem="x: no such program on PATH"), UNCLEAR, "x: no such program on PATH", id="problem"
        ),
        pytest.param(ran(0, problem="interrupted"), BLOCKED, "interrupted", id="problem-and-0"),
        pytest.param(None, BLOCKED, "", id="nothing"),
    ],
)
def test_outcome_follows_from_how_the_run_ended(found, outcome, why):
    assert outcome_of(found, SPEC, "none", "") == (outcome, why)


@each(
    ("command", "shown"),
    [
        ("! python3 a.py 2>/dev/null", "! python3 a.py "),
        ("! python3 a.py >/dev/null 2>&1", "! python3 a.py >/dev/null "),
        ("node a.js &>/dev/null || exit 1", "node a.js >/dev/null || exit 1"),
        ("node a.js |& grep -q x", "node a.js | grep -q x"),
        ("node a.js 2>> err.log | grep -q x", "node a.js  | grep -q x"),
        ("node a2>out", None),
        ("node a.js >out", None),
        ("! grep -q x f 2>/dev/null", None),
    ],
)
def test_check_that_hides_messages_is_run_with_them(command, shown):
    found = show_errors(Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=20))

    assert (found.check.words[0] if found else None) == shown


def test_run_that_could_not_be_prepared_is_blocked():
    assert outcome_of(ran(1), SPEC, "none", "the disk is full") == (BLOCKED, "the disk is full")


def test_setup_that_fails_is_unclear_whatever_it_exits_with():
    spec = Spec(Check(SHELL, ("make",)), interpreter="sh", timeout_s=7, setup="npm ci")

    assert outcome_of(ran(1, "no network", is_setup=True), spec, "none", "") == (
        *(UNCLEAR, "the policy's setup (npm ci) failed: exit 1: no network"),
    )


def test_reason_says_whether_the_check_chose_its_exit_status():
    assert is_chosen(outcome_of(ran(1, "no"), SPEC, "none", "")[1])
    assert not any(is_chosen(outcome_of(ran(status), SPEC, "none", "")[1]) for status in (126, 127, 137, -9))


@each(
    "said",
    [
        "curl: (6) Could not resolve host: example.org",
        "Read-only file system",
        "connect: Network is unreachable",
        'Exception in thread "main" java.net.UnknownHostException: repo.example.org',
        "npm error request to https://registry.example/a failed, reason: getaddrinfo EAI_AGAIN registry.example",
    ],
)
def test_denial_by_the_sandbox_is_unclear_and_a_failure_without_one(said):
    assert outcome_of(ran(1, said), SPEC, "landlock", "")[0] == UNCLEAR
    assert outcome_of(ran(1, said), SPEC, "bubblewrap", "")[0] == UNCLEAR
    assert outcome_of(ran(1, said), SPEC, "none", "")[0] == FAILS
    assert "network: true" in outcome_of(ran(1, said), SPEC, "landlock", "")[1]
    many = ran(1, f"error: 2 steps failed\n{said}\nsee the log")
    assert f"the sandbox blocked it: {said}" in outcome_of(many, SPEC, "landlock", "")[1]


@each("rung", ["landlock", "none"])
@each(
    "said",
    [
        "sh: 1: Cannot fork",
        "bash: fork: retry: Resource temporarily unavailable",
        "RuntimeError: can't start new thread",
        "tar: a: Cannot write: No space left on device",
        "OSError: [Errno 24] Too many open files: 'x'",
    ],
)
def test_shortage_of_the_machine_is_unclear_in_every_sandbox(said, rung):
    assert outcome_of(ran(1, f"building\n{said}\n"), SPEC, rung, "") == (
        *(UNCLEAR, f"this machine ran out of a resource: {said}"),
    )


def test_command_is_handed_to_the_shell_whole_and_a_program_to_no_one():
    assert argv_of(SPEC) == ("sh", "-c", "make")
    assert argv_of(Spec(Check(PROGRAM, ("a b", "$x;")))) == ("a b", "$x;")


@each(
    ("rung", "said", "outcome"),
    [
        ("landlock", "cp: cannot create 'x': Permission denied", UNCLEAR),
        ("bubblewrap", "cp: cannot create 'x': Permission denied", UNCLEAR),
        ("bubblewrap", "cp: setting attributes: Operation not supported", UNCLEAR),
        ("none", "cp: cannot create 'x': Permission denied", FAILS),
        ("bubblewrap", "cp: cannot create 'x': Read-only file system", UNCLEAR),
        ("seatbelt", "cp: x: Operation not permitted", UNCLEAR),
        ("none", "cp: x: Operation not permitted", FAILS),
    ],
)
def test_denial_by_a_sandbox_is_not_a_failure_on_any_rung(rung, said, outcome):
    spec = Spec(Check(SHELL, ("x",)), timeout_s=1)

    assert outcome_of(ran(1, said), spec, rung, "")[0] == outcome


@each(
    ("command", "reason"),
    [
        ("diff <(sort a) <(sort b)", "put bash syntax in bash -c"),
        ("npm test", "a script of the code that only bash can read"),  # which npm runs with `sh -c`
    ],
)
def test_syntax_is_that_of_the_check_only_if_sh_cannot_read_it(command, reason):
    spec = Spec(Check(SHELL, (command,)), interpreter="sh", timeout_s=7)

    found, why = outcome_of(ran(2, 'sh: 1: Syntax error: "(" unexpected'), spec, "none", "")

    assert (found, reason in why) == (UNCLEAR, True)


@each("message", ["dial tcp: lookup e.example: server misbehaving", "curl: (6) Could not resolve host: e.example"])
def test_negated_check_that_holds_without_the_network_needs_it(message):
    spec = Spec(Check(SHELL, ("! helm search hub e | grep -q x",)), interpreter="sh", timeout_s=7)

    found, why = outcome_of(ran(0, message), spec, "none", "")

    assert (found, why.partition(",")[0]) == (BLOCKED, "it needs the network")
