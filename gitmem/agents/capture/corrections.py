"""Offer the agent a person's correction as a line to record, once: "no, never …", "use X, not Y", "always …".

Nothing is recorded behind the person's back: the agent decides whether it is a rule, and its command shows in the
session.
"""

from __future__ import annotations

import re

from gitmem.agents.capture.marks import is_marked, mark
from gitmem.text import display
from gitmem.text.secrets import find_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.event import Event
    from gitmem.repository import OpenRepository

# Of a longer prompt only the beginning is read: a correction comes first. The longest sentence that is a rule.
READ_CHARS, SENTENCE_CHARS = 800, 200
OFFER = (
    "The person corrects you. If that is a rule for later sessions as well, record it in one sentence, for example: "
    "gitmem remember {} --kind convention"
)
_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:\.(?=\w)[^.!?\n。！？]+)*[.!?。！？]?")
_RULE = re.compile(
    r"(?i)\b(?:always|never|don'?t|do not|must|use|not|instead|immer|nie|niemals|nicht|nimm|verwende|benutze|siempre"
    r"|nunca|usa|usar|jamais|toujours|utilise)\b"
)
_REFUSES = re.compile(r"(?i)^(?:no|nope|nein|wrong|falsch|stop|non|nee)\s*[,:;!–—-]+\s*(?P<rest>.+)")
_WRONG = re.compile(
    r"(?i)^(?:no[,:]? )?(?:that'?s|that is|this is|das ist|eso está|c'est)"
    r" (?:wrong|not right|incorrect|falsch|nicht richtig|mal|faux)\b[,:;–—-]+(?P<rest>.+)"
)
_STATES = re.compile(
    r"(?i)^(?:please |bitte |por favor )?(?:"
    r"(?:always|never|from now on|immer|nie|niemals|ab jetzt|ab sofort|siempre|nunca|toujours|jamais|à partir de)\b.+"
    r"|(?:use|take|prefer)\b.+\b(?:not|instead of|rather than|over|never)\b.+"
    r"|(?:nimm|verwende|benutze)\b.+\b(?:nicht|statt|sondern)\b.+|nicht\b.+\bsondern\b.+"
    r"|(?:usa|utiliza|utilise)\b.+\b(?:no|en lugar de|pas|au lieu de)\b.+"
    r"|(?:don'?t|do not) ever\b.+|we (?:always|never) .+)"
)
_UNSPACED = re.compile(
    r"^(?:不对|不是|错了)?[，,]?\s*(?:以后|请|从现在开始)?(?:不要|别|永远不要|禁止|必须|总是|一律).{2,}|.+(?:ではなく|じゃなくて).{2,}"
    r"|.*(?:必ず|絶対に).{2,}(?:して|しないで|使って|ください).*"
)
WORDS_AT_LEAST = 3


def offer_for(repository: OpenRepository, event: Event) -> str:
    """Return a line that offers a correction in a prompt as a memory; empty if it has none, or was offered before."""
    if not repository.config.context or not event.session:
        return ""
    rule = find_correction(event.prompt)
    if not rule or find_secrets(rule) or is_marked(repository, event.session, f"offer {rule}"):
        return ""
    mark(repository, event.session, f"offer {rule}")
    quoted = "".join(char for char in display(rule) if char not in '"\\`$')
    return OFFER.format(f'"{quoted}"')


def find_correction(prompt: str) -> str:
    """Return the sentence of a prompt in which a person states a rule; empty if there is none."""
    text = prompt.strip()
    if text.startswith(("<", "/")):  # text of the client, a command
        return ""
    for sentence in _SENTENCE.findall(text[:READ_CHARS]):
        rule = _rule_in(" ".join(sentence.split()))
        if rule:
            return rule
    return ""


def _rule_in(sentence: str) -> str:
    if not sentence or len(sentence) > SENTENCE_CHARS or sentence.endswith(("?", "？")):
        return ""
    plain = sentence.rstrip(".!。！ ")
    if _UNSPACED.match(plain):
        return plain
    refused = _REFUSES.match(plain)
    if refused is not None and _RULE.search(refused["rest"]):
        return _long_enough(refused["rest"])
    wrong = _WRONG.match(plain)
    if wrong is not None:
        return _long_enough(wrong["rest"])
    return _long_enough(plain) if _STATES.match(plain) else ""


def _long_enough(rule: str) -> str:
    rule = rule.strip()
    return rule[:1].upper() + rule[1:] if len(rule.split()) >= WORDS_AT_LEAST else ""
