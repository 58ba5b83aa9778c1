"""`gitmem embed setup`: what it offers, what it asks first, and that answers stay right while the model changes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import git
from support.embedded_store import LOGIN, STORE, make_model, set_up
from support.facts import make_memory, put

from gitmem.index.vectors.folders import VectorsLock
from gitmem.memory import Memory

# A server like Ollama's: it lists models that embed and models that chat, and embeds each text by its length.
SERVER = """
import http.server, json, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply({"data": [{"id": "nomic-embed-text"}, {"id": "llama3"}] if self.path == "/v1/models" else []})

    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        rows = [{"index": n, "embedding": [1, 0, 0] if "authen" in t or "login" in t else [0, 1, 0]}
                for n, t in enumerate(texts)]
        self.reply({"data": rows})

    def reply(self, found):
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture(autouse=True)
def _own_git_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))


@pytest.fixture
def port() -> Iterator[str]:
    # A process of its own, as a model's server is: what gitmem finds is a listening port and nothing else.
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def configured(repo: Path) -> str:
    return subprocess.run(
        ["git", "config", "--global", "--get", "gitmem.embed"], cwd=repo, capture_output=True, text=True, check=False
    ).stdout.strip()


def test_server_on_this_machine_is_found_and_chosen(
    run_cli, repo: Path, port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, STORE)
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
    listed = [one["setting"] for one in json.loads(run_cli("embed", "setup", "--json").out)["offers"]]
    setting = next(one for one in listed if one.startswith("http"))

    done = run_cli("embed", "setup", setting)

    assert setting == f"http://127.0.0.1:{port}/v1#nomic-embed-text"
    assert not any("llama3" in one for one in listed)
    assert (done.status, done.out) == (0, f"gitmem now uses {setting}\n")
    assert configured(repo) == setting
    assert json.loads(run_cli("recall", LOGIN, "--json").out)["hits"][0]["key"] == "sso"


def test_list_has_sizes_languages_and_what_was_measured(run_cli, repo: Path) -> None:
    put(repo, STORE)

    done = run_cli("embed", "setup")

    assert done.status == 0
    lines = {line.split("  ")[0]: line for line in done.out.splitlines()}
    assert "91 MB, English, finds 36  " in lines["minilm"]
    assert "220 MB, 50 languages  " in lines["fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("fastembed:BAAI/bge-small-en-v1.5", "67 MB would be downloaded from huggingface.co"),
        ("https://models.example.org/v1#e5", "every memory would be sent to models.example.org"),
    ],
)
def test_nothing_is_downloaded_or_sent_before_a_yes(run_cli, repo: Path, model: str, said: str) -> None:
    put(repo, STORE)

    done = run_cli("embed", "setup", model)

    assert done.status == 2
    assert f"the model was not changed: {said}" in done.err
    assert configured(repo) == ""


def test_unknown_model_changes_nothing(run_cli, repo: Path) -> None:
    put(repo, STORE)

    done = run_cli("embed", "setup", "minlm")

    assert done.status == 3
    assert configured(repo) == ""


def test_answers_come_from_the_old_model_until_all_memories_have_new_vectors(repo: Path, tmp_path: Path) -> None:
    set_up(repo, make_model(tmp_path / "old"))
    git(repo, "config", "--unset", "gitmem.embed")
    git(repo, "config", "--global", "gitmem.embed", make_model(tmp_path / "old"))
    put(repo, *(make_memory(f"m-{n}", f"Table {n}", "Storage.") for n in range(40)))
    new, during = make_model(tmp_path / "new", scale=2.0), []

    def ask(*_: object) -> None:
        with Memory(repo) as other:
            during.append((other.recall(LOGIN).hits[0].key, other.repository.config.embed, list(other.notices)))

    with Memory(repo) as memory:
        memory.vectors.rebuild()
        memory.repository.progress = ask
        memory.vectors.change_model(new)

    assert len(during) > 1
    assert {one[:2] for one in during} == {("sso", f"model2vec:{tmp_path / 'old'}")}
    assert not any(one[2] for one in during)
    assert configured(repo) == new
    with Memory(repo) as memory:
        assert memory.vectors.status().document["stores"][0]["missing"] == 0


def test_change_waits_for_a_process_that_embeds(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repo, STORE)
    model = make_model(tmp_path / "tiny")

    with Memory(repo) as memory:
        lock = VectorsLock(memory.repository.vectors_folder)
        monkeypatch.setattr("gitmem.commands.embed.setup.time.sleep", lambda _: lock.__exit__())
        lock.__enter__()
        planned = memory.vectors.plan_model(model)
        memory.vectors.change_model(model)

    assert (planned.embedded, planned.left) == (0, 4)
    assert configured(repo) == model


def test_plan_embeds_a_part_and_estimates_the_rest(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(repo, STORE, *(make_memory(f"m-{n}", f"Table {n}", "Storage.") for n in range(200)))
    monkeypatch.setattr("gitmem.commands.embed.setup.SAMPLE_S", 0.0)

    with Memory(repo) as memory:
        found = memory.vectors.plan_model(make_model(tmp_path / "tiny"))

    assert found.embedded > 0
    assert found.embedded + found.left == 204
    assert found.seconds >= 0
    assert configured(repo) == ""


def test_long_work_is_left_to_a_process_that_changes_the_model_at_its_end(
    run_cli, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repo, STORE)
    started: list[list[str]] = []
    monkeypatch.setenv("GITMEM_BACKGROUND", "")
    monkeypatch.setattr("gitmem.cli.embed.setup.SHORT_S", -1)
    monkeypatch.setattr("gitmem.system.process.start_detached", lambda argv, **_: started.append(argv))
    model = make_model(tmp_path / "tiny")

    done = run_cli("embed", "setup", model)

    assert (done.status, configured(repo)) == (0, "")
    assert "in the background: about 0 seconds" in done.out
    assert [argv[-4:] for argv in started] == [["embed", "setup", model, "--wait"]]
