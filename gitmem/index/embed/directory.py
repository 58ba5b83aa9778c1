"""Read a sentence-transformers folder: how its vectors are computed, and whether ONNX can compute them."""

from __future__ import annotations

from gitmem.errors import EmbeddingError
from gitmem.frozen import frozen
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

# Configuration files have some hundred bytes.
CONFIG_BYTES = 1 << 20
# The layers that `onnx_directory` implements; other models (dense layers, other poolings) need sentence-transformers.
PLAIN_LAYERS = ("Transformer", "Pooling", "Normalize")
POOLINGS = ("mean", "cls", "max")
# Where an exported model is (sentence-transformers, "Speeding up Inference", ONNX).
ONNX = "onnx/model.onnx"


@frozen
class Directory:
    """A sentence-transformers folder.

    Attributes:
        folder: The folder's path.
        pooling: ``mean``, ``cls`` or ``max``; empty if it is another one, or if layers follow it.
        tokens: How many tokens the model reads at most; 0 if the folder does not say.
        query_prompt, passage_prompt: The prefixes of a query and of a text.
        onnx: The exported model, or None.
    """

    folder: Path
    pooling: str
    tokens: int
    query_prompt: str
    passage_prompt: str
    onnx: Path | None

    @property
    def is_plain(self) -> bool:
        """Return whether ONNX can compute the vectors: there are an exported model, a tokenizer and a known pooling."""
        return bool(self.onnx and self.pooling and (self.folder / "tokenizer.json").is_file())


def read_directory(folder: Path) -> Directory:
    """Read the configuration of the model in a folder.

    Raises:
        EmbeddingError: It is not a sentence-transformers folder, or its configuration is not JSON of this form.

    Source: sentence-transformers, "Creating Custom Models": ``modules.json`` lists the layers and their folders.
    """
    modules = _json(folder, "modules.json")
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise EmbeddingError(
            f"the folder {folder} is not a sentence-transformers model: its modules.json lists no layers",
            hint="create such a folder with SentenceTransformer.save_pretrained",
        )
    layers = {str(module.get("type")).rsplit(".", 1)[-1]: str(module.get("path") or "") for module in modules}
    first = layers.get("Transformer", "")
    prompts = _mapping(_mapping(_json(folder, "config_sentence_transformers.json")).get("prompts"))
    tokens = _mapping(_json(folder / first, "sentence_bert_config.json")).get("max_seq_length")
    onnx = folder / first / ONNX
    return Directory(
        folder=folder / first,
        pooling=_pooling(_mapping(_json(folder / layers.get("Pooling", ""), "config.json")), list(layers)),
        tokens=tokens if isinstance(tokens, int) and tokens > 0 else 0,
        query_prompt=_first(prompts, "query"),
        passage_prompt=_first(prompts, "document", "passage", "corpus"),
        onnx=onnx if onnx.is_file() else None,
    )


def _pooling(config: dict[str, Any], layers: list[str]) -> str:
    if (
        any(layer not in PLAIN_LAYERS for layer in layers)
        or "Pooling" not in layers
        or config.get("include_prompt") is False
    ):
        return ""
    modes = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}
    chosen = [
        modes.get(name, "") for name, value in config.items() if name.startswith("pooling_mode_") and value is True
    ]
    if not chosen:
        # One word since version 5.4.
        chosen = [str(config.get("pooling_mode"))]
    return chosen[0] if len(chosen) == 1 and chosen[0] in POOLINGS else ""


def _first(prompts: dict[str, Any], *names: str) -> str:
    return next((prompts[name] for name in names if isinstance(prompts.get(name), str)), "")


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _json(folder: Path, name: str) -> object:
    """Return the content of a configuration file; None if there is no such file."""
    import json  # 3 ms (measured)

    try:
        with open(folder / name, "rb", opener=only_regular) as file:
            return json.loads(file.read(CONFIG_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as err:
        raise EmbeddingError(f"the model's {folder / name} cannot be read: {err}") from err
