"""A model's folder: where it is looked for, and a digest that sees every change and none that is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from support.models import put_in_cache

from gitmem.errors import EmbeddingError
from gitmem.index.embed.model_files import FILES_AT_MOST, WHOLE_BYTES, digest_of, folder_of


def make_model(folder: Path) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text('{"hidden_size": 3}')
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(8 * WHOLE_BYTES))
    (folder / "README.md").write_text("a model card")
    return folder


def test_a_copy_elsewhere_has_the_same_digest(tmp_path: Path) -> None:
    model = make_model(tmp_path / "here")
    copy = Path(shutil.copytree(model, tmp_path / "there"))
    (copy / "README.md").write_text("an edited model card")
    (copy / ".cache").mkdir()

    assert digest_of(model) == digest_of(copy)
    assert len(digest_of(model)) == 12


@pytest.mark.parametrize("name", ["config.json", "1_Pooling/config.json", "tokenizer.json"])
def test_a_changed_or_new_file_changes_the_digest(tmp_path: Path, name: str) -> None:
    model = make_model(tmp_path / "here")
    before = digest_of(model)

    (model / name).write_text("{ }")

    assert digest_of(model) != before


@pytest.mark.parametrize("place", [0, 3 * WHOLE_BYTES + 777, 8 * WHOLE_BYTES - 40_000], ids=["start", "middle", "end"])
def test_weights_of_one_small_matrix_change_the_digest(tmp_path: Path, place: int) -> None:
    model = make_model(tmp_path / "here")
    before = digest_of(model)

    with (model / "model.safetensors").open("r+b") as file:
        file.seek(place)
        file.write(b"\x01" * 40_000)

    assert digest_of(model) != before


def test_someones_home_is_no_model(tmp_path: Path) -> None:
    for number in range(FILES_AT_MOST + 1):
        (tmp_path / f"{number}.txt").touch()

    with pytest.raises(EmbeddingError, match="files, so it is not a model"):
        digest_of(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=f"there is no model folder {tmp_path}/none"):
        folder_of(f"{tmp_path}/none", cache="", owner="a")


@pytest.mark.parametrize("commit", ["../../../../../etc", "", "0123"], ids=["out of the cache", "empty", "gone"])
def test_a_cache_whose_ref_leads_nowhere_holds_no_model(tmp_path: Path, commit: str) -> None:
    (tmp_path / "models--a--tiny" / "refs").mkdir(parents=True)
    (tmp_path / "models--a--tiny" / "snapshots").mkdir()
    (tmp_path / "models--a--tiny" / "refs" / "main").write_text(commit)

    with pytest.raises(EmbeddingError) as caught:
        folder_of("tiny", cache=str(tmp_path), owner="a")

    assert caught.value.message == "the model a/tiny is not on this machine"
    assert "--download" in caught.value.hint


COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"tokenizer.json": b"{}", "model.safetensors": b"weights", "pytorch_model.bin": b"not wanted"}


class Hub(BaseHTTPRequestHandler):
    """What of the hub's protocol its client asks for: which files there are, and each file."""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.path.startswith("/api/models/ana/tiny/revision/main"):
            body = json.dumps({"id": "ana/tiny", "sha": COMMIT}).encode()
        elif self.path.startswith(f"/api/models/ana/tiny/tree/{COMMIT}"):
            listed = [{"type": "file", "path": f, "oid": "0", "size": len(data)} for f, data in FILES.items()]
            body = json.dumps(listed).encode()
        elif self.path == f"/ana/tiny/resolve/{COMMIT}/{name}":
            body = FILES[name]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        for header, value in {"ETag": f'"{name}"', "X-Repo-Commit": COMMIT, "Content-Length": str(len(body))}.items():
            self.send_header(header, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


# The hub's address is read when its client is imported.
SCRIPT = """
import sys
from gitmem.index.embed.model_files import folder_of
from gitmem.errors import EmbeddingError
for name in sys.argv[2:]:
    try:
        found = folder_of(name, cache=sys.argv[1], owner="a", wanted=["*.json", "*.safetensors"])
        print(*sorted(path.name for path in found.iterdir()))
    except EmbeddingError as err:
        print(err.message)
"""


@pytest.mark.whole_system
def test_what_is_wanted_of_a_model_is_fetched_and_found_again(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        env = os.environ | {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "NO_PROXY": "127.0.0.1"}
        argv = [sys.executable, "-c", SCRIPT, str(tmp_path), "ana/tiny", "ana/none"]
        # As an interrupted fetch leaves it.
        folder = put_in_cache(tmp_path, "ana/tiny", make_model(tmp_path / "made"))
        shutil.rmtree(folder)
        folder.mkdir()
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
        server.shutdown()

    fetched, failed = done.stdout.splitlines()
    assert fetched == "model.safetensors tokenizer.json"
    assert failed.startswith("the model ana/none could not be downloaded: ") and "404" in failed
    found = folder_of("ana/tiny", cache=str(tmp_path), owner="a")
    assert {path.name: path.read_bytes() for path in found.iterdir()} == {name: FILES[name] for name in list(FILES)[:2]}
