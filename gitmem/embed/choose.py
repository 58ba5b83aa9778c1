"""Make the provider that a setting names; only that provider's module is loaded.

A setting is ``gitmem.embed`` or ``gitmem.embedCode`` of git config, or ``GITMEM_EMBED``, ``GITMEM_EMBED_CODE``. Never
the policy's: it comes with the memory branch, from other people, and would send memories to an address of theirs.
"""

from __future__ import annotations

from importlib.util import find_spec

from gitmem.errors import ConfigError, EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.embed.provider import EmbeddingProvider

OFF = ("", "off")
# Each kind of provider, with the packages it imports and the extra of ours that brings them.
KINDS = {"model2vec": (("model2vec",), "model2vec")}


def provider_for(setting: str, *, cache: str, key: str = "", download: bool = False) -> EmbeddingProvider | None:
    """Return the provider that a setting names; None for none. It loads its model with the first text.

    Args:
        setting: ``model2vec:NAME_OR_FOLDER``, or empty or ``off``.
        cache: The Hugging Face hub's cache folder (``config.model_cache``): where fetched models are.
        key: The endpoint's key (``GITMEM_EMBED_KEY``), which stands in no message and no name.
        download: Whether a model that is not here may be fetched from its hub: only where a person said so.

    Raises:
        ConfigError: The setting is not one.
        EmbeddingError: A package is not installed, or the model is not here.
    """
    if setting in OFF:
        return None
    kind, _, model = setting.partition(":")
    if kind not in KINDS or not model:
        # The setting itself is not shown: it may hold a password.
        told = "the setting embed names no embedding provider"
        raise ConfigError(told, file="", key="embed", hint="it looks like model2vec:potion-base-8M, or is off")
    packages, extra = KINDS[kind]
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        told = f"the embedding provider {kind} needs the package {missing[0]}, which is not installed"
        raise EmbeddingError(told, hint=f"pip install 'git-memory-store[{extra}]'")
    return _made(kind, model, cache=cache, key=key, download=download)


def _made(kind: str, model: str, *, cache: str, key: str, download: bool) -> EmbeddingProvider:
    from gitmem.embed.model2vec_model import Model2vecModel

    return Model2vecModel(model, cache=cache, download=download)
