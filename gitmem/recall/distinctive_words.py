"""Remove from a query the words that many memories have, before it is embedded.

A name that is in every second memory of a store pulls a query's vector towards all of them. So a query is embedded
twice, as typed and without such words, and the search uses the sum of the two vectors. Measured on the recall
benchmark's public half with MiniLM, cosines alone, nDCG@10 by the query as typed, by the rest alone, and by the sum:
LoCoMo turns (each with the one before as well) .413 .493 .488; sessions .614 .693 .708; CoSQA .588 .581 .590; Cranfield
.497 .490 .498.
"""

from __future__ import annotations

from gitmem.model import ENGLISH
from gitmem.policy.settings import DenseSettings
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from gitmem.index import Stats

DENSE = DenseSettings()

# In fewer memories than this, a word may be in half of them by chance.
FEWEST = 10
# A word with attached letters: "Caroline's" is removed as a whole.
_WORD = r"\w+(?:['\u2019]s\b)?"


def distinctive_text(query: str, stats: Stats, *, settings: DenseSettings = DENSE, language: str = ENGLISH) -> str:
    """Return a query without the words that more than ``settings.common`` of the memories have.

    Stop words stay, because a model reads sentences.

    Args:
        query: The query as typed.
        stats: The statistics of its terms (``analysis.query_terms``), from one or several engines.
        settings: The policy's; with ``common`` 0 nothing is left out.
        language: The language in which the terms are analysed.

    Returns:
        The text to embed besides the query; empty if nothing is left out, or if no distinctive word would remain.
    """
    most = settings.common * stats.documents
    common = {term for term, df in stats.frequency.items() if df > most}
    if not settings.common or stats.documents < FEWEST or not common:
        return ""
    import re  # a third of a bare start, and only where words are left out

    left = [term for term in tokens.query_terms(query, language) if term not in common]

    def keep(word: re.Match[str]) -> str:
        terms = [term for term in tokens.terms(word[0], language) if term in stats.frequency]
        return "" if terms and common.issuperset(terms) else word[0]

    text = " ".join(re.sub(_WORD, keep, query).split())
    return text if left and text != " ".join(query.split()) else ""
