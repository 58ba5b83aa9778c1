"""The embedding models that a person can choose on this machine, with what is known about each; loads none of them."""

from __future__ import annotations

import json
import urllib.request
from importlib.util import find_spec
from urllib.parse import urlsplit

from gitmem.frozen import frozen
from gitmem.index.embed.model_files import find_cached
from gitmem.index.embed.packaged import PACKAGED, folder_of_packaged
from gitmem.system.http import FAILURES, LOOPBACK, exchange, opener_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

READY, TO_INSTALL, TO_DOWNLOAD = "ready", "install", "download"
# The servers that are looked for on this machine, with their usual ports: Ollama, LM Studio, llama.cpp and Text
# Embeddings Inference, vLLM. All list their models as OpenAI does.
OLLAMA, PORTS = "127.0.0.1:11434", (1234, 8080, 8000)
# A server on this machine that is running accepts a connection at once.
LIMIT_S = 0.5
LIMIT_BYTES = 1 << 20
# How often the first five contain the answer to one of 60 questions that are not in the memory's words
# (benchmarks/data/changelog/README.md), for the models that this was measured for.
WORDS_FOUND, QUESTIONS = 26, 60


@frozen
class Offer:
    """A model that can be chosen.

    Attributes:
        setting: The value of ``gitmem.embed``.
        size_mb: The size of its files; 0 for a server's, which are not read here.
        languages: Those that it understands; empty if unknown.
        found: For how many of ``QUESTIONS`` it finds the answer; 0 if that was not measured.
        state: Whether it can be used at once, or its package or its files are missing.
        package: The arguments of ``pip install`` for a missing package.
    """

    setting: str
    size_mb: int = 0
    languages: str = ""
    found: int = 0
    state: str = READY
    package: str = ""


_PACKAGED = {"wordllama": (16, 25), "minilm": (91, 36)}
# Models of fastembed's list that need no prefix: the name, the repository that it is downloaded from, and the size.
_FASTEMBED = (
    ("BAAI/bge-small-en-v1.5", "Qdrant/bge-small-en-v1.5-onnx-Q", 67, "English"),
    (
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q",
        220,
        "50 languages",
    ),
)


def list_offers(*, cache: str, ollama_host: str = "", ports: Iterable[int] = PORTS) -> list[Offer]:
    """Return the models that can be chosen here: packaged ones, downloads, then those of servers on this machine.

    Args:
        cache: The Hugging Face hub's cache folder, which has the downloaded models.
        ollama_host: The value of Ollama's own variable ``OLLAMA_HOST``; used only if it names this machine.
        ports: Where other servers are looked for.
    """
    offers = []
    for model in PACKAGED:
        size_mb, found = _PACKAGED[model.name]
        is_here = folder_of_packaged(model) is not None
        state, package = (READY, "") if is_here else (TO_INSTALL, model.install)
        offers.append(Offer(model.name, size_mb, "English", found, state, package))
    for name, repository, size_mb, languages in _FASTEMBED:
        state, package = (TO_INSTALL, "fastembed>=0.9") if find_spec("fastembed") is None else (TO_DOWNLOAD, "")
        if not package and find_cached(repository, cache) is not None:
            state = READY
        offers.append(Offer(f"fastembed:{name}", size_mb, languages, 0, state, package))
    hosts = dict.fromkeys([_local_host(ollama_host), *(f"127.0.0.1:{port}" for port in ports)])
    return offers + [Offer(f"http://{host}/v1#{model}") for host in hosts for model in _models_at(host)]


def host_of(setting: str) -> str:
    """Return the host that a setting sends texts to, if it is not this machine; else an empty string."""
    try:
        host = urlsplit(setting).hostname or "" if setting.startswith(("http://", "https://")) else ""
    except ValueError:  # opening it reports what is wrong
        return ""
    return "" if host in LOOPBACK else host


def is_missing(setting: str, *, cache: str) -> bool:
    """Return whether a setting names a model of fastembed's that is not on this machine, or is not known to be."""
    kind, _, model = setting.partition(":")
    known = next((row for row in _FASTEMBED if row[0].lower() == model.lower()), None)
    return kind == "fastembed" and (known is None or find_cached(known[1], cache) is None)


def size_of(setting: str) -> int:
    """Return the size in MB of a model that fastembed downloads; 0 if it is unknown."""
    model = setting.partition(":")[2].lower()
    return next((size for name, _, size, _ in _FASTEMBED if name.lower() == model), 0)


def _local_host(text: str) -> str:
    """Return the host and port of ``OLLAMA_HOST`` if it names this machine, else Ollama's usual one."""
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        port = parts.port or 11434
    except ValueError:
        return OLLAMA
    # 0.0.0.0 is what a server listens on.
    is_here = parts.hostname in (*LOOPBACK, "0.0.0.0")  # noqa: S104 - compared, not bound
    return f"127.0.0.1:{port}" if is_here else OLLAMA


def _models_at(host: str) -> list[str]:
    """Return the embedding models that a server on this machine lists, sorted; empty if there is no such server."""
    request = urllib.request.Request(f"http://{host}/v1/models")
    try:
        answer = exchange(opener_for("127.0.0.1"), request, limit=LIMIT_BYTES, limit_s=LIMIT_S)
        listed: Any = json.loads(answer.body) if answer.status == 200 else {}
        names = [model["id"] for model in listed["data"]]
    except (*FAILURES, ValueError, LookupError, TypeError, RecursionError):
        return []
    return sorted({name for name in names if isinstance(name, str) and _embeds(name)})


def _embeds(name: str) -> bool:
    """Return whether a model's name says that it embeds: servers list models that chat as well."""
    words = ("embed", "bge", "minilm", "gte-", "e5-", "arctic")
    return len(name) < 200 and all("!" <= char <= "~" for char in name) and any(word in name.lower() for word in words)
