"""A model's summary, with a real program and a real server, and the handling of bad answers."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.each import each
from support.transcripts import SECRET, placed, session

from gitmem.agents import on_event
from gitmem.agents.event import END, Event
from gitmem.agents.session import model_summary as module
from gitmem.agents.session.model_summary import ask_model, excerpt, fit_budget
from gitmem.agents.session.rule_summary import TOKENS
from gitmem.agents.session.summary import key_of
from gitmem.agents.transcripts.turns import COMMAND, PROMPT, SAID, Turn
from gitmem.config import Config
from gitmem.errors import ConfigError, GitmemError
from gitmem.memory import Memory
from gitmem.text.budget import count_tokens

ANSWER = (
    "The gateway retries now, with backoff, since it drops bursts of more than fifty requests. The deployment is left."
)
TURNS = [Turn(PROMPT, f"the key is {SECRET}"), Turn(SAID, "done")]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.asked.append((self.path, self.headers["Authorization"]))
        body = self.server.answer
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    made.asked = []
    made.answer = json.dumps({"choices": [{"message": {"content": ANSWER}}]}).encode()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "a program.py"
    path.write_text(f"import os, sys, time\n{text}\n")
    return f"{sys.executable} '{path}'"


def test_without_a_setting_there_is_none(tmp_path: Path) -> None:
    assert ask_model(Config(), TURNS, "plain", folder=str(tmp_path)) == ""


def test_a_program_reads_the_session_without_secrets_and_words_it(tmp_path: Path) -> None:
    command = program(
        tmp_path,
        "sys.stderr.write('a warning\\n')\nopen('seen', 'w').write(sys.stdin.read() + os.environ['GITMEM_HOOKS'])\n"
        f"print({ANSWER!r})",
    )

    assert ask_model(Config(summary_command=command), TURNS, "plain words", folder=str(tmp_path)) == ANSWER

    seen = (tmp_path / "seen").read_text()
    assert "plain words" in seen
    assert "person: the key is [secret: github-token]" in seen
    assert seen.endswith("off")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sys.exit(3)", "status 3"),
        ("time.sleep(60)", "longer than 0.5 seconds"),
        ("print('ok')", "is empty"),
    ],
)
def test_a_program_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str) -> None:
    monkeypatch.setattr(module, "LIMIT_S", 0.5 if "sleep" in text else 20.0)

    with pytest.raises(GitmemError, match=why):
        ask_model(Config(summary_command=program(tmp_path, text)), TURNS, "plain", folder=str(tmp_path))


@each("command", ["no-such-program-anywhere", "'unclosed"])
def test_a_setting_that_names_no_program_is_an_error(tmp_path: Path, command: str) -> None:
    with pytest.raises(GitmemError):
        ask_model(Config(summary_command=command), TURNS, "plain", folder=str(tmp_path))


def test_an_endpoint_words_it(server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_SUMMARY_KEY", "k1")
    setting = f"http://127.0.0.1:{server.server_port}/v1#tiny"

    assert ask_model(Config(summary=setting), TURNS, "plain", folder=str(tmp_path)) == ANSWER

    question, (path, key) = server.asked
    assert (path, key, question["model"]) == ("/v1/chat/completions", "Bearer k1", "tiny")
    assert SECRET not in json.dumps(question)


@pytest.mark.parametrize("answer", [b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 7}}]}', b"x"])
def test_an_endpoint_that_answers_something_else_is_an_error(
    server: ThreadingHTTPServer, tmp_path: Path, answer: bytes
) -> None:
    server.answer = answer

    with pytest.raises(GitmemError, match="the summary endpoint"):
        ask_model(Config(summary=f"http://127.0.0.1:{server.server_port}/v1#t"), TURNS, "plain", folder=str(tmp_path))


def test_setting_that_is_not_an_address_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        ask_model(Config(summary="https://u:pw@host/v1#m"), TURNS, "plain", folder=str(tmp_path))

    assert "pw" not in str(caught.value)


def test_an_answer_is_cut_to_whole_lines_and_has_no_secrets() -> None:
    found = fit_budget(f"\x1b[31mred\x1b[0m {SECRET}\n" + "a line of many words that goes on for a while\n" * 500)

    assert found.startswith("red [secret: github-token]\na line")
    assert found.endswith("for a while")
    assert count_tokens(found) <= TOKENS


def test_half_a_secret_is_not_sent() -> None:
    at = "x " * (module.TURN // 2 - 4) + SECRET
    command = Turn(COMMAND, "y " * (module.COMMANDED // 2 - 4) + SECRET, failed=True, output=SECRET + " z" * 140)

    found = excerpt([Turn(SAID, at), command])

    assert SECRET[:8] not in found
    assert SECRET[-8:] not in found


def test_of_a_long_session_the_end_is_sent() -> None:
    found = excerpt([Turn(SAID, f"{number} " + "x" * 1000) for number in range(100)])

    assert len(found) <= module.EXCERPT
    assert "agent: 99 x" in found.splitlines()[-1]


def test_where_the_model_fails_the_summary_by_rules_is_stored_and_the_failure_reported(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_SUMMARY_COMMAND", "no-such-program-anywhere")
    event = Event("claude-code", END, session="s1", folder=str(repo), transcript=str(placed(session(repo))))
    with Memory(repo) as opened:
        opened.init(offline=True)
        on_event.session_ended(opened, event)

        with pytest.raises(GitmemError, match="summaryCommand"):
            on_event.summarize(opened)

        assert opened.show(key_of(opened.repository, event)).document["body"].startswith("Left open:")


def test_the_policy_names_no_program(memory: Memory, repo: Path) -> None:
    from gitmem.policy import Policy

    with pytest.raises(ConfigError):
        Policy.from_dict({"stops": {"summary_command": "x"}})
