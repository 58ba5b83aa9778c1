"""Split a text into the tokens of a Llama tokenizer, without the package ``tokenizers``. Pure.

That package takes 30 ms to import and to load, more than all else that embeds a question. In a Llama tokenizer each
space becomes ``▁``, which no token has after its beginning (except runs of spaces), so each word is split on its own:
the pair of neighbours whose union has the lowest rank becomes one token, until no union is a token. Characters that no
token has become bytes.

Source: Sennrich, Haddow, Birch 2016, "Neural machine translation of rare words with subword units"; the file format of
the package tokenizers 0.23 (``tokenizer.json``). Tests compare the tokens with the package's.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    # A token: its text, its number, and the rank of its merge; -1 if no merge makes it.
    Token = tuple[str, int, int]

SPACE = "\u2581"
# What the normalizer of such a file does; with any other, the package is needed.
_NORMALIZER = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": SPACE},
        {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
    ],
}
_PLAIN_MODEL = {
    "type": "BPE", "dropout": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
    "byte_fallback": True, "ignore_merges": False,
}  # fmt: skip
# Above any rank: a pair that is not a token.
_NEVER = 1 << 62
_SHIFT = 32


@frozen
class TokenVocabulary:
    """What is known of a tokenizer at question time.

    Attributes:
        specials: Texts that are tokens wherever they occur, with their numbers.
        unknown: The number of the token for unknown words, which has no meaning; -1 for none.
        longest: The most characters of a token.
    """

    specials: tuple[tuple[str, int], ...]
    unknown: int
    longest: int


def read_tokenizer(found: Mapping[str, Any]) -> tuple[TokenVocabulary, list[Token]] | None:
    """Return the vocabulary and the tokens of a parsed ``tokenizer.json``, or None if it is of another kind.

    The ranks of merges must follow from those of the tokens that they make; of two merges that make the same token, the
    one whose left part has the lower number comes first.
    """
    model, added = found["model"], found["added_tokens"]
    has_plain_model = all(model.get(name) == value for name, value in _PLAIN_MODEL.items())
    if found["normalizer"] != _NORMALIZER or found["pre_tokenizer"] is not None or not has_plain_model:
        return None
    if any(token["lstrip"] or token["rstrip"] or token["single_word"] or token["normalized"] for token in added):
        return None
    numbers: dict[str, int] = model["vocab"]
    if any(byte_token(byte) not in numbers for byte in range(256)) or any(" " in text for text in numbers):
        return None
    if any(SPACE in text[1:] and text.strip(SPACE) for text in numbers):
        return None
    ranks: dict[str, int] = {}
    pairs = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in model["merges"]]
    for left, right in pairs:
        ranks.setdefault(left + right, len(ranks))
    ordered = sorted(pairs, key=lambda pair: (ranks[pair[0] + pair[1]], numbers[pair[0]]))
    if ordered != pairs or set(pairs) != set(_splits(ranks, numbers)):
        return None
    unknown = numbers.get(model["unk_token"] or "", -1)
    vocabulary = TokenVocabulary(
        tuple((token["content"], token["id"]) for token in added), unknown, max(map(len, numbers), default=1)
    )
    return vocabulary, [(text, number, ranks.get(text, -1)) for text, number in numbers.items()]


def _splits(ranks: Mapping[str, int], numbers: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield every way to make a token of two others."""
    for text in ranks:
        for at in range(1, len(text)):
            if text[:at] in numbers and text[at:] in numbers:
                yield text[:at], text[at:]


def byte_token(byte: int) -> str:
    """Return the text of the token for a byte of UTF-8."""
    return f"<0x{byte:02X}>"


def parts_of(text: str, vocabulary: TokenVocabulary) -> list[str]:
    """Return the words of a text, each with the spaces before it as ``SPACE``; and special tokens, as they are."""
    parts: list[str] = []
    while text:
        places = [
            (place, -len(special), special) for special, _ in vocabulary.specials if (place := text.find(special)) >= 0
        ]
        place, _, special = min(places, default=(len(text), 0, ""))
        if place:
            parts += _words(SPACE + text[:place].replace(" ", SPACE))
        parts += [special] if special else []
        text = text[place + len(special) :]
    return parts


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text in which ``SPACE`` stands for spaces."""
    begun, end = 0, len(text)
    while begun < end:
        after = begun
        while after < end and text[after] == SPACE:
            after += 1
        following = text.find(SPACE, after)
        following = end if following < 0 else following
        yield text[begun:following]
        begun = following


def pieces_of_words(words: Sequence[str], longest: int) -> set[str]:
    """Return every part of some words that may be a token, and the tokens of the bytes of other characters."""
    pieces: set[str] = set()
    for word in words:
        size = len(word)
        for begin in range(size):
            pieces.update([word[begin:end] for end in range(begin + 1, min(begin + longest, size) + 1)])
    others = {byte for char in {*"".join(words)} for byte in char.encode("utf-8", "replace")}
    return pieces.union(map(byte_token, others))


def tokens_of(word: str, known: Mapping[str, tuple[int, int]]) -> list[int]:
    """Return the numbers of a word's tokens.

    Args:
        word: A part of ``parts_of`` that is not a special token.
        known: The number and the rank of each token among the word's parts (``pieces_of_words``).
    """
    parts: list[str] = []
    for char in word:
        parts += [char] if char in known else [byte_token(byte) for byte in char.encode("utf-8", "replace")]

    def priority(at: int) -> int:
        piece = known.get(parts[at] + parts[at + 1])
        return piece[1] << _SHIFT | known[parts[at]][0] if piece is not None and piece[1] >= 0 else _NEVER

    ranks = [priority(at) for at in range(len(parts) - 1)]
    while ranks and (lowest := min(ranks)) != _NEVER:
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at < len(ranks):
            ranks[at] = priority(at)
        if at:
            ranks[at - 1] = priority(at - 1)
    return [known[part][0] for part in parts]
