"""Tiny embedding models of a handful of words, in the real formats: the real libraries load and run them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from model2vec import StaticModel
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

from gitmem.index.embed.packaged import PACKAGED

# Words that mean the same point the same way; a dimension each for sign-in, storage and time.
MEANINGS = {
    "login": (1, 0, 0), "authentication": (0.9, 0, 0.1), "signin": (0.95, 0.05, 0), "token": (0.8, 0.1, 0.2),
    "database": (0, 1, 0), "postgres": (0.05, 0.9, 0), "table": (0, 0.8, 0.1), "storage": (0, 0.95, 0),
    "timeout": (0, 0.1, 1), "deadline": (0.1, 0, 0.95), "expires": (0.2, 0, 0.9), "retry": (0, 0, 0.8),
}  # fmt: skip


def tokenizer() -> Tokenizer:
    """Return a tokenizer that knows these words and no other."""
    words = ["[PAD]", "[UNK]", *MEANINGS]
    made = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    return made


def matrix() -> np.ndarray:
    """Return the words' vectors, a row for each number of ``tokenizer``."""
    return np.array([(0, 0, 0), (0, 0, 0), *MEANINGS.values()], dtype=np.float32)


def static_model(scale: float = 1.0) -> StaticModel:
    """Return a model2vec model of these words."""
    return StaticModel(matrix() * scale, tokenizer())


def make_static(folder: Path, *, scale: float = 1.0) -> Path:
    """Save a model2vec model and return its folder."""
    static_model(scale).save_pretrained(folder)
    return folder


def _field(number: int, value: int | str | bytes) -> bytes:
    """Return one field of a protocol buffer: a varint, or bytes with their length in front."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)


def onnx_of(rows: np.ndarray) -> bytes:
    """Return an ONNX model that gives each token its row: ``last_hidden_state = Gather(rows, input_ids)``.

    Source: onnx.proto3, whose numbers of fields stand below; INT64 is 7, FLOAT 1.
    """

    def value(name: str, kind: int, *dimensions: str) -> bytes:
        shape = b"".join(_field(1, _field(2, dimension)) for dimension in dimensions)
        return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))

    weights = b"".join(_field(1, size) for size in rows.shape) + _field(2, 1) + _field(8, "rows")
    graph = (
        _field(1, _field(1, "rows") + _field(1, "input_ids") + _field(2, "last_hidden_state") + _field(4, "Gather"))
        + _field(2, "tiny")
        + _field(5, weights + _field(9, np.ascontiguousarray(rows, dtype="<f4").tobytes()))
        + _field(11, value("input_ids", 7, "texts", "tokens"))
        + _field(11, value("attention_mask", 7, "texts", "tokens"))
        + _field(12, value("last_hidden_state", 1, "texts", "tokens", "dimensions"))
    )
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def make_onnx(folder: Path, *, model_file: str = "onnx/model.onnx", rows: np.ndarray | None = None) -> Path:
    """Save a transformer's folder with an exported model, and return it: no layers but a row per token."""
    (folder / model_file).parent.mkdir(parents=True, exist_ok=True)
    (folder / model_file).write_bytes(onnx_of(matrix() if rows is None else rows))
    words = tokenizer()
    words.enable_padding(pad_id=0, pad_token="[PAD]", length=20)
    words.save(str(folder / "tokenizer.json"))
    config = {"model_max_length": 64, "pad_token": "[PAD]", "unk_token": "[UNK]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": 3}))
    return folder


def make_directory(folder: Path, *, pooling: str = "mean_tokens", **prompts: str) -> Path:
    """Save a sentence-transformers folder with an exported model, and return it."""
    make_onnx(folder)
    layers = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [{"path": path, "type": f"sentence_transformers.models.{name}"} for path, name in layers]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{name}": name == pooling for name in ("cls_token", "mean_tokens", "max_tokens")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 3, **modes}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 8, "do_lower_case": False}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    return folder


def put_in_cache(cache: Path, name: str, folder: Path) -> Path:
    """Put a model where the hub's client would have put it, and return the folder there."""
    here = cache / f"models--{name.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (here / "refs").mkdir(parents=True)
    (here / "refs" / "main").write_text(commit)
    (here / "snapshots").mkdir()
    return folder.rename(here / "snapshots" / commit)


def llama_tokenizer() -> dict[str, Any]:
    """Return a `tokenizer.json` in Llama's form that knows these words, their beginnings and some runs of letters."""
    pieces = ["in", "to", "en", "se", "\u2581\u2581", "aa", "aaa", "aaaa"]
    pieces += [f"\u2581{word}"[:size] for word in MEANINGS for size in range(2, len(word) + 2)]
    pieces = list(dict.fromkeys(pieces))
    letters = sorted({letter for piece in pieces for letter in piece} | set("<>/ s_bcdfghjklmpqrtuvwxyz"[:-1]) - {" "})
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    numbers = {text: at for at, text in enumerate(["<unk>", "<s>", "</s>", *bytes_, *pieces, *letters])}
    splits = [(text[:at], text[at:]) for text in pieces for at in range(1, len(text))]
    known = [pair for pair in splits if pair[0] in numbers and pair[1] in numbers]
    ranks = {text: at for at, text in enumerate(dict.fromkeys(left + right for left, right in known))}
    merges = sorted(known, key=lambda pair: (ranks[pair[0] + pair[1]], numbers[pair[0]]))
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    prepend = {"type": "Prepend", "prepend": "\u2581"}
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None}
    model |= {"end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False}
    return {
        "version": "1.0", "truncation": None, "padding": None, "pre_tokenizer": None, "post_processor": None,
        "added_tokens": [{"id": numbers[text], "content": text, **plain} for text in ("<unk>", "<s>", "</s>")],
        "normalizer": {"type": "Sequence", "normalizers": [prepend, replace]}, "decoder": None,
        "model": model | {"vocab": numbers, "merges": [" ".join(pair) for pair in merges]},
    }  # fmt: skip


def make_packaged(place: Path) -> Path:
    """Save a tiny model in the form of the packaged one below a folder of installed packages, and return that."""
    packaged, made = PACKAGED[0], llama_tokenizer()
    for name in (packaged.weights, packaged.tokenizer):
        (place / packaged.folder / name).parent.mkdir(parents=True, exist_ok=True)
    numbers = made["model"]["vocab"]
    rows = np.random.default_rng(5).standard_normal((len(numbers), 3)).astype(np.float16) / 100
    for word, meaning in MEANINGS.items():
        rows[numbers[f"\u2581{word}"]] = meaning
    save_file({"embedding.weight": rows}, place / packaged.folder / packaged.weights)
    (place / packaged.folder / packaged.tokenizer).write_text(json.dumps(made))
    return place
