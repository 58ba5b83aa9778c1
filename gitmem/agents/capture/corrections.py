"""Offer the agent a person's correction as a line to record, once: "no, never …", "use X, not Y", "we don't …".

Nothing is recorded behind the person's back: the agent decides whether it is a rule, and its command shows in the
session. A sentence is offered if it speaks of more than the work at hand: it says so ("from now on", "next time"), it
is a habit ("we prefer …"), it forbids something, or it prescribes something after a "no".
"""

from __future__ import annotations

from gitmem.agents.capture import correction_words as words_of
from gitmem.agents.capture.correction_words import plain
from gitmem.agents.capture.marks import is_marked, mark
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# Of a longer prompt only the beginning is read: a correction comes first. The longest sentence that is a rule.
READ_CHARS, SENTENCE_CHARS = 800, 200
WORDS_AT_LEAST = 3
OFFER = (
    "The person corrects you. If that is a rule for later sessions as well, record it in one sentence, for example: "
    "gitmem remember {} --kind convention"
)
_ENDS = ".!?。！？\n"
_CLAUSE_ENDS = ",:;!–—，、"


def offer_for(repository: OpenRepository, event: Event) -> str:
    """Return a line that offers a correction in a prompt as a memory; empty if it has none, or was offered before."""
    if not repository.config.context or not event.session:
        return ""
    rule = find_correction(event.prompt)
    if not rule or is_marked(repository, event.session, f"offer {rule}"):
        return ""
    from gitmem.text.secrets import find_secrets

    if find_secrets(rule):
        return ""
    mark(repository, event.session, f"offer {rule}")
    quoted = "".join(char for char in display(rule) if char not in '"\\`$')
    return OFFER.format(f'"{quoted}"')


def find_correction(prompt: str) -> str:
    """Return the sentence of a prompt in which a person states a rule; empty if there is none."""
    text = prompt.strip()[:READ_CHARS]
    if text.startswith(("<", "/")):  # text of the client, a command
        return ""
    is_refused = False
    own = "\n".join(line for line in text.splitlines() if not line.startswith(">"))
    for number, sentence in enumerate(_sentences(own)):
        if len(sentence) > SENTENCE_CHARS:
            continue
        if _is_unspaced(sentence):
            rule = _unspaced_rule(sentence, is_first=not number)
        else:
            rest = _after_refusal(sentence)
            is_refused = is_refused or rest != sentence
            rule = _rule_in(rest, is_refused=is_refused, is_first=not number or is_refused)
            if not rule and plain(sentence).startswith(words_of.CONTRADICTS) and not rest.endswith("?"):
                rule = rest[:1].upper() + rest[1:]
            is_refused = is_refused or _has(plain(sentence), words_of.BLAMES)
        if rule:
            return rule.rstrip(_ENDS + " ")
    return ""


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a prompt with the character that ends each; a point within a word ends none."""
    start = 0
    for at, char in enumerate(text + "\n"):
        if char in _ENDS and not (char == "." and text[at + 1 : at + 2].strip()):
            sentence = " ".join(text[start : at + 1].split())
            start = at + 1
            if sentence.strip(_ENDS + " -"):
                yield sentence


def _after_refusal(sentence: str) -> str:
    """Return what follows "no," or "that's wrong:" at the beginning; the sentence itself if it has no such word."""
    if plain(sentence).startswith(words_of.CONTRADICTS + words_of.DISAPPROVES):
        at = min((i for i in map(sentence.find, _CLAUSE_ENDS) if i > 0), default=len(sentence))
        return sentence[at + 1 :].strip(" -")
    word, _, after = sentence.partition(" ")
    is_refusal = word.lower().rstrip(_CLAUSE_ENDS) in words_of.REFUSES
    if is_refusal and (not after or word[-1] in _CLAUSE_ENDS or after[0] in "-–—"):
        return after.strip(" -–—")
    return sentence


def _rule_in(sentence: str, *, is_refused: bool, is_first: bool) -> str:
    sentence, is_introduced = _after_introduction(sentence)
    is_question = sentence.endswith("?")
    text = plain(sentence)
    clauses = list(_clauses(sentence))
    words = clauses[0] if len(clauses) == 1 else [word for clause in clauses for word in clause]
    if len(words) < WORDS_AT_LEAST:
        return ""
    lasts = _has(text, words_of.LASTS)
    if (is_question or words[0] in words_of.ASKS) and not (lasts and (words[0] == "how" or _is_request(words))):
        return ""
    is_rule = (
        is_introduced
        or lasts
        or _blames(text)
        or _wishes(text)
        or any(_is_habit(clause, words) for clause in clauses)
        or any(_forbids(clause, is_first=is_first and not i) for i, clause in enumerate(clauses))
        or any(_is_order(clause) for clause in clauses)
        or _prescribes(words, text)
        or (is_refused and _prescribes_instead(words, text))
    )
    is_passing = _has(text, words_of.PASSES) or _is_at_hand(text)
    return sentence[:1].upper() + sentence[1:] if is_rule and not is_passing else ""


def _is_at_hand(text: str) -> bool:
    """Return whether a sentence is about something at hand: "in this request"; not about "this project"."""
    words = [*text.split(), ""]
    return any(
        words[at] in words_of.THIS
        and words[at - 1] in words_of.BEFORE_THIS
        and words[at + 1] not in words_of.PLACE_NAMES
        for at in range(1, len(words) - 1)
    )


def _blames(text: str) -> bool:
    """Return whether a sentence says what is done wrong again and again: "you keep …", "you never …"."""
    if _has(text, words_of.FAULTS):
        return True
    after = next((text.partition(phrase)[2].split()[:1] for phrase in words_of.OFTEN_FAULTS if phrase in text), [])
    return bool(after) and after[0] not in words_of.ANYONE and not _is_past(after[0])


def _wishes(text: str) -> bool:
    """Return whether a sentence says what the person prefers in general, not which of several things."""
    after = next((text.partition(phrase)[2].split()[:1] for phrase in words_of.WISHES if phrase in text), None)
    return after is not None and words_of.DEFINITE.isdisjoint(after)


def _prescribes_instead(words: list[str], text: str) -> bool:
    """Return whether what follows a "no" prescribes something; "use the other file" is about the work at hand."""
    if words[0] in words_of.TAKES and words[1] in words_of.DEFINITE:
        return _has(text, words_of.OVER) or not words_of.EVER.isdisjoint(words)
    return words[0] not in words_of.REPORTS and not words_of.PRESCRIBES.isdisjoint(words)


def _after_introduction(sentence: str) -> tuple[str, bool]:
    """Return what follows "for future reference," or "remember:", and whether it begins so."""
    text = plain(sentence)
    if phrase := _beginning(text, words_of.INTRODUCES):
        return " ".join(sentence.split()[len(phrase.split()) :]).lstrip(":,;–— "), True
    head, _, rest = sentence.partition(":")
    return (rest.strip(), True) if head.lower() in words_of.HEADS else (sentence, False)


def _clauses(sentence: str) -> Iterator[list[str]]:
    """Yield the words of each clause of a sentence, without what only joins them."""
    for clause in sentence.replace(" - ", ",").replace(";", ",").replace(" so ", ",").split(","):
        words = plain(clause).split()
        if len(words) > 1 and words[0] in words_of.POLITE and plain(clause).startswith(words_of.FORBIDS):
            yield words
            continue
        while words and words[0] in words_of.POLITE:
            words = words[1:]
        if words:
            yield words


def _is_habit(clause: list[str], words: list[str]) -> bool:
    """Return whether a clause says what "we" do as a habit: "we prefer …", "here we log with …, not …"."""
    at = next((i for i, word in enumerate(clause[:8]) if word in words_of.WE), -1)
    if at < 0 or len(clause) < at + WORDS_AT_LEAST or not words_of.ASKS.isdisjoint(clause[:at]):
        return False
    verb = clause[at + 1]
    if verb in words_of.HABITS:
        return not _is_past(clause[at + 2]) and clause[at + 2] not in words_of.HARMLESS
    return verb not in words_of.NO_HABIT and not _is_past(verb) and not words_of.ONLY.isdisjoint(words)


def _forbids(clause: list[str], *, is_first: bool) -> bool:
    """Return whether a clause forbids something for good; after a task, "don't touch …" is a limit of that task."""
    text = f" {' '.join(clause)} "
    phrase = _beginning(text, words_of.FORBIDS)
    after = clause[len(phrase.split()) :]
    if not phrase or not after or after[0] in words_of.HARMLESS or _is_past(after[0]):
        return False
    if phrase.strip() in ("stop", "quit") and not after[0].endswith("ing"):
        return False
    if phrase.strip() in ("stop", "quit", "avoid") and "the" in after[:2]:  # what the program does
        return False
    return is_first or after[0] not in words_of.LIMITS


def _is_order(clause: list[str]) -> bool:
    """Return whether a clause orders something for good: "always …", "nie …"; not "always fails"."""
    if len(clause) < WORDS_AT_LEAST:
        return False
    first, verb = clause[:2]
    if first not in words_of.EVER:
        at = 2 if verb in words_of.GERMAN_OBJECTS else 1
        return clause[at] in words_of.GERMAN_EVER and not first.endswith("t") and first not in words_of.GERMAN_STATES
    if first in words_of.SPANISH_NEVER:
        return verb.endswith(("s", "e"))
    is_report = verb.endswith("s") and not verb.endswith("ss")
    return not is_report and not _is_past(verb) and verb not in words_of.NO_ORDER


def _prescribes(words: list[str], text: str) -> bool:
    """Return whether they prescribe: "use … instead of …", "in this project … must …".

    "Use the …" and "the dialog must always …" are about the work at hand.
    """
    first = words[0]
    if first in words_of.TAKES:
        is_general = words[1] not in words_of.DEFINITE and words[1] != "hier"
        return (is_general and _has(text, words_of.OVER)) or not words_of.EVER.isdisjoint(words)
    if _has(text, words_of.PLACES):
        return first not in words_of.REPORTS and not words_of.PRESCRIBES.isdisjoint(words)
    if first in words_of.OUR:
        return not words_of.ONLY.isdisjoint(words)
    if text.startswith((" bitte ", " por favor ", " per favore ")):
        return not words_of.EVER.isdisjoint(words)
    if first in words_of.DEFINITE or first in words_of.REPORTS:
        return False
    after = (text.partition(f" {verb} {ever} ")[2] for verb in ("must", "should", "to") for ever in ("always", "never"))
    return any(rest and rest.split()[0] not in words_of.HARMLESS for rest in after)


def _is_past(word: str) -> bool:
    return word in words_of.PAST or (word.endswith("ed") and not word.endswith("eed"))


def _is_request(words: list[str]) -> bool:
    """Return whether they ask for something politely: "could you in future …"."""
    return not words_of.REQUESTS.isdisjoint(words[:3])


def _beginning(text: str, phrases: tuple[str, ...]) -> str:
    """Return the longest of the phrases that a text begins with; empty if none."""
    if not text.startswith(phrases):
        return ""
    return max((phrase for phrase in phrases if text.startswith(phrase)), key=len)


def _has(text: str, phrases: Iterable[str]) -> bool:
    return any(map(text.__contains__, phrases))


def _is_unspaced(text: str) -> bool:
    return not text.isascii() and any("\u3040" <= char <= "\ud7af" for char in text)


def _unspaced_rule(sentence: str, *, is_first: bool) -> str:
    """Return a sentence in Chinese, Japanese or Korean if it states a rule."""
    if sentence.endswith(("?", "？")) or _has(sentence, (*words_of.UNSPACED_PASSES, *words_of.UNSPACED_ASKS)):
        return ""
    rule = sentence
    for word in words_of.UNSPACED_REFUSES:
        rule = rule.removeprefix(word)
    is_refused = rule != sentence
    first, *others = (
        part.strip() for part in rule.replace(",", "，").replace("、", "，").removeprefix("请").split("，")
    )
    whole = rule.rstrip(_ENDS)
    is_rule = (
        rule.startswith(words_of.UNSPACED_REMEMBERS)
        or any(part.startswith(words_of.UNSPACED_LASTS) for part in (first, *others))
        or (is_refused and _has(rule, words_of.UNSPACED_PRESCRIBES))
        or ((is_first or is_refused) and first.startswith(words_of.UNSPACED_ORDERS))
        or (first.startswith(words_of.UNSPACED_TAKES) and any(map(_is_over, others)))
        or any(_has(rule, words) and whole.endswith(ends) for words, ends in words_of.UNSPACED_PAIRS)
    )
    return rule if is_rule and len(rule) > WORDS_AT_LEAST and not first.startswith(words_of.UNSPACED_HARMLESS) else ""


def _is_over(clause: str) -> bool:
    return clause.startswith(words_of.UNSPACED_OVER)
