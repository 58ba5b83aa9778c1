"""Tokens of a Llama tokenizer: those of the package `tokenizers`, for any text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.models import MEANINGS, llama_tokenizer
from tokenizers import Tokenizer

from gitmem.index.embed.llama_tokens import parts_of, pieces_of_words, read_tokenizer, tokens_of

PACKAGE = Tokenizer.from_str(json.dumps(llama_tokenizer()))
MERGES = [pair for pair in llama_tokenizer()["model"]["merges"] if pair != "aa aa"]
PARTS = [*MEANINGS, " ", "   ", "\n", "\u2581", "a", "aaaaa", "in", "<s>", "</s>", "<unk>", "<0x0A>", "é", "文", "\x00"]


def tokens(text: str) -> list[int]:
    """Return the tokens of a text, as `packaged_model` finds them."""
    read = read_tokenizer(llama_tokenizer())
    assert read is not None
    vocabulary, rows = read
    specials, everything = dict(vocabulary.specials), {text: (number, rank) for text, number, rank in rows}
    words = parts_of(text, vocabulary)
    asked = pieces_of_words([word for word in words if word not in specials], vocabulary.longest)
    known = {piece: everything[piece] for piece in asked if piece in everything}
    return [n for word in words for n in ([specials[word]] if word in specials else tokens_of(word, known))]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.text(max_size=20))
def test_tokens_are_those_of_the_package(text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        return  # the package takes no lone surrogates

    assert tokens(text) == PACKAGE.encode(text, add_special_tokens=False).ids


def test_lone_surrogate_is_no_error() -> None:
    assert tokens("login \ud800")


@each(
    "change",
    [
        {"normalizer": None},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"added_tokens": [{**llama_tokenizer()["added_tokens"][0], "lstrip": True}]},
        {"model": {**llama_tokenizer()["model"], "byte_fallback": False}},
        {"model": {**llama_tokenizer()["model"], "merges": MERGES}},
        {"model": {**llama_tokenizer()["model"], "merges": MERGES[::-1]}},
    ],
)
def test_tokenizer_of_another_kind_is_left_to_the_package(change: dict[str, Any]) -> None:
    assert read_tokenizer({**llama_tokenizer(), **change}) is None
