"""Cut text into search terms: the single analysis shared by every engine, the scorer and the write path.

Terms are lower-case, alphanumeric and stemmed by Snowball, for the language that a store's policy names (English:
"Porter2"); an index is made and asked in one language. Identifiers, dotted names and paths give a term for the whole
and one for each part (``snake_case``: ``snakecas``, ``snake``, ``case``): worth +0.06 nDCG@10 on code (measured:
CoSQA, 0.336 to 0.394). Pure, and without ``re``, which costs 5 ms at every prompt (measured; the rest costs 1.3 ms).
"""

from __future__ import annotations

from itertools import chain, count, groupby

import Stemmer

from gitmem.frozen import frozen
from gitmem.memo import cache
from gitmem.model import ENGLISH, NO_LANGUAGE
from gitmem.text import composed, run_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

# Increased whenever the same text would give other terms. An index of another format is not searched but rebuilt.
_FORMAT = 3

MAX_TERM = 64  # a SHA-256 in hex is still one term; longer ones are not words
MAX_QUERY = 10_000  # the most characters read of a query: a long prompt; the rest would only take time
MAX_QUERY_TERMS = 256  # SQLite allows 999 parameters before 3.32, and nobody searches for more words
MAX_BODY = 100_000  # the most characters of a body searched for a snippet; files are smaller (layout.MEMORY_LIMIT)
_UPPER, _LOWER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), frozenset("abcdefghijklmnopqrstuvwxyz")
# After this many identifiers a process splits them by a pattern: with that many, more are likely to come.
MANY = 2_000
_split = count()
_MEMO_SIZE = 1 << 15  # 9 MB when full (measured); the candidates of one recall have 2,000 different words

# English stop words: those of the Snowball list (snowballstem.org/algorithms/english/stop.txt) that carry no meaning in
# notes about code, with what is left of contractions when a text is cut at its apostrophes. Dropping them and the
# question words is worth +0.05 nDCG@10 on talk (measured: plain BM25 over LoCoMo's turns, 0.385 to 0.441).
# Dropped from every text: memories and queries.
GENERAL = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by can
    cannot could during each few for from further had has have having he her here hers herself him himself his i
    if in into is it its itself just let me more most my myself no nor not now of off on once only or other
    ought our ours ourselves out over own same shall she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up us very was we were while will
    with would you your yours yourself yourselves
    aren couldn d didn doesn don hadn hasn haven isn ll m mustn re s shan shouldn t ve wasn weren wouldn
    aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mustnt neednt shouldnt wasnt werent wont wouldnt
    """.split()
)

# Dropped from queries only: a memory may be found by them when a query has nothing else.
QUESTION = frozenset(
    ("did", "do", "does", "doing", "how", "what", "when", "where", "which", "who", "whom", "whose", "why")
)

# Names of programming languages that differ from others only by a sign, and the words that they become.
_NAMES = {"C++": "cplusplus", "c++": "cplusplus", "C#": "csharp", "c#": "csharp", "F#": "fsharp", "f#": "fsharp"}
# A name that begins with a full stop, and how it is written so that "net" finds it as well as "dotnet".
_DOT_NET, _DOT_NET_WORD = ".net", "dot.net"
# Symbols and emoji that are words of their own, without the colours of skin.
_EMOJI = (
    ("\u2600", "\u27bf"),
    ("\U0001f300", "\U0001f3fa"),
    ("\U0001f400", "\U0001f6ff"),
    ("\U0001f900", "\U0001faff"),
)
_DIGITS = dict(zip(map(ord, "0123456789"), "ghijklmnop", strict=True))
# Cyrillic letters in Latin, as the United States Board on Geographic Names writes Russian, so that a name is found in
# either script.
_LATIN = dict(
    zip("абвгдезийклмнопрстуфыэіґ", "abvgdeziiklmnoprstufyeig", strict=True),
    **{"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"},
    **{"ё": "e", "є": "ye", "ї": "yi"},
)
_CYRILLIC = ("\u0400", "\u045f")
# Every ASCII character outside words, identifiers and paths, mapped to a space; in a fifth of a text's time (measured).
_GAPS = bytes(code if chr(code).isalnum() or chr(code) in "_./" else 32 for code in range(128)) + bytes(128)
# Characters of words in other scripts that ``str.isalnum`` excludes: vowel signs of Indic scripts (without danda) and
# of Arabic.
_SIGNS = (("\u0900", "\u0963"), ("\u0966", "\u0dff"), ("\u064b", "\u065f"), ("\u0670", "\u0670"))
# Scripts written without spaces: Thai and Lao, kana, Han, Hangul.
_UNSPACED = (
    *(("\u0e00", "\u0eff"), ("\u3040", "\u30ff"), ("\u31f0", "\u31ff"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff")),
    *(("\uac00", "\ud7af"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003134f")),
)
# Combining accents, soft hyphens and joiners, which are inside words and invisible when a query is typed.
_MARKS = frozenset(map(chr, [*range(0x300, 0x370), 0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF]))
# Latin letters that Unicode does not decompose into a base letter and an accent.
_LETTERS = dict(zip("ßẞæÆœŒøØđĐðÐþÞłŁıħĦ", "ss SS ae AE oe OE o O d D d D th TH l L i h H".split(), strict=True))


def format_stamp() -> str:
    """Return the version of the terms: this module's format and the versions of the stemmer and of Unicode.

    An index stores it and is rebuilt when it differs: deleting from it needs exactly the terms that were added.
    """
    from unicodedata import unidata_version

    return f"{_FORMAT} stemmer {Stemmer.version()} unicode {unidata_version}"


def tables() -> dict[str, object]:
    """Return the constants of the analysis of English as JSON values, for a script that analyses in the same way."""
    return {
        "max_term": MAX_TERM,
        "max_query": MAX_QUERY,
        "max_query_terms": MAX_QUERY_TERMS,
        "general": sorted(GENERAL),
        "question": sorted(QUESTION),
        "unspaced": [list(map(ord, ends)) for ends in _UNSPACED],
        "marks": sorted(map(ord, _MARKS)),
        "letters": _LETTERS,
        "names": _NAMES,
        "emoji": [list(map(ord, ends)) for ends in _EMOJI],
        "digits": {chr(digit): letter for digit, letter in _DIGITS.items()},
        "latin": _LATIN,
    }


def words_of(language: str) -> frozenset[str]:
    """Return the stop words of another language than English; none if there is no list.

    They are Snowball's lists, as shipped with Whoosh. They are dropped from memories and queries alike.
    """
    import whoosh.lang  # 2 ms with its lists (measured), and not for English

    try:
        return frozenset(whoosh.lang.stopwords_for_language(language))
    except whoosh.lang.NoStopWords:
        return frozenset()


class _Gaps(dict[str, str]):
    """Maps characters outside words, identifiers and paths to spaces, emoji to a word each, all others to nothing."""

    def __init__(self, signs: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__()
        self._signs = signs

    def __missing__(self, char: str) -> str:
        is_part = char.isalnum() or char in "_./" or _is_within(char, self._signs)
        # Letters only: digits would be a part of their own.
        word = f" emoji{f'{ord(char):x}'.translate(_DIGITS)} " if _is_within(char, _EMOJI) else " "
        self[char] = replacement = "" if is_part else word
        return replacement

    def fill(self, text: str, *, with_emoji: bool = True) -> str:
        """Return the text with what these characters are mapped to in their places, or with spaces only."""
        if text.isascii():
            return text.encode().translate(_GAPS).decode()
        for char in set(text):  # quicker than ``translate``, which is slow where a text is not ASCII
            if by := self[char]:
                text = text.replace(char, by if with_emoji else " ")
        return text


def _spell_words(text: str) -> str:
    """Return the text with contractions and names such as ``C++`` as words; ``i++`` and ``main.c#L1`` stay."""
    # One character is found much faster than two.
    if "'" in text:
        text = text.replace("n't", "nt")
    if "\u2019" in text:
        text = text.replace("n\u2019t", "nt")
    if "#" in text or ("+" in text and "++" in text):
        for name, word in _NAMES.items():
            if name in text:
                text = _spell_name(text, name, word)
    return text


def _spell_name(text: str, name: str, word: str) -> str:
    first, *others = text.split(name)
    pieces = [first]
    for before, after in zip([first, *others], others, strict=False):
        is_inside = before[-1:].isalnum() or before.endswith(("_", ".", "/"))
        is_name = not is_inside and not (after[:1].isalpha() or after.startswith(("_", "+", "#")))
        pieces += [word if is_name else name, after]
    return "".join(pieces)


def _is_within(char: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= char <= last for first, last in ranges)


def _chunks(text: str, gaps: _Gaps) -> list[str]:
    """Return the words of a text in order; those with a single full stop or slash between them are one."""
    chunks: list[str] = []
    for piece in gaps.fill(text).split():
        if piece[0] == "." and piece.rstrip(".").lower() == _DOT_NET:
            chunks.append(_DOT_NET_WORD)
        elif "." in piece or "/" in piece:
            chunks += _split_piece(piece)
        else:
            chunks.append(piece)
    return chunks


def _split_piece(piece: str) -> list[str]:
    """Return the words between two spaces as they are written: full stops and slashes at their ends are cut off."""
    for border in ("..", "//", "./", "/."):
        piece = piece.replace(border, " ")
    return [chunk for part in piece.split() if (chunk := part.strip("./"))]


def _split_identifier(identifier: str) -> list[str]:
    """Return the parts of an ASCII identifier; after many, by a pattern, in a fifth of the time (measured)."""
    few = next(_split) < MANY
    return [identifier[a:b] for a, b in _humps(identifier)] if few else _find_humps()(identifier)


@cache
def _find_humps() -> Callable[[str], list[str]]:
    import re  # 5 ms: not for one query

    return re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall


def _humps(text: str) -> list[tuple[int, int]]:
    """Return the positions of an identifier's parts: ``HTTPServer2`` has three."""
    humps = []
    at = 0
    while at < len(text):
        end = run_end(text, at, _UPPER.__contains__)
        if end == at:
            end = run_end(text, at, _LOWER.__contains__) if text[at] in _LOWER else run_end(text, at, str.isdecimal)
        elif end < len(text) and text[end] in _LOWER:
            if end - at > 1:  # the last capital begins the next part
                humps.append((at, end - 1))
                at = end - 1
            end = run_end(text, end, _LOWER.__contains__)
        if end > at:
            humps.append((at, end))
        at = max(end, at + 1)
    return humps


GAPS = _Gaps()


class Memo(dict[str, "Any"]):
    """A cache of a function's results for recently seen words: many texts have few distinct ones."""

    def __init__(self, function: Callable[[str], object]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: str) -> Any:
        """Return the result for a word that is not in the cache; a very long one is not kept."""
        result = self._function(word)
        if len(self) >= _MEMO_SIZE:
            self.clear()
        if len(word) <= MAX_TERM:
            self[word] = result
        return result


def _memos(stem: Callable[[str], str], dropped: frozenset[str]) -> tuple[Memo, Memo, Memo, Memo]:
    """Return caches of a chunk's terms: without stop words, the same joined, with stop words, and of its parts."""

    def analyse(chunk: str, without: frozenset[str] = dropped) -> tuple[str, ...]:
        words = [chunk.lower()] if _is_plain(chunk) else _words_of_spaced(chunk)
        return tuple([stem(word) for word in words if word not in without])

    terms, joined = Memo(analyse), Memo(lambda chunk: "".join([f" {term}" for term in analyse(chunk)]))
    return terms, joined, Memo(lambda chunk: analyse(chunk, frozenset())), Memo(lambda chunk: _parts(chunk, terms))


def _is_plain(chunk: str) -> bool:
    return chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower()) and len(chunk) <= MAX_TERM


def _words_of_spaced(word: str) -> list[str]:
    """Return the words of a chunk, or of several with full stops or slashes around them."""
    if "." not in word and "/" not in word:
        return _segment_words(word)
    return [part for chunk in _chunks(word, GAPS) for part in _words_of(chunk)] if word.isascii() else _words_of(word)


def _words_of(chunk: str) -> list[str]:
    """Return the lower-case words of one chunk, the whole before its parts; not stemmed."""
    segments = chunk.replace(".", "/").split("/")
    if len(segments) == 1:
        return _segment_words(chunk)
    words = [word for segment in segments for word in _SEGMENTS[segment] if len(word) > 1]
    whole = "".join(segments).replace("_", "").lower()
    return [whole, *words] if 0 < len(whole) <= MAX_TERM and not is_unspaced(chunk) else words


def _segment_words(segment: str) -> list[str]:
    """Return the words of an identifier: whole and in parts; single letters and digits are not parts."""
    is_ascii = segment.isascii()
    if not is_ascii and is_unspaced(segment):
        return _bigrams(segment)
    whole = segment.replace("_", "").lower()
    if len(whole) > MAX_TERM:
        return [whole[:MAX_TERM]]
    parts = _split_identifier(segment) if is_ascii else [part for part in segment.split("_") if part]
    if len(parts) > 1:
        return [whole, *[part.lower() for part in parts if len(part) > 1]]
    if is_ascii or not (_is_within(segment[0], (_CYRILLIC,)) and segment[0].isupper()):
        return [whole] if whole else []
    return [whole, "".join(map(_LATIN.get, whole, whole))]  # a name may be written in Latin elsewhere


_HUMPS, _SEGMENTS = Memo(_humps), Memo(_segment_words)


def is_unspaced(text: str) -> bool:
    """Return whether a text has characters of a script that is written without spaces."""
    return not text.isascii() and max(text) >= _UNSPACED[0][0] and any(_is_within(char, _UNSPACED) for char in text)


def _bigrams(segment: str) -> list[str]:
    """Return the overlapping pairs of characters of an unspaced script, and the words between its runs.

    Source: the CJK bigrams of Lucene's CJKAnalyzer.
    """
    words: list[str] = []
    runs = [(is_one, "".join(run)) for part in segment.split("_") for is_one, run in groupby(part, key=is_unspaced)]
    for is_without, run in runs:
        words += [run[i : i + 2] for i in range(max(1, len(run) - 1))] if is_without else _segment_words(run)
    return [word.lower() for word in words]


def fold(text: str) -> str:
    """Return the text in a uniform spelling: compatibility forms and accents folded, case kept for camelCase."""
    if text.isascii():
        return text
    from unicodedata import normalize  # an extension module: 0.2 ms, and most text is ASCII

    plain = normalize("NFC", _remove_marks(normalize("NFKD", text)))
    for letter in _LETTERS.keys() & set(plain):
        plain = plain.replace(letter, _LETTERS[letter])
    return plain


def _remove_marks(text: str) -> str:
    for mark in _MARKS.intersection(text):  # quicker than ``translate``, which is slow where a text is not ASCII
        text = text.replace(mark, "")
    return text


def _compose(text: str) -> str:
    """Return the text with its accents, which stemmers for languages other than English need."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return _remove_marks(normalize("NFKC", text))


@frozen
class _Speech:
    """How text in one language becomes terms.

    A text is brought into one spelling (by *unify*) and cut into words, identifiers and paths at *gaps*, with *terms*
    (*joined*: after a space each), *every* with stop words, and *parts*; *stem* is for words; queries lack *questions*.
    """

    unify: Callable[[str], str]
    gaps: _Gaps
    terms: Memo
    joined: Memo
    every: Memo
    parts: Memo
    stem: Callable[[str], str]
    questions: frozenset[str]

    def chunks(self, text: str) -> list[str]:
        return _chunks(_spell_words(self.unify(text)), self.gaps)

    def split(self, text: str) -> list[str]:
        # Pieces of ASCII with a full stop or slash around them are analysed once each, in the cache.
        return GAPS.fill(_spell_words(text)).replace(". ", " ").split() if text.isascii() else self.chunks(text)

    def cut(self, text: str, memo: Memo) -> list[str]:
        return list(chain.from_iterable(map(memo.__getitem__, self.split(text))))


@cache
def _speech(language: str) -> _Speech:
    """Return how text of a language becomes terms; raise ``KeyError`` if there is no stemmer for it."""
    stem = str if language == NO_LANGUAGE else Memo(Stemmer.Stemmer(language, 0).stemWord).__getitem__
    if language in (ENGLISH, NO_LANGUAGE):
        general, questions = (GENERAL, QUESTION) if language == ENGLISH else (frozenset(), frozenset())
        return _Speech(fold, GAPS, *_memos(stem, general), stem, questions)

    def stem_and_fold(word: str) -> str:
        return fold(stem(word))[:MAX_TERM] or word

    return _Speech(_compose, _Gaps(_SIGNS), *_memos(stem_and_fold, words_of(language)), stem_and_fold, frozenset())


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the search terms of a text, in order; the language's stop words are dropped, question words are not.

    Returns:
        Terms of 1 to 64 alphanumeric characters (and vowel signs), lower case, without accents; a compound's whole
        before its parts. The same words in the same spelling always give the same terms (for one ``format_stamp``).
    """
    speech = _speech(language)
    return speech.cut(text, speech.terms)


def joined_terms(text: str, language: str = ENGLISH) -> str:
    """Return the search terms of a field of a memory, a blank between two; if it has only stop words, these."""
    speech = _speech(language)
    joined = "".join(map(speech.joined.__getitem__, speech.split(text)))
    return joined[1:] or " ".join(all_terms(text, language) if text else ())


def all_terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a text, in order, including stop words."""
    speech = _speech(language)
    return speech.cut(text, speech.every)


def terms_at_chunks(text: str, language: str = ENGLISH) -> tuple[list[str], Memo]:
    """Return the words, identifiers and paths of a text, in order, and the terms of each, including stop words."""
    speech = _speech(language)
    return speech.split(text), speech.every


def terms_of_chunks(chunks: Iterable[str], language: str = ENGLISH) -> list[str]:
    """Return the terms of words, identifiers or paths, in order, including stop words; used for comparing texts."""
    speech = _speech(language)
    return list(chain.from_iterable(map(speech.every.__getitem__, map(speech.unify, chunks))))


def stems(words: Sequence[str], language: str = ENGLISH) -> list[str]:
    """Return the terms of plain lower-case words, one each; faster than ``terms`` for a table of them."""
    return list(map(_speech(language).stem, words))


def unify_spelling(text: str, language: str = ENGLISH) -> str:
    """Return a text in the uniform spelling in which it is analysed."""
    return _speech(language).unify(text)


def compounds(text: str, language: str = ENGLISH) -> list[tuple[str, ...]]:
    """Return the search terms of a text word by word: a compound's whole, then its parts; no stop words."""
    speech = _speech(language)
    return [found for chunk in speech.chunks(text) if (found := speech.terms[chunk])]


def query_terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the distinct terms of a query, in the order typed, without question words.

    A query has no syntax. At most 10,000 characters are read and 256 terms returned. A query of stop words only gives
    these words; one without any word gives an empty list.
    """
    speech = _speech(language)
    chunks = speech.chunks(text[:MAX_QUERY])
    chosen = [chunk for chunk in chunks if chunk.lower() not in speech.questions]
    found_terms = dict.fromkeys(chain.from_iterable(map(speech.terms.__getitem__, chosen)))
    if not found_terms:
        found_terms = dict.fromkeys(chain.from_iterable(map(speech.every.__getitem__, chunks)))
    return list(found_terms)[:MAX_QUERY_TERMS]


def snippet(
    body: str, terms: Sequence[str], *, width: int, language: str = ENGLISH
) -> tuple[str, list[tuple[int, int]]]:
    """Return the passage of a body with most of a query's terms, on one line, and their positions in it.

    Line breaks, other white space and Markdown fences become one space; an ellipsis shows a cut. Control characters are
    kept: ``sanitize`` makes them safe to show.

    Args:
        body: Markdown; its first 100,000 characters are read.
        terms: Analysed terms; without any, the passage is the body's beginning.
        width: The most characters, >= 20, including ellipses.
        language: The language of the terms.

    Returns:
        The passage, and the spans ``(start, end)`` of the matches in it, in order and apart from each other.
    """
    lines = composed(body[:MAX_BODY])
    if "```" in lines or "~~~" in lines:
        lines = "\n".join(" " if line.lstrip(" \t").startswith(("```", "~~~")) else line for line in lines.split("\n"))
    text = " ".join(lines.split())
    marks = _marks(text, frozenset(terms), _speech(language))
    start, end = (0, len(text)) if len(text) <= width else _window(text, _densest(marks, width - 2), width)
    head, tail = "…" * (start > 0), "…" * (end < len(text))
    shown = [(max(a, start), min(b, end)) for a, b, _ in marks if a < end and b > start]
    shift = len(head) - start
    return head + text[start:end] + tail, [(a + shift, b + shift) for a, b in _merge_spans(shown)]


def _marks(text: str, wanted: frozenset[str], speech: _Speech) -> list[tuple[int, int, str]]:
    """Return the positions of the wanted terms: ``(start, end, term)``, by start."""
    marks: list[tuple[int, int, str]] = []
    spaced = f" {speech.gaps.fill(text, with_emoji=False)} " if wanted else ""
    pieces = spaced.split()
    # Most have none of the terms and occur more than once: each is looked up once.
    here: dict[str, list[tuple[str, str, list[tuple[int, int, str]]]]] = {}
    for piece in _possible(set(pieces), wanted) if speech is _speech(ENGLISH) else set(pieces):
        chunks = _split_piece(piece) if "." in piece or "/" in piece else [piece]
        places = [(chunk, *_marked(chunk, wanted, speech)) for chunk in chunks]
        if any(term for _, term, _ in places):
            here[piece] = places
    end = 0
    for piece in (piece for piece in pieces if piece in here):
        end = spaced.index(f" {piece} ", end)
        for chunk, term, parts in here[piece]:
            start = text.index(chunk, end)
            end = start + len(chunk)
            if term:
                marks += [(start + a, start + b, part) for a, b, part in parts]
                if not marks or marks[-1][0] < start:
                    marks.append((start, end, term))
    return marks


def _marked(chunk: str, wanted: frozenset[str], speech: _Speech) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the first wanted term of a chunk, or an empty string, and its wanted parts if the whole is not wanted."""
    chunk_terms = speech.terms[speech.unify(chunk)]
    term = next(filter(wanted.__contains__, chunk_terms), "")
    is_part = term and (chunk_terms[0] != term or is_unspaced(chunk))
    return term, [part for part in speech.parts[chunk] if part[2] in wanted] if is_part else []


def word_start(term: str) -> str:
    """Return the beginning of every word that has this term, in English and lower case.

    The stemmer leaves two letters of a word as they are, but for *dying*, *lying* and *tying*.
    """
    return term[: 2 if len(term) > 3 else 1]


def _possible(chunks: set[str], wanted: frozenset[str]) -> set[str]:
    """Return the pieces that may have one of these terms; analysing all takes half of the time (measured)."""
    starts = tuple({word_start(term) for term in wanted})
    return {
        chunk
        for chunk in chunks
        if (low := chunk.lower()).startswith(starts)
        or (not (chunk.isalpha() and low[1:] == chunk[1:]) and _has_any(low, starts))
        or not chunk.isascii()
    }


def _has_any(low: str, starts: Iterable[str]) -> bool:
    # Without separators, a compound's whole and its parts are in one text.
    joined = low.replace("_", "").replace(".", "").replace("/", "")
    return any(start in joined for start in starts)


def _parts(chunk: str, terms: Memo) -> list[tuple[int, int, str]]:
    """Return the parts of a compound, sorted: words of an identifier, or pairs of an unspaced script."""
    parts = [(a, b, term) for a, b in _HUMPS[chunk] for term in terms[chunk[a:b]]]
    if not chunk.isascii():
        parts += [(i, i + 2, chunk[i : i + 2].lower()) for i in range(len(chunk) - 1)]
    return sorted(parts)


def _densest(marks: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """Return the first span of at most *width* characters with most distinct terms, then most matches."""
    best, span = (0, 0), (0, 0)
    inside: dict[str, int] = {}
    first = 0
    for last, (_, end, term) in enumerate(marks):
        inside[term] = inside.get(term, 0) + 1
        while first < last and end - marks[first][0] > width:
            inside[marks[first][2]] -= 1
            first += 1
        if (worth := (len(inside) - [*inside.values()].count(0), last - first + 1)) > best:
            best, span = worth, (marks[first][0], end)
    return span


def _window(text: str, span: tuple[int, int], width: int) -> tuple[int, int]:
    """Return a window around a span for *width* characters, a third of the room before it, cut between words."""
    first, last = span
    word = text.rfind(" ", 0, first) + 1
    first = word if last - word <= width - 2 else first
    room = max(0, width - 2 - (last - first))
    start = max(0, min(first - room // 3, len(text) - (width - 1)))
    if start and (space := text.find(" ", start - 1, first)) >= 0:
        start = space + 1
    end = start + width - (start > 0)
    if end >= len(text):
        return start, len(text)
    space = text.rfind(" ", last, end)
    return start, space if space >= 0 else end - 1


def _merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted spans, with those that touch or overlap merged."""
    united: list[tuple[int, int]] = []
    for start, end in spans:
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
