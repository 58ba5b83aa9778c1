"""What other packages add by entry points: an installed package, as its metadata on the path say."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import ConfigError
from gitmem.index.embed.choose import provider_for
from gitmem.index.plugins import ENGINES, PROVIDERS, find_plugin
from gitmem.memory import Memory

# Two directions: texts about coffee, and all others.
PROVIDER = """
import numpy


class Provider:
    longest = 900

    def __init__(self, model):
        self.name = f"acme:{model}"

    def passages(self, texts):
        return numpy.array([self.query(text) for text in texts], dtype="float32").reshape(len(texts), 2)

    def query(self, text):
        is_coffee = any(word in text.lower() for word in ("coffee", "espresso"))
        return numpy.array([1, 0] if is_coffee else [0, 1], dtype="float32")


def provider(model, *, cache, download):
    return Provider(model)
"""


# Finds every memory, the newest first, whatever the words.
ENGINE = """
from gitmem.index import Candidate


class Engine:
    def __init__(self, catalog):
        self.catalog = catalog

    def candidates(self, terms, *, limit, where="", parameters=()):
        sql = f"SELECT m.id FROM memory m WHERE {where or 1} ORDER BY m.id DESC LIMIT ?"
        return [Candidate(number, 1.0) for number, in self.catalog.rows(sql, (*parameters, limit))]
"""


def install(folder: Path, name: str, entry: str, code: str = PROVIDER, group: str = PROVIDERS) -> None:
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
    (folder / f"{name}_gitmem.py").write_text(code)


def test_a_package_adds_an_embedding_provider(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "acme", "acme = acme_gitmem:provider")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("GITMEM_EMBED", "acme:small")
    with Memory(memory.repository.here[0]) as fresh:
        fresh.remember("The espresso machine is on the third floor", key="machine")
        fresh.remember("The printer is on the second floor", key="printer")
        done = fresh.vectors.rebuild()

        hits = fresh.recall("where do I get coffee").hits

    assert done.models == ("acme:small",)
    assert hits[0].key == "machine"


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ({"acme": "acme = acme_gitmem:missing"}, "cannot load 'acme'"),
        ({"acme": "acme = no_such_module:provider"}, "cannot load 'acme'"),
        ({"one": "acme = one_gitmem:provider", "two": "acme = two_gitmem:provider"}, "several packages .*: one, two"),
    ],
)
def test_what_cannot_be_loaded_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: dict[str, str], error: str
) -> None:
    for name, entry in entries.items():
        install(tmp_path, name, entry)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ConfigError, match=error):
        find_plugin(PROVIDERS, "acme")


def test_a_name_that_no_package_adds_is_no_provider() -> None:
    with pytest.raises(ConfigError, match="embedding provider"):
        provider_for("nobody:small", cache="")


def test_a_package_adds_a_search_engine(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "other", "newest = other_gitmem:Engine", ENGINE, ENGINES)
    monkeypatch.syspath_prepend(tmp_path)
    memory.remember("Deploys need the VPN", key="vpn")
    memory.remember("Deploys need two approvals", key="approvals")
    monkeypatch.setenv("GITMEM_ENGINE", "newest")
    with Memory(memory.repository.here[0]) as fresh:
        found = {hit.key for hit in fresh.recall("deploys").hits}

    assert found == {"vpn", "approvals"}


def test_an_engine_that_no_package_adds_is_named(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("Deploys need the VPN", key="vpn")
    monkeypatch.setenv("GITMEM_ENGINE", "newest")
    with Memory(memory.repository.here[0]) as fresh, pytest.raises(ConfigError, match="engine 'newest'") as caught:
        fresh.recall("deploys")

    assert caught.value.hint == "git config gitmem.engine fts"
