"""Find a model's files on this machine, without loading the model; download them only on request."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.errors import EmbeddingError
from gitmem.system import only_regular, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Files up to this size are hashed completely: configurations, tokenizers, a pooling layer.
WHOLE_BYTES = 1 << 20
# Of a larger file, this many blocks of this size are hashed, evenly spaced. In 90 MB of weights they are 350 KB apart,
# and the smallest matrix of MiniLM is 590 KB, so a change to any layer is noticed. 256 reads take 0.7 ms at every
# start; hashing the whole file takes 130 ms (measured).
SAMPLES = 256
SAMPLE_BYTES = 4096
# A model's folder holds some twenty files; a user's home directory holds more.
FILES_AT_MOST = 500


def is_path(name: str) -> bool:
    """Return whether a setting names a folder of this machine, which must be absolute or start with ``~``.

    Relative paths are not accepted: they would depend on the current folder, often a repository, and the contents of a
    repository must not decide which model reads the memories.
    """
    return name.startswith(("/", "~"))


def folder_of(name: str, *, cache: str, owner: str, wanted: Sequence[str] = ()) -> Path:
    """Return the folder of a model: a path, or a model of the Hugging Face hub that was downloaded before.

    Args:
        name: A path (``is_path``) or ``owner/name``.
        cache: The hub's cache folder.
        owner: The owner of a model whose name has none.
        wanted: Patterns of the files to download into the cache first; empty to download nothing.

    Raises:
        EmbeddingError: There is no such folder or model, or it could not be downloaded.

    Source: huggingface_hub, "Understand caching": ``models--owner--name/refs/main`` holds the commit whose files are
    in ``snapshots/<commit>``.
    """
    if is_path(name):
        folder = Path(os.path.expanduser(name))
        if not folder.is_dir():
            raise EmbeddingError(f"there is no model folder {folder}", hint="check git config gitmem.embed")
        return folder
    full = name if "/" in name else f"{owner}/{name}"
    if wanted:
        # Even if the folder exists: an interrupted download leaves only some of the files.
        _fetch(full, cache, wanted)
    cached = find_cached(full, cache)
    if not cached:
        message = f"the model {full} is not on this machine"
        raise EmbeddingError(message, hint="download it: gitmem embed rebuild --download")
    return cached


def find_cached(full: str, cache: str) -> Path | None:
    """Return the folder of a model of the hub in its cache, or None if it was not downloaded."""
    here = Path(cache, "models--" + full.replace("/", "--"))
    try:
        commit = read_regular(here / "refs" / "main").decode("ascii").strip()
    except (OSError, ValueError):
        return None
    folder = here / "snapshots" / commit
    return folder if commit.isalnum() and folder.is_dir() else None


def _fetch(full: str, cache: str, wanted: Sequence[str]) -> None:
    try:
        from huggingface_hub import snapshot_download  # 220 ms (measured), and only here

        snapshot_download(full, cache_dir=cache, allow_patterns=list(wanted))
    except Exception as err:
        # The hub's client raises its own errors, httpx's, and the system's.
        why = f"{type(err).__name__}: {err}".splitlines()[0]
        message = f"the model {full} could not be downloaded: {why}"
        raise EmbeddingError(message, hint="check its name, and that huggingface.co is reachable") from err


def digest_of(folder: Path) -> str:
    """Return 12 hex digits that change when the model's files change, but not when the folder moves.

    Raises:
        EmbeddingError: It cannot be read, or is not a model's folder.
    """
    import hashlib  # 3 ms (measured)

    total = hashlib.blake2b(digest_size=6)
    try:
        for path in _files(folder):
            total.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode("utf-8", "surrogateescape"))
            for block in _blocks(path):
                total.update(block)
    except OSError as err:
        raise EmbeddingError(f"the model folder {folder} cannot be read: {err.strerror or err}") from err
    return total.hexdigest()


def _files(folder: Path) -> list[Path]:
    """Return the model's files in a folder and its subfolders, sorted, without hidden and Markdown files."""
    tops = [path for path in folder.iterdir() if not path.name.startswith(".")]
    insides = [path for top in tops if top.is_dir() for path in top.iterdir() if not path.name.startswith(".")]
    files = sorted(path for path in tops + insides if path.suffix != ".md" and path.is_file())
    if len(files) > FILES_AT_MOST:
        raise EmbeddingError(f"the folder {folder} has more than {FILES_AT_MOST} files, so it is not a model")
    return files


def _blocks(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    with open(path, "rb", opener=only_regular) as file:
        if size <= WHOLE_BYTES:
            yield file.read(WHOLE_BYTES)
            return
        for number in range(SAMPLES):
            file.seek(number * (size - SAMPLE_BYTES) // (SAMPLES - 1))
            yield file.read(SAMPLE_BYTES)
