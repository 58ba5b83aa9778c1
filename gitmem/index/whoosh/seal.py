"""Tell an index that this person's gitmem wrote from one that came with a copied repository.

Whoosh unpickles what it reads, and whoever wrote a pickle decides what runs. So an index is opened only where the seal
on its stamp was made with a key that is outside of every repository.
"""

from __future__ import annotations

import json
import os
from hashlib import blake2b

from gitmem.system.file_lock import CLOSE_ON_EXEC, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

KEY_FILE = "index.key"
KEY_BYTES = 32


def key_in(folder: Path) -> bytes:
    """Return the key that is kept in a folder, made on first use; one for this process where it cannot be kept."""
    path = folder / KEY_FILE
    try:
        make_folder(folder)
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, 0o600)
    except FileExistsError:
        found = path.read_bytes()
        if len(found) == KEY_BYTES:
            return found
        path.unlink()  # somebody was killed while writing it
        return key_in(folder)
    except OSError:
        return os.urandom(KEY_BYTES)
    with os.fdopen(made, "wb") as file:
        fresh = os.urandom(KEY_BYTES)
        file.write(fresh)
    return fresh


def seal(stamp: Mapping[str, Any], key: bytes) -> str:
    """Return the seal of a stamp: of all in it but the seal itself."""
    values = {name: value for name, value in stamp.items() if name != "seal"}
    return blake2b(json.dumps(values, sort_keys=True).encode(), key=key, digest_size=16).hexdigest()


def sum_of(path: Path) -> str:
    """Return what a file sums to; nobody makes another file with the same sum."""
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()
