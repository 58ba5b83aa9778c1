"""The words that mark a learning or a decision, in the languages in which people and agents write. Pure.

One table: what answers, comments and commit messages are searched for, and what says in advance that there is nothing
to search.
"""

from __future__ import annotations

LEARNED, DECISION, FACT = "learned", "decision", "fact"
# The last paragraph of a captured memory, which says which failure it followed, begins with this.
CIRCUMSTANCES = "Captured after"
# What a memory of a repaired failure says before the changed files.
REPAIRED = "and passed after changes of"

# In lower case. What is a marker before a colon is also one as a heading.
MARKERS = {
    "learned": LEARNED, "learnt": LEARNED, "learning": LEARNED, "learnings": LEARNED, "lesson": LEARNED,
    "lessons": LEARNED, "lesson learned": LEARNED, "lessons learned": LEARNED,
    "key learning": LEARNED, "key learnings": LEARNED, "new learnings": LEARNED, "what i learned": LEARNED,
    "what we learned": LEARNED, "takeaway": LEARNED, "takeaways": LEARNED, "key takeaway": LEARNED,
    "key takeaways": LEARNED, "gotcha": LEARNED, "gotchas": LEARNED,
    "decision": DECISION, "decisions": DECISION, "key decision": DECISION,
    "key decisions": DECISION, "decisions made": DECISION, "decided": DECISION, "fact": FACT,
    "gelernt": LEARNED, "gelerntes": LEARNED, "erkenntnis": LEARNED, "erkenntnisse": LEARNED, "lektion": LEARNED,
    "entscheidung": DECISION, "entscheidungen": DECISION, "entschieden": DECISION,
    "aprendido": LEARNED, "aprendizaje": LEARNED, "aprendizajes": LEARNED, "lección aprendida": LEARNED,
    "lecciones aprendidas": LEARNED, "lo aprendido": LEARNED, "decisión": DECISION, "decisiones": DECISION,
    "appris": LEARNED, "apprentissage": LEARNED, "apprentissages": LEARNED, "leçon apprise": LEARNED,
    "leçons apprises": LEARNED, "décision": DECISION, "décisions": DECISION,
    "aprendizado": LEARNED, "aprendizados": LEARNED, "lições aprendidas": LEARNED, "decisão": DECISION,
    "decisões": DECISION, "imparato": LEARNED, "lezioni apprese": LEARNED, "decisione": DECISION, "decisioni": DECISION,
    "geleerd": LEARNED, "beslissing": DECISION, "урок": LEARNED, "уроки": LEARNED, "выводы": LEARNED,
    "решение": DECISION, "решения": DECISION, "경험": LEARNED, "교훈": LEARNED, "배운 점": LEARNED, "결정": DECISION,
    "经验": LEARNED, "经验教训": LEARNED, "教训": LEARNED, "学到": LEARNED, "学到了": LEARNED, "学到的": LEARNED,
    "学习到": LEARNED, "收获": LEARNED, "心得": LEARNED, "经验总结": LEARNED, "決定": DECISION, "决定": DECISION,
    "决策": DECISION, "經驗": LEARNED, "學到": LEARNED, "教訓": LEARNED, "学び": LEARNED, "学んだこと": LEARNED,
    "決定事項": DECISION,
}  # fmt: skip
# Every marker contains one of these, in lower case.
STEMS = tuple(
    """
    learn lesson takeaway gotcha decision decided fact gelernt erkenntnis lektion entsch
    aprend leccion lección decisi appr leçon
    décision lições decis imparat lezion geleerd beslissing урок вывод решени
    경험 교훈 배운 결정 经验 教训 学 收获 心得 决 決 經驗 學 教訓
    """.split()
)
_FACT_STEM = "fact"


def _raw_forms(stem: str) -> tuple[bytes, ...]:
    """Return a stem as transcripts have it: ``bytes.lower`` knows ASCII only, and JSON may spell out the rest."""
    forms = dict.fromkeys((stem, *(() if stem.isascii() else (stem.upper(), stem.capitalize()))))
    spelled = ("".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in form).lower() for form in forms)
    return tuple(
        dict.fromkeys((*(form.encode("utf-8").lower() for form in forms), *(word.encode() for word in spelled)))
    )


RAW_STEMS = tuple(form for stem in STEMS if stem != _FACT_STEM for form in _raw_forms(stem))


def may_mark(text: str) -> bool:
    """Return whether a text may mark a learning or a decision; mostly, it may not."""
    lower = text.lower()
    return any(stem in lower for stem in STEMS if stem != _FACT_STEM)


def may_mark_bytes(content: bytes) -> bool:
    """Return the same of a part of a transcript."""
    lower = content.lower()
    return any(stem in lower for stem in RAW_STEMS)
