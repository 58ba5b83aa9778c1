"""A sentence-transformers folder with an exported model, run by onnxruntime and tokenizers: no torch, a quick start."""

from __future__ import annotations

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.folder_model import FolderModel, pool
from gitmem.index.embed.provider import BATCH, no_rows, unit_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from gitmem.index.embed.directory import Directory
    from gitmem.index.embed.provider import Vectors

# onnxruntime, "SessionOptions.log_severity_level": errors only, because warnings would appear on the terminal.
ERRORS_ONLY = 3
# The token limit of a transformer that does not state one (BERT's positions).
TOKENS = 512


class OnnxDirectory(FolderModel):
    """A model exported to ONNX, with its tokenizer."""

    by = "onnx"

    def __init__(self, folder: Path, directory: Directory) -> None:
        super().__init__(folder, directory)
        self._loaded: tuple[Any, Any] | None = None

    def _rows(self, texts: list[str]) -> Vectors:
        if not texts:
            return no_rows()
        # Group texts of similar length: each batch is padded to its longest text.
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        rows: list[NDArray[Any]] = []
        try:
            session, tokenizer = self._load()
            for at in range(0, len(order), BATCH):
                rows += list(self._batch(session, tokenizer, [texts[number] for number in order[at : at + BATCH]]))
        except EmbeddingError:
            raise
        except Exception as err:
            # The errors of onnxruntime and tokenizers have no common base class but Exception.
            message = f"onnxruntime cannot run the model in {self._directory.folder}: {type(err).__name__}: {err}"
            raise EmbeddingError(message, hint="check git config gitmem.embed") from err
        by_number = dict(zip(order, rows, strict=True))
        return unit_rows([by_number[number] for number in range(len(texts))], count=len(texts), name=self.name)

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            import onnxruntime  # 170 ms with numpy (measured)
            from tokenizers import Tokenizer  # 20 ms (measured)

            options = onnxruntime.SessionOptions()
            options.log_severity_level = ERRORS_ONLY
            session = onnxruntime.InferenceSession(
                str(self._directory.onnx), sess_options=options, providers=["CPUExecutionProvider"]
            )
            tokenizer = Tokenizer.from_file(str(self._directory.folder / "tokenizer.json"))
            tokenizer.enable_truncation(self._directory.tokens or TOKENS)
            # The padding token and side are the model's; the length is that of each batch's longest text.
            padding = tokenizer.padding or {}
            tokenizer.enable_padding(**{**padding, "length": None})
            self._loaded = session, tokenizer
        return self._loaded

    def _batch(self, session: Any, tokenizer: Any, texts: list[str]) -> NDArray[Any]:
        encoded = tokenizer.encode_batch(texts)
        inputs = {
            "input_ids": np.array([encoding.ids for encoding in encoded], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask for encoding in encoded], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids for encoding in encoded], dtype=np.int64),
        }
        wanted = {path.name for path in session.get_inputs()}
        answers = session.run(None, {name: value for name, value in inputs.items() if name in wanted})
        tokens = next((answer for answer in answers if answer.ndim == 3), None)
        if tokens is None:
            raise EmbeddingError(f"the exported model {self._directory.onnx} does not output token vectors")
        return pool(tokens, inputs["attention_mask"], self._directory.pooling)
