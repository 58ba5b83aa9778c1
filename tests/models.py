"""Tiny embedding models of a handful of words, in the real formats: the real libraries load and run them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

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


def make_static(folder: Path, *, scale: float = 1.0) -> Path:
    """Save a model2vec model and return its folder."""
    StaticModel(matrix() * scale, tokenizer()).save_pretrained(folder)
    return folder


def put_in_cache(cache: Path, name: str, folder: Path) -> Path:
    """Put a model where the hub's client would have put it, and return the folder there."""
    here = cache / f"models--{name.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    (here / "refs").mkdir(parents=True)
    (here / "refs" / "main").write_text(commit)
    (here / "snapshots").mkdir()
    return folder.rename(here / "snapshots" / commit)
