"""Words that say nothing about what a text is about: English ones as data, those of other languages from Whoosh.

The English ones are the words of the Snowball stop list (snowballstem.org/algorithms/english/stop.txt) that carry no
meaning in notes about code, with what is left of contractions when a text is cut at its apostrophes. Dropping them and
the question words is worth +0.05 nDCG@10 on talk (measured: plain BM25 over LoCoMo's turns, 0.385 to 0.441).
"""

from __future__ import annotations

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
    """.split()  # noqa: SIM905 - two hundred quoted words on as many lines say no more
)

# Dropped from queries only: a memory may be found by them when a query has nothing else.
QUESTION = frozenset(
    ("did", "do", "does", "doing", "how", "what", "when", "where", "which", "who", "whom", "whose", "why")
)


def words_of(language: str) -> frozenset[str]:
    """Return the stop words of another language than English; none where nobody has a list.

    They are Snowball's as Whoosh brings them along: Danish, Dutch, Finnish, French, German, Hungarian, Italian,
    Norwegian, Portuguese, Russian, Spanish, Swedish and Turkish. They are dropped from memories and queries alike.
    """
    import whoosh.lang  # 2 ms with its lists (measured), and for no store in English

    try:
        return frozenset(whoosh.lang.stopwords_for_language(language))
    except whoosh.lang.NoStopWords:
        return frozenset()
