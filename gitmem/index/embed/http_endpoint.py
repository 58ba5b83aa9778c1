"""An endpoint that speaks OpenAI's protocol: a local server (Ollama, vLLM, llama.cpp, TEI) or a service.

The embedded texts leave this process; ``gitmem.system.http`` defines how they are sent and which answers are accepted.

Source: OpenAI, API reference, "Create embeddings".
"""

from __future__ import annotations

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.provider import BATCH, LONGEST, no_rows, unit_rows
from gitmem.system.http import Endpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.embed.provider import Vectors

# How many seconds to wait for a query, and for a batch (not measured). After that, recall continues without vectors; a
# model on a CPU takes seconds for a batch.
QUERY_S = 5.0
BATCH_S = 60.0
# The largest accepted answer: more dimensions than any known model has (OpenAI's largest: 3,072), 25 characters a
# number (a double takes 24: -1.2345678901234567e-308), and room for the JSON around them.
DIMENSIONS = 8192
NUMBER_BYTES = 26
AROUND_BYTES = 1 << 20


class HttpEndpoint:
    """A model behind a URL."""

    longest = LONGEST

    def __init__(self, setting: str, *, key: str = "", query_s: float = QUERY_S, batch_s: float = BATCH_S) -> None:
        self._endpoint = Endpoint(setting, "embeddings", named="embed", what="embedding", error=EmbeddingError, key=key)
        self.name = setting
        self._query_s, self._batch_s = query_s, batch_s
        self._dimensions = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        if not texts:
            return no_rows()
        return np.concatenate([self._rows(texts[at : at + BATCH], self._batch_s) for at in range(0, len(texts), BATCH)])

    def query(self, text: str) -> Vectors:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return np.ravel(self._rows([text], self._query_s))

    def _rows(self, texts: Sequence[str], limit_s: float) -> Vectors:
        limit = AROUND_BYTES + len(texts) * DIMENSIONS * NUMBER_BYTES
        # OpenAI rejects empty texts.
        fields = {"input": [text or " " for text in texts], "encoding_format": "float"}
        rows = _in_order(self._endpoint.ask(fields, limit=limit, limit_s=limit_s), len(texts))
        if rows is None:
            raise self._endpoint.wrong(f"without a vector for each of {len(texts)} texts")
        found = unit_rows(rows, count=len(texts), name=self.name, dimensions=self._dimensions)
        self._dimensions = found.shape[1]
        return found


def _in_order(answer: object, count: int) -> list[object] | None:
    """Return the vectors in the order of the texts: an answer may have them in any order, each with an index."""
    by_index: dict[object, object] = {}
    data = answer.get("data") if isinstance(answer, dict) else None
    for one in data if isinstance(data, list) else []:
        if isinstance(one, dict) and type(one.get("index")) is int:
            by_index.setdefault(one["index"], one.get("embedding"))
    rows = [by_index.get(number) for number in range(count)]
    return rows if len(data or ()) == count and all(isinstance(row, list) for row in rows) else None
