"""What can be chosen: the table agrees with fastembed, and only servers of this machine are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastembed import TextEmbedding
from support.each import each

from gitmem.index.embed import offers
from gitmem.index.embed.offers import READY, TO_DOWNLOAD, host_of, is_missing, list_offers


def test_downloads_are_fastembeds_with_its_sizes_and_need_no_prefix() -> None:
    known = {one["model"]: one for one in TextEmbedding.list_supported_models()}

    for name, repository, size_mb, _ in offers._FASTEMBED:
        assert known[name]["sources"]["hf"] == repository
        assert round(known[name]["size_in_GB"] * 1000) == size_mb
        assert "Prefixes for queries/documents: not" in known[name]["description"]


def test_downloaded_model_is_ready(tmp_path: Path) -> None:
    setting = "fastembed:BAAI/bge-small-en-v1.5"
    before = {one.setting: one.state for one in list_offers(cache=str(tmp_path), ports=())}
    folder = tmp_path / "models--Qdrant--bge-small-en-v1.5-onnx-Q"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc123")
    (folder / "snapshots" / "abc123").mkdir(parents=True)
    after = {one.setting: one.state for one in list_offers(cache=str(tmp_path), ports=())}

    assert (before[setting], after[setting]) == (TO_DOWNLOAD, READY)
    assert not is_missing(setting, cache=str(tmp_path))
    assert is_missing("fastembed:other/model", cache=str(tmp_path))


@each(
    ("variable", "expected"),
    [
        ("", "127.0.0.1:11434"),
        ("127.0.0.1:4000", "127.0.0.1:4000"),
        ("http://localhost:4000/", "127.0.0.1:4000"),
        ("0.0.0.0", "127.0.0.1:11434"),
        ("models.example.org:4000", "127.0.0.1:11434"),
        ("http://user@models.example.org", "127.0.0.1:11434"),
        ("127.0.0.1:notaport", "127.0.0.1:11434"),
    ],
)
def test_only_this_machine_is_asked(variable: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(offers, "_models_at", lambda host: asked.append(host) or [])

    list_offers(cache="", ollama_host=variable, ports=(8080,))

    assert asked == [expected, "127.0.0.1:8080"]


@each(
    ("setting", "host"),
    [
        ("http://localhost:11434/v1#m", ""),
        ("https://api.example.org/v1#m", "api.example.org"),
        ("minilm", ""),
        ("dir:/a/folder", ""),
        ("http://[x#m", ""),
    ],
)
def test_host_is_the_one_that_texts_would_be_sent_to(setting: str, host: str) -> None:
    assert host_of(setting) == host
