"""Create the provider that a setting names; only that provider's module is loaded.

A setting is ``gitmem.embed`` or ``gitmem.embedCode`` of git config, or ``GITMEM_EMBED``, ``GITMEM_EMBED_CODE``. It is
never read from the policy: other people write that on the memory branch, and could have memories sent to an address of
theirs.
"""

from __future__ import annotations

from importlib.util import find_spec

from gitmem.errors import ConfigError, EmbeddingError
from gitmem.index.embed.directory import read_directory
from gitmem.index.embed.model_files import folder_of, is_path
from gitmem.index.embed.packaged import PACKAGED, find_packaged, need_packaged
from gitmem.index.plugins import PROVIDERS, find_plugin
from gitmem.system.environment import OneThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.embed.packaged import Packaged
    from gitmem.index.embed.provider import EmbeddingProvider

OFF = ("", "off")
NUMPY_BERT = (("safetensors", "tokenizers"), "model2vec")
# The packages that each kind of provider imports, and the extra of gitmem that installs them.
MODEL2VEC = (("tokenizers", "safetensors"), "model2vec")
FASTEMBED = (("fastembed",), "embed")
ONNX = (("onnxruntime", "tokenizers"), "embed")
TORCH = (("sentence_transformers",), "sentence-transformers")
HTTP = (("numpy",), "http")
HOW = "set one: git config --global gitmem.embed minilm; docs/embeddings.md lists others"


def provider_for(setting: str, *, cache: str, key: str = "", download: bool = False) -> EmbeddingProvider | None:
    """Return the provider that a setting names, or None for no provider. It loads its model with the first text.

    Args:
        setting: ``model2vec:NAME_OR_FOLDER``, ``fastembed:NAME``, ``dir:FOLDER``, ``http(s)://host[:port]/path#MODEL``,
            ``PLUGIN:MODEL`` (``index.plugins``), the name of a packaged model (``index.embed.packaged``), or empty or
            ``off``.
        cache: The Hugging Face hub's cache folder (``config.model_cache``), which holds downloaded models.
        key: The endpoint's key, which never appears in a message or a name.
        download: Whether to download the model from its hub first; only at a person's request.

    Raises:
        ConfigError: The setting names no provider.
        EmbeddingError: A package is not installed, or the model is not on this machine.
    """
    if setting in OFF:
        return None
    packaged = find_packaged(setting)
    if packaged is not None:
        return _of_package(packaged)
    kind, _, model = setting.partition(":")
    if kind in ("http", "https"):
        _need(kind, HTTP)
        from gitmem.index.embed.http_endpoint import HttpEndpoint

        return HttpEndpoint(setting, key=key)
    if kind == "model2vec" and model:
        _need(kind, MODEL2VEC)
        from gitmem.index.embed.model2vec_model import Model2vecModel

        return Model2vecModel(model, cache=cache, download=download)
    if kind == "fastembed" and model:
        _need(kind, FASTEMBED)
        from gitmem.index.embed.fastembed_model import FastembedModel

        return FastembedModel(model, cache=cache, download=download)
    if kind == "dir" and is_path(model):
        return _of_directory(model)
    plugin = find_plugin(PROVIDERS, kind) if kind.isidentifier() else None
    if plugin is not None:
        provider: EmbeddingProvider = plugin(model, cache=cache, download=download)
        return provider
    # The setting itself is not shown: it may hold a password.
    message = "the setting embed does not name a known embedding provider"
    hint = (
        "use wordllama, minilm, model2vec:potion-base-8M, fastembed:NAME, dir:/a/folder, https://host/v1#MODEL, or off"
    )
    raise ConfigError(message, file="", key="embed", hint=hint)


def need_numpy(setting: str) -> None:
    """Load numpy, which every provider needs, so that it computes with one thread.

    Threads of OpenBLAS wait for each other by spinning: embedding 39 texts with MiniLM beside other programs on two
    cores took 19.7 s of CPU with them, and 2.1 s without (measured).

    Raises:
        ConfigError: The setting names no provider.
        EmbeddingError: numpy is not installed.
    """
    if setting in OFF:
        raise ConfigError("no embedding provider is set up", file="", key="embed", hint=HOW)
    kind = setting.partition(":")[0]
    extras = dict.fromkeys(("model2vec", *(model.name for model in PACKAGED)), MODEL2VEC[1])
    extras |= {"fastembed": FASTEMBED[1], "dir": ONNX[1]}
    _need(kind, (("numpy",), extras.get(kind, HTTP[1])))
    with OneThread():
        import numpy  # noqa: F401 - 55 ms (measured)


def _of_package(model: Packaged) -> EmbeddingProvider:
    folder = need_packaged(model)
    if not model.weights:
        return _of_directory(str(folder))
    _need(model.name, MODEL2VEC)
    from gitmem.index.embed.model2vec_model import Model2vecModel

    return Model2vecModel(str(folder), cache="", weights=model.weights, tokenizer=model.tokenizer)


def _of_directory(name: str) -> EmbeddingProvider:
    """Return the quickest provider for a folder: ONNX if it has an exported model, then numpy if it is a BERT."""
    folder = folder_of(name, cache="", owner="")
    directory = read_directory(folder)
    if directory.is_plain and (not _missing(ONNX) or (_missing(TORCH) and _missing(NUMPY_BERT))):
        _need("dir", ONNX)
        from gitmem.index.embed.onnx_directory import OnnxDirectory

        return OnnxDirectory(folder, directory)
    if not _missing(NUMPY_BERT):
        from gitmem.index.embed.bert_directory import BertDirectory, can_compute

        if can_compute(directory):
            return BertDirectory(folder, directory)
    _need("dir", TORCH)
    from gitmem.index.embed.torch_directory import TorchDirectory

    return TorchDirectory(folder)


def _missing(needed: tuple[tuple[str, ...], str]) -> str:
    return next((package for package in needed[0] if find_spec(package) is None), "")


def _need(kind: str, needed: tuple[tuple[str, ...], str]) -> None:
    package = _missing(needed)
    if package:
        from gitmem.system.origin import extra_hint

        message = f"the embedding provider {kind} needs the package {package}, which is not installed"
        raise EmbeddingError(message, hint=extra_hint(needed[1]))
