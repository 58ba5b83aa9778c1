"""What the output of a failed command says, and which memories speak of it."""

from __future__ import annotations

from support.each import each

from gitmem.agents.moments.output import (
    Failure,
    command_runs,
    error_line,
    hides_status,
    informative_lines,
    may_have_failed,
)

PYTEST = """\
E       fixture 'frozen_clock' not found
>       available fixtures: cache, capfd

/repo/tests/test_rates.py:1
=========================== short test summary info ===========================
ERROR test_rates.py::test_steps
1 error in 0.05s"""
NODE = """\
node:internal/modules/cjs/loader:1143
Error: Cannot find module 'left-pad'
Require stack:
- /app/index.js"""
GO = "--- FAIL: TestExplain (0.01s)\n    explain_test.go:31: plan differs\nFAIL\nFAIL\tshop/query\t0.040s\nFAIL"
CODED = "\x1b[31m ERR_PNPM_OUTDATED_LOCKFILE \x1b[0m Cannot install with frozen-lockfile"
REDIS = "Traceback (most recent call last):\nredis.exceptions.ConnectionError: Error 111 connecting to localhost:6379."
LOCK = "django.db.utils.OperationalError: canceling statement due to lock timeout"
RUFF = """\
E501 Line too long (101 > 88)
   --> src/completion.py:253:89
252 |     elseif ($type -eq 'dir') {
253 |         Get-ChildItem -Directory -Path $prefix | Sort-Object Name |
    |
Found 1 error."""
FOLDERS = "ImportError while loading conftest '/srv/ana/shop/two/tests/conftest.py'."
PROBE = "python -c 'import torch; assert torch.cuda.is_available()'"
KEYS = 'ERROR: insert on table "gauges" violates foreign key constraint "gauges_station_fkey"'
PLAIN = "--- FAIL: TestParse (0.00s)\n    parse_test.go:5: got 3, want 2\nFAIL"

SPOKEN = [
    ("exec format error in a pod: build with --platform linux/amd64.", "exec /usr/bin/gate: exec format error"),
    ("Text file busy when the agent is replaced: stop it first.", "cp: cannot create '/opt/agent': Text file busy"),
    ("A record as an argument ends with Couldn't find Booking.", "Couldn't find Booking with 'id'=#<Booking:0x7f>"),
    ("pytest stops with \"fixture 'frozen_clock' not found\" inside tests/.", PYTEST),
    ("Without an install the start says `Cannot find module`.", NODE),
    ("TestExplain compares with golden files.", GO),
    ("ERR_PNPM_OUTDATED_LOCKFILE: run pnpm install once.", CODED),
    ("A ConnectionError of redis means that the settings are those of production.", REDIS),
    ("ruff counts the lines of the scripts as well (E501).", RUFF),
    (
        "No module named 'ledgerlib' means that the submodule is missing.",
        "ModuleNotFoundError: No module named 'ledgerlib'",
    ),
    (
        "On Alpine the link step cannot find libssl without the feature vendored.",
        "/usr/bin/ld: cannot find -lssl: No such",
    ),
    ("left-pad is an optional dependency: npm ci --include=optional.", NODE),
    ("tox is not installed here: uvx tox.", "bash: line 1: tox: command not found"),
    ("zsh lacks shellcheck on the build machines.", "zsh: command not found: shellcheck"),
    (
        "npm ci fails on Alpine with a node-gyp error for canvas: add python3.",
        "npm error path /app/node_modules/canvas",
    ),
    ("psycopg2 needs libpq-dev.", "ERROR: Failed building wheel for psycopg2"),
    ("Without pkg-config, openssl-sys fails.", "error: failed to run custom build command for `openssl-sys v0.9.1`"),
    ("Native parts of @parcel/watcher need make.", "npm error path /app/node_modules/@parcel/watcher"),
    ("Give chromium another place than /dev/shm in containers.", "fatal: '/dev/shm/.org.chromium.Xy' is full: error"),
    (
        "Without the group docker, /var/run/docker.sock is closed.",
        "error: connect to unix:/var/run/docker.sock: denied",
    ),
    ("Runners have no /var/run/docker.sock.", "error: denied: unix:///var/run/docker.sock"),
    ("Statements end by canceling statement due to lock timeout while beat runs.", LOCK),
    ("test_fx_weekend is flaky on Mondays.", "FAILED tests/test_fx.py::test_fx_weekend - AssertionError: None"),
    ("Si sale «connect ECONNREFUSED 127.0.0.1:6380», arranca el Redis.", "Error: connect ECONNREFUSED 127.0.0.1:6380"),
    ("The API listens on 8081, Keycloak has port 5433.", "error: connection to localhost, port 5433 failed"),
    ("The test database has port 5433, because 5432 is taken.", "dial tcp 127.0.0.1:5432: connection refused"),
]
SILENT = [
    ("A failed load keeps the old config.", "error: failed to load config: toml: line 3"),
    ("The form shows missing required fields in red.", "error: missing required argument <name>"),
    ("Invalid input is answered with 422.", "ValueError: invalid input shape (3, 4)"),
    ("Si sale «connect ECONNREFUSED 127.0.0.1:6380», arranca el Redis.", "Error: connect ECONNREFUSED 127.0.0.1:5672"),
    ("Invoices before 8080 are on paper.", "error: http://localhost:8080: no answer"),
    ("test_fx_weekend is flaky.", "FAILED tests/test_fx_weekend.py::test_fx_holiday - AssertionError: None"),
    ("CI runs pytest on four workers. On a laptop one worker is enough.", PYTEST),
    ("The parser keeps a test file for each error.", PLAIN),
    ("Go tests take long; run the failed ones first.", GO),
    ("An AssertionError says little.", "tests/test_a.py:5: AssertionError"),
    ("express needs Node 20.", "Error: x\n    at error (/app/node_modules/express/lib/error.js:3:1)"),
    ("The canvas of the map is blue.", "npm error path /app/node_modules/canvas"),
    ("The disk is /dev/sdb, never /dev/null.", "error: /dev/null: permission denied"),
    ("Tools are in /usr/local/bin.", "error: /usr/local/bin/tool: cannot execute"),
    ("Backups are in /srv/one.", "error: /srv/oneself: missing"),
    ("Backups are in /srv/one.", "error: https:///srv/one: missing"),
    ("The course about Redis has two places left.", REDIS),
    ("Captured after `git switch main` failed: fatal: taken at '/srv/ana/shop/one'", FOLDERS),
    ("The colours of click are those of the terminal.", "ModuleNotFoundError: No module named 'click'"),
    ("A module is missing.", "no module named "),
    ("The environment has seven paths.", "bash: line 1: tox: command not found"),
    ('We say "not found" for a parcel that is gone.', "bash: foo: command not found"),
]


@each(("memory", "output"), SPOKEN)
def test_memory_speaks_of_the_failure(memory: str, output: str) -> None:
    assert Failure(output, informative_lines(output)).is_in(memory)


@each(("memory", "output"), SILENT)
def test_memory_that_shares_only_words_does_not(memory: str, output: str) -> None:
    assert not Failure(output, informative_lines(output)).is_in(memory)


@each(
    ("memory", "command", "is_about_it"),
    [
        ("`go test ./billing` needs PostgreSQL on port 5433.", "cd srv && go test -race ./billing -run TestTax", True),
        ("npm run e2e fails while the proxy is off.", "npm run e2e", True),
        ("manage.py migrate needs a stopped beat.", "timeout 300 python manage.py migrate", True),
        ("python -m app needs a key.", "python notes.py", False),
        ("./gradlew integrationTest needs 4 GB.", "./gradlew integrationTest --info", True),
        ("`go test ./billing` takes a minute.", "go test ./billing", False),
        ("Never run `go test ./shop` twice.", "go test ./billing", False),
        ("The pool takes long\nSo does `go test ./billing`. It needs a database.", "go test ./billing", True),
        ("If TestTax fails, its files are old. Run go test ./billing -update.", "go test ./billing", False),
        ("You must run make test before a push.", "make test", False),
        ("Tax was wrong.\n\nCaptured after `go test ./billing` failed: 1", "go test ./billing", False),
        ("`go test ./billing` failed with x and passed after changes of a.go.", "go test ./billing", False),
    ],
)
def test_memory_says_what_the_failed_command_needs(memory: str, command: str, is_about_it: bool) -> None:
    assert Failure("FAIL", [], command_runs(command)).is_in(memory) is is_about_it


@each(
    ("memory", "command", "output", "is_about_it"),
    [
        ("There is no make lint, linting is tox -e lint.", "make lint", "No rule to make target 'lint'. Stop.", True),
        ("npm run e2e is called npm run browser now.", "npm run e2e", 'npm error Missing script: "e2e"', True),
        ("make lint runs ruff.", "make lint", "No rule to make target 'lint'. Stop.", False),
        ("`pnpm test` takes 14 minutes.", "pnpm test", "Command timed out after 2m 0.0s", True),
        ("`pnpm test` takes 14 minutes.", "pnpm test", "FAIL src/a.test.ts", False),
        ("`pnpm test` takes 14 minutes.", "pnpm build", "Command timed out after 2m 0.0s", False),
        ("docker compose up first says 'network x not found'.", "docker compose up", "port is taken: error", False),
        ("The API has port 8081, not port 8080.", "curl -f http://localhost:8080/health", "error: 404", True),
    ],
)
def test_command_itself_is_the_cause(memory: str, command: str, output: str, is_about_it: bool) -> None:
    failure = Failure(output, informative_lines(output), command_runs(command, output), command)

    assert failure.is_in(memory) is is_about_it


def test_runs_of_a_command_are_three_words_without_options() -> None:
    assert command_runs("A=1 docker compose -f x up | tail; make test && git push") == ["docker compose x"]


@each(
    ("output", "line"),
    [
        (PYTEST, "E fixture 'frozen_clock' not found"),
        (NODE, "Error: Cannot find module 'left-pad'"),
        (GO, "FAIL: TestExplain (0.01s)"),
        (CODED, "ERR_PNPM_OUTDATED_LOCKFILE Cannot install with frozen-lockfile"),
    ],
)
def test_informative_lines_have_the_cause(output: str, line: str) -> None:
    assert line in informative_lines(output)


@each("output", ["", "Exit code 1", "Exit code 1\nFAIL\n1 failed in 0.1s", "===\n\n---"])
def test_counts_and_rulers_are_not_informative(output: str) -> None:
    assert informative_lines(output) == []


@each("output", [REDIS, GO, "error: no such file", "sh: foo: command not found", "fatal: bad"])
def test_failure_shows_in_an_output_without_status(output: str) -> None:
    assert may_have_failed(output)
    assert not may_have_failed("12 passed in 0.4s\nwith no errors")


@each(
    ("output", "line"),
    [
        (RUFF, "E501 Line too long (101 > 88)"),
        ("src/a.py:3:1: F401 unused\nsee the manual", "src/a.py:3:1: F401 unused"),
        (PYTEST, "ERROR test_rates.py::test_steps"),
        ("JSON 200 is no code\nthe end", "the end"),
        ("1 failed", ""),
    ],
)
def test_error_is_the_last_line_that_names_one(output: str, line: str) -> None:
    assert error_line(output) == line


def test_status_is_hidden_by_a_filter_at_the_end_of_a_pipe_and_by_what_always_succeeds() -> None:
    hidden = ("make 2>&1 | tail -5", "cd a && go test ./...|&tee log", "npm test || true", "a | b | head", "x||echo no")
    shown = ("make", "set -o pipefail; make | tail", "a | xargs make", "a || make", "echo '|'", "")

    assert [one for one in (*hidden, *shown) if hides_status(one)] == list(hidden)


@each(
    ("memory", "command", "output", "is_about_it"),
    [
        ("make seed fails with a foreign key violation unless stations are there.", "make seed", KEYS, True),
        ("make seed must run twice.", "make seed", KEYS, False),
        ("The foreign key of gauges is deferred.", "make seed", KEYS, False),
        ("make load fails with a foreign key violation.", "make seed", KEYS, False),
        ("Load cuda before training, without it torch.cuda.is_available() is False.", PROBE, "AssertionError", True),
        ("torch.cuda.is_available is called by the loader.", PROBE, "AssertionError", False),
    ],
)
def test_memory_that_names_a_short_command_and_its_cause_speaks_of_the_failure(
    memory: str, command: str, output: str, is_about_it: bool
) -> None:
    lines = informative_lines(output)

    assert Failure(output, lines, command_runs(command, output), command).is_in(memory) is is_about_it


@each(
    ("output", "command", "has_failed"),
    [
        ("Failure: plugin protoc-gen-go: not in PATH\nmake: *** [Makefile:4: proto] Error 1", "make proto", True),
        ("go: -race requires cgo; enable cgo", "go test -race ./...", True),
        ("src/a.c:3:1: error: expected ;", "make", True),
        ("FAIL\tshop/query\t0.040s", "go test ./...", True),
        ("django.core.exceptions.ImproperlyConfigured: Could not find GDAL", "python manage.py check", True),
        ("test a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed", "cargo test", True),
        ("thread 'main' panicked at src/a.rs:8:5:\nexplicit panic", "cargo run", True),
        ('#7 ERROR: process "/bin/sh" did not complete successfully: exit code: 1', "docker build .", True),
        ("> Task :app:test FAILED\n\nBUILD FAILED in 2s", "./gradlew test", True),
        ("1/2 Test #1: tides ...***Failed 0.1 sec\n\nThe following tests FAILED:", "ctest", True),
        ("[ERROR] Failed to execute goal", "mvn test", True),
        ("╷\n│ Error: Error acquiring the state lock\n╵", "terraform plan", True),
        ("src/a.ts(3,19): error TS2304: Cannot find name 'x'.", "tsc", True),
        ("** (Mix) Could not find an SCM", "mix deps.get", True),
        ("12 examples, 1 failure", "rspec", True),
        ("worker:dev: Error: Redis is too old\n ELIFECYCLE  Command failed.", "pnpm dev", True),
        ("FATAL ERROR: Reached heap limit - JavaScript heap out of memory\nAborted", "npm run build", True),
        ("api-1  | listening\napi-1 exited with code 1", "docker compose up", True),
        ("api-1 exited with code 0", "docker compose up", False),
        ("test result: ok. 12 passed; 0 failed", "cargo test", False),
        ("BUILD SUCCESSFUL in 2s", "./gradlew test", False),
        ("12 examples, 0 failures", "rspec", False),
        ("100% tests passed, 0 tests failed out of 2", "ctest", False),
        ("Note: nothing to do", "python manage.py check", False),
        ("ok\tshop/query\t0.040s", "go test ./...", False),
        ("go: a language", "cat notes.txt", False),
        ("go: 1\n" * 9, "go list", False),
    ],
)
def test_output_tells_whether_a_command_failed_whose_status_is_unknown(
    output: str, command: str, has_failed: bool
) -> None:
    assert may_have_failed(output, command) is has_failed
