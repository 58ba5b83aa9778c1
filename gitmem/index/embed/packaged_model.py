"""The packaged static model, read without numpy, whose import alone takes as long as 13 starts of Python.

The vector of a text is the mean of its tokens' rows, and only those are read from the file. What that needs to know
(``PlainFiles``, and the tokens) is stored with the vectors of a store by the process that embeds its memories, which
has read the whole model. The vectors are those of ``model2vec_model``, but for rounding: tests compare them.
"""

from __future__ import annotations

import os
import sys
from math import hypot
from struct import unpack

from gitmem.config import PACKAGED_MODEL
from gitmem.errors import EmbeddingError
from gitmem.frozen import frozen
from gitmem.index.embed.llama_tokens import TokenVocabulary, parts_of, pieces_of_words, read_tokenizer, tokens_of
from gitmem.system import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.index.embed.llama_tokens import Token

    Row = tuple[float, ...]
    Find = Callable[[Iterable[str]], Mapping[str, tuple[int, int]]]

# The files of the model below the folder of installed packages (``packaged``), without importing that.
WEIGHTS = f"{PACKAGED_MODEL}/weights/l2_supercat_256.safetensors"
TOKENIZER = f"{PACKAGED_MODEL}/tokenizers/l2_supercat_tokenizer_config.json"
# The folder of the vectors in a store's state folder (`vectors.folders`).
FOLDER = "vectors"
# The name of its vectors in the file, and the formats of a number that are read here.
VECTORS = "embedding.weight"
FORMATS = {"F16": "e", "F32": "f"}
# More than any such model has: the file in a store's folder may not be ours.
MOST_WIDTH, MOST_LONGEST = 4096, 256
# As `model2vec_model` has them.
TOKENS, LONGEST = 512, 900


@frozen
class PlainFiles:
    """Where the rows of the tokens are, and how texts are split into tokens.

    Attributes:
        name: The provider's name of the model.
        stamp: The sizes and times of the model's files: if they change, this is out of date.
        begin: Where the first row begins in the file of weights.
        width: How many numbers a row has.
        form: The format of a number (``struct``).
        vocabulary: How texts are split.
    """

    name: str
    stamp: str
    begin: int
    width: int
    form: str
    vocabulary: TokenVocabulary


def find_files() -> tuple[str, str, str] | None:
    """Return the files of the weights and of the tokenizer and their stamp, or None if the package is not installed."""
    for place in sys.path:
        if place.endswith(("site-packages", "dist-packages")):
            files = os.path.join(place, WEIGHTS), os.path.join(place, TOKENIZER)
            try:
                info = [os.stat(path) for path in files]
            except OSError:
                continue
            return *files, " ".join(f"{stat.st_size}.{stat.st_mtime_ns}" for stat in info)
    return None


def read_files(name: str) -> tuple[PlainFiles, list[Token]] | None:
    """Return what is stored of the packaged model, read from its files; None if they are of a form that needs numpy.

    Args:
        name: The provider's name of the model.
    """
    import json  # 3 ms (measured)

    files = find_files()
    if files is None:
        return None
    weights, tokenizer, stamp = files
    try:
        with open(weights, "rb") as file:
            (size,) = unpack("<Q", file.read(8))
            header = json.loads(file.read(size))
        with open(tokenizer, encoding="utf-8") as file:
            split = read_tokenizer(json.load(file))
    except (OSError, ValueError, LookupError, TypeError):
        return None
    found = header.get(VECTORS)
    if split is None or found is None or found["dtype"] not in FORMATS or {"weights", "mapping"} & header.keys():
        return None
    vocabulary, tokens = split
    begin, form = 8 + size + found["data_offsets"][0], FORMATS[found["dtype"]]
    return PlainFiles(name, stamp, begin, found["shape"][1], form, vocabulary), tokens


def read_plain_files(folder: str, stamp: str) -> PlainFiles | None:
    """Return what is stored of the packaged model in the vectors of a store; None if nothing, or of other files.

    Args:
        folder: The store's state folder.
        stamp: The stamp of the model's files (``find_files``).
    """
    lines = _read_lines(folder)
    if lines[1] != stamp:
        return None
    try:
        begin, width, form, unknown, longest = lines[2].split(" ")
        specials = [line.rpartition(" ") for line in lines[3:] if line]
        vocabulary = TokenVocabulary(
            tuple((text, int(number)) for text, _, number in specials), int(unknown), int(longest)
        )
        plain_files = PlainFiles(lines[0], stamp, int(begin), int(width), form, vocabulary)
    except ValueError:
        return None
    is_right = form in FORMATS.values() and 0 < plain_files.width <= MOST_WIDTH and plain_files.begin >= 0
    return plain_files if is_right and 0 < vocabulary.longest <= MOST_LONGEST else None


def write_plain_files(folder: str, files: PlainFiles | None, stamp: str) -> None:
    """Store what is known of the packaged model with the vectors of a store: None if it needs numpy.

    Raises:
        OSError: It cannot be written.
    """
    from gitmem.system.atomic_write import write_durably

    lines = ["", stamp, ""]
    if files is not None:
        split = files.vocabulary
        lines = [files.name, stamp, f"{files.begin} {files.width} {files.form} {split.unknown} {split.longest}"]
        lines += [f"{text} {number}" for text, number in split.specials]
    write_durably(_stored(folder), "\n".join(lines).encode())


def was_read(folder: str, stamp: str) -> bool:
    """Return whether it is stored what the model's files have, or that it needs numpy."""
    return _read_lines(folder)[1] == stamp


def _read_lines(folder: str) -> list[str]:
    """Return the lines of the stored file, at least three."""
    return [*read_file(_stored(folder)).decode("utf-8", "replace").split("\n"), "", "", ""]


def _stored(folder: str) -> str:
    return os.path.join(folder, FOLDER, PACKAGED_MODEL)


class PlainModel:
    """The packaged static model; see ``EmbeddingProvider``, whose rows are tuples here."""

    longest = LONGEST

    def __init__(self, path: str, files: PlainFiles, find: Find) -> None:
        """Prepare the model.

        Args:
            path: The file of the weights.
            files: What is known of it.
            find: Returns the number and the rank of those of some texts that are tokens.
        """
        self.name = files.name
        self._path, self._files, self._find = path, files, find
        self._rows: dict[int, Row] = {}

    def passages(self, texts: Sequence[str]) -> list[Row]:
        """Return a unit row per text; see ``EmbeddingProvider``."""
        vocabulary = self._files.vocabulary
        specials = dict(vocabulary.specials)
        split = [parts_of(text, vocabulary) for text in texts]
        words = {word for parts in split for word in parts} - specials.keys()
        known = self._find(pieces_of_words([*words], vocabulary.longest))
        tokens = {word: tokens_of(word, known) for word in words}
        tokens |= {word: [number] for word, number in specials.items()}
        numbers = [[number for word in parts for number in tokens[word]][:TOKENS] for parts in split]
        wanted = [[number for number in one if number != vocabulary.unknown] for one in numbers]
        self._read({number for tokens in wanted for number in tokens})
        return [self._mean(tokens) for tokens in wanted]

    def query(self, text: str) -> Row:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return self.passages([text])[0]

    def _read(self, numbers: Iterable[int]) -> None:
        """Read the rows of some tokens."""
        width, form = self._files.width, f"<{self._files.width}{self._files.form}"
        size = width * (2 if self._files.form == "e" else 4)
        missing = [number for number in numbers if number not in self._rows]
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                for number in missing:
                    self._rows[number] = unpack(form, os.pread(file, size, self._files.begin + number * size))
            finally:
                os.close(file)
        except Exception as err:  # struct raises its own error for a file that is too short
            raise EmbeddingError(f"the model {self._path} cannot be read: {err}") from err

    def _mean(self, numbers: Sequence[int]) -> Row:
        if not numbers:
            return (0.0,) * self._files.width
        total = [*map(sum, zip(*(self._rows[number] for number in numbers), strict=True))]
        return unit_of(total)


def unit_of(row: Sequence[float]) -> Row:
    """Return a row as one of length 1; a row of zeros stays zero."""
    length = hypot(*row)
    return tuple([value / length for value in row]) if length else tuple(row)
