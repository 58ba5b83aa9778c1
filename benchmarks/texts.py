"""Write the title and body of a memory from templates: always the same text for the same random numbers."""

from __future__ import annotations

from benchmarks import templates
from benchmarks import vocabulary as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random

# The share of a list's words is rank^(1/SKEW - 1): flatter than Zipf's law, because the function words of the
# templates are the head of the distribution already. Measured at 10,000 memories: the commonest noun stands in 24 %
# of them; 30,000 different words, most of them in one memory only.
SKEW = 1.4
# Half of the nouns of one memory come from the few of its topic, as words of one text do belong together.
TOPIC_NOUNS = 12
NUMBERS = tuple("2 3 4 5 8 10 12 16 20 32 50 64 100 128 200 250 500 512 1000 1024 2048 5000 10000".split())

# Slots whose words are drawn from one list.
LISTS = {
    "t": words.TECHNOLOGIES,
    "j": words.ADJECTIVES,
    "e": words.ERRORS,
    "d": words.DURATIONS,
    "p": words.PEOPLE,
    "w": words.SMALL_WORDS,
    "v": words.VERBS,
    "#": NUMBERS,
}


def _compiled(template: str) -> tuple[str, ...]:
    """Return literals and slots in turn, a literal first: cheaper to fill than ``str.format``."""
    parts: list[str] = []
    for chunk in template.split("{"):
        slot, closed, rest = chunk.partition("}")
        parts += [slot, rest] if closed else [chunk]
    return tuple(parts)


def _table(lines: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(_compiled(line) for line in lines)


_TITLES = {kind: _table(lines) for kind, lines in templates.TITLES.items()}
_OPENINGS = {kind: _table(lines) for kind, lines in templates.OPENINGS.items()}
_MIDDLES = _table(templates.MIDDLES)
_CLOSINGS = _table(templates.CLOSINGS)


class Writer:
    """Write titles and bodies from one stream of random numbers.

    Attributes:
        area: The area that the memory is about; set by ``begin``.
    """

    def __init__(self, rng: Random, paths: list[str]) -> None:
        self.random = rng.random
        self.paths = paths
        self.area = words.AREAS[0]
        self.topic = words.NOUNS[:TOPIC_NOUNS]

    def begin(self) -> None:
        """Choose the area and the topic of the next memory."""
        self.area = self.pick(words.AREAS)
        start = self.number(len(words.NOUNS) - TOPIC_NOUNS)
        self.topic = words.NOUNS[start : start + TOPIC_NOUNS]

    def pick(self, choices: tuple[str, ...]) -> str:
        """Return one of *choices*, the earlier ones more often."""
        return choices[int(self.random() ** SKEW * len(choices))]

    def number(self, limit: int) -> int:
        """Return a number from 0 to *limit* - 1, each as often."""
        return int(self.random() * limit)

    def title(self, kind: str) -> str:
        """Return a title of that kind (any but ``fact``: its title says what its check proves)."""
        text = self._filled(_TITLES[kind])
        starts_with_code = any(mark in text.split(" ", 1)[0] for mark in "._")
        return text if starts_with_code else text[0].upper() + text[1:]

    def body(self, kind: str) -> str:
        """Return a body of about 300 to 900 bytes: an opening, some sentences, sometimes code, a closing."""
        wanted = 275 + self.number(425)
        opening = self._filled(_OPENINGS[kind])
        sentences = [opening[0].upper() + opening[1:]]
        size = len(sentences[0])
        while size < wanted:
            sentence = self._filled(_MIDDLES)
            sentences.append(sentence[0].upper() + sentence[1:])
            size += len(sentence) + 1
        half = 1 + len(sentences) // 2
        blocks = [" ".join(sentences[:half]), " ".join([*sentences[half:], self._filled(_CLOSINGS)])]
        if self.random() < 0.15:
            call = f"{self.identifier()}({self.identifier()}, {self.pick(words.PARTS)}=None)"
            blocks.insert(1, f"```python\n{call}\n```")
        return "\n\n".join(blocks) + "\n"

    def identifier(self) -> str:
        """Return a name as code has it, in one of the usual spellings: these are the long tail of words."""
        verb, part, role = self.pick(words.VERBS), self.pick(words.PARTS), self.pick(words.ROLES)
        style = self.number(5)
        if style == 0:
            return f"{part.capitalize()}{role.capitalize()}.{verb}"
        if style == 1:
            return f"{verb}{part.capitalize()}{self.noun().capitalize()}"
        if style == 2:
            return f"{self.area}.{part}_{role}.{verb}_{self.noun()}"
        if style == 3:
            return f"{part}_{self.noun()}".upper()
        return f"{verb}_{part}_{self.noun()}"

    def noun(self) -> str:
        """Return a noun, as often of the topic as not."""
        return self.pick(words.NOUNS) if self.random() < 0.5 else self.topic[self.number(TOPIC_NOUNS)]

    def rare(self) -> str:
        """Return a ticket, a commit or a version: words that stand in one or two memories only."""
        style = self.number(4)
        if style == 0:
            return f"{int(self.random() * 16**8):08x}"
        if style == 1:
            return f"v{self.number(4)}.{self.number(30)}.{self.number(20)}"
        return f"{self.area[:3].upper()}-{100 + self.number(9000)}"

    def _filled(self, table: tuple[tuple[str, ...], ...]) -> str:
        parts = list(table[int(self.random() * len(table))])
        for place in range(1, len(parts), 2):
            word = self._slot(parts[place])
            if word[0] in "aeiou" and parts[place - 1].endswith((" a ", "A ")):
                word = f"n {word}"
                parts[place - 1] = parts[place - 1][:-1]
            parts[place] = word
        return "".join(parts)

    def _slot(self, name: str) -> str:
        choices = LISTS.get(name)
        if choices is not None:
            return self.pick(choices)
        if name in "nm":
            return self.noun()
        if name == "a":
            return self.area if self.random() < 0.7 else self.pick(words.AREAS)
        if name == "c":
            return f"the {self.area} {self.pick(words.PARTS)} {self.pick(words.ROLES)}"
        if name == "i":
            return self.identifier()
        if name == "f":
            return self.paths[self.number(len(self.paths))]
        assert name == "x", name
        return self.rare()
