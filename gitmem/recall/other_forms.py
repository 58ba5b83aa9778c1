"""Find the words of a question that no memory has in another form: of another language, or spelt in another way.

A store is analysed in one language (``gitmem.text.tokens``), and people write their memories in several. So a word that
is in no memory as typed is looked for among the words of the index that have the same stem in the language of the
question, which its function words, letters and script show; without umlauts (``ue`` for ``ü``); and, for a name in
Latin letters, with the endings of Russian. A question whose words are all known costs nothing.

Only function words that are rare in English and in code show a language.
"""

from __future__ import annotations

from gitmem.model import ENGLISH, NO_LANGUAGE
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Known = Callable[[str], Iterable[str]]

_FUNCTION_WORDS = {
    "german": "der das und ist nicht ein eine einen einer eines wie wo welche welcher welches warum wird werden wurde"
    " für von zu zum zur auf dem den bei nach vor sind wenn sich auch wer wann",
    "french": "le les une du quel quelle quels quelles combien pour dans avec sur où comment pourquoi sont aux"
    " qui que ne pas ce cette",
    "spanish": "el los las una qué cómo cuándo cuando dónde donde por para son cada sin",
    "italian": "il gli che di della delle dei sono quale come perché dove nel nella è una",
    "portuguese": "os uma da dos das não quando onde como para são é um ao",
    "dutch": "het een niet wordt worden hoe waar welke voor zijn naar bij",
}
_OF_LANGUAGE = {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}
# Letters that one of these languages has and the others hardly.
_LETTERS = {"german": "äöüß", "french": "èêçàùœûîë", "spanish": "ñ¿¡", "portuguese": "ãõ"}
_CYRILLIC = ("\u0400", "\u045f")
# How umlauts and their like are written where a keyboard has none.
_UMLAUTS = {"ae": "a", "oe": "o", "ue": "u", "aa": "a"}
_SPELT = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
# The endings of Russian names in their cases, in the Latin letters of ``tokens``.
_ENDINGS = frozenset("a u e i y om em ym oi oy oyu ov ev am akh ami".split())
# A shorter word has too many neighbours to mean one of them.
_SHORTEST = 4
_SURE = 6
# The most forms of one word: few are ever more.
_FORMS = 5
# The most words that are looked for, each of which reads the words of the index with its beginning: of a long prompt,
# the first ones.
WORDS = 12
_AROUND = ".,;:?!()[]{}\"'`«»„“”¿¡"


def other_forms(text: str, terms: Sequence[str], frequent: Iterable[str], language: str, known: Known) -> list[str]:
    """Return the terms of a question with other forms in the places of those that no memory has.

    Args:
        text: The question as typed.
        terms: Its terms.
        frequent: Those that some memory has.
        language: The language of the stores that are asked.
        known: Returns the terms of all memories that begin with a text.
    """
    missing = set(terms) - set(frequent)
    languages = languages_of(text[: tokens.MAX_QUERY]) - {language} if language != NO_LANGUAGE else set()
    forms: dict[str, list[str]] = {}
    for word in (raw.strip(_AROUND) for raw in text[: tokens.MAX_QUERY].split()):
        if not word.isalpha() or len(forms) == WORDS:
            continue
        own = tokens.terms(word, language)
        if len(own) in (1, 2) and missing.issuperset(own) and own[0] not in forms:
            forms[own[0]] = _forms(word, own[0], languages, language, known)
    common = {term for name in languages for word in tokens.words_of(name) for term in tokens.terms(word, language)}
    specific = [form for term in terms for form in forms.get(term) or [term] if form not in common or forms.get(term)]
    return list(dict.fromkeys(specific or terms))


def languages_of(text: str) -> set[str]:
    """Return the languages that a question shows to be in: none, one, or several if they show equally."""
    low = text.lower()
    if any(_CYRILLIC[0] <= char <= _CYRILLIC[1] for char in low):
        return {"russian"}
    words = [word.strip(_AROUND) for word in low.replace("\u2019", "'").replace("'", "' ").split()]
    votes = {name: sum(word in its for word in words) for name, its in _OF_LANGUAGE.items()}
    for name, letters in _LETTERS.items():
        votes[name] += 2 * any(letter in low for letter in letters)
    if any(letter in low for letter in "áíóúé"):
        votes = {name: votes[name] + (name in ("spanish", "portuguese", "french")) for name in votes}
    most = max(votes.values())
    # One such word in a longer text is a name or a quotation.
    return {name for name, count in votes.items() if count == most} if most and most * 6 >= len(words) else set()


def _forms(word: str, term: str, languages: set[str], language: str, known: Known) -> list[str]:
    """Return the terms of memories that are another form of a word, at most some."""
    forms: dict[str, None] = {}
    # Without a sign of such a language, "poems" is no other spelling of "poms".
    least = _SHORTEST if languages else _SURE
    for spelt in (spelling for spelling in _spellings(word.lower()) if len(spelling) >= least):
        for one in tokens.terms(spelt, language):
            forms |= {found: None for found in known(one) if found == one}
    for name in sorted(languages):
        wanted = _stem(word, name)
        if len(wanted) >= _SHORTEST:
            # A stem may itself be a word that has another stem: журналы has the stem журнал, and журнал has журна.
            found = [found for found in known(wanted[:-1]) if wanted in (found, _stem(found, name))]
            forms |= dict.fromkeys(found)
    if language == ENGLISH and word.isascii() and word[0].isupper() and len(term) > _SHORTEST:
        forms |= {found: None for found in known(term) if found.removeprefix(term) in _ENDINGS}
    return list(forms)[:_FORMS]


def _spellings(word: str) -> list[str]:
    """Return a word with umlauts spelt as two letters, or with two letters as the plain one that an umlaut becomes."""
    spelt, plain = word, word
    for letter, letters in _SPELT.items():
        spelt = spelt.replace(letter, letters)
    for letters, letter in _UMLAUTS.items():
        plain = plain.replace(letters, letter)
    return [other for other in (spelt, plain) if other != word]


def _stem(word: str, language: str) -> str:
    """Return the stem of a word that may have lost its accents; the same for both."""
    plain = tokens.fold(word).lower()
    return tokens.fold(tokens.stems([plain], language)[0])
