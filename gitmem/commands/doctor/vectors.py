"""Problems of vectors: a model that fails or does not respond, and unused folders."""

from __future__ import annotations

import os

from gitmem.errors import GitmemError
from gitmem.index.vectors.folders import FOLDER, VectorsLock, discard, list_others
from gitmem.model import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitmem.repository import OpenRepository


def examine(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report problems of the model in the settings, and this store's unused vectors."""
    folder = repository.vectors_folder
    if not repository.config.model:
        return _check_unused(folder, (), fix, fixed) if os.path.isdir(os.path.join(folder, FOLDER)) else []
    from gitmem.index.embed.choose import need_numpy

    try:
        need_numpy(repository.config.model)
        from gitmem.repository import query_vectors

        providers = query_vectors.providers_of(repository.config)
    except GitmemError as err:
        return [Problem("embedding-unusable", "", err.message, hint=err.hint, severity="warning")]
    assert providers is not None, "one is set up"
    models = dict(zip(query_vectors.each_model(providers), providers, strict=False))
    answers = [query_vectors.answer_of(provider) for provider in models.values()]
    hint = "gitmem embed status; or git config gitmem.embed off"
    silent = [
        Problem(
            "embedding-silent", "", f"{answer['problem']}; recall searches by words only", hint=hint, severity="warning"
        )
        for answer in answers
        if not answer["answers"]
    ]
    return [*silent, *_check_unused(folder, models, fix, fixed)]


def _check_unused(folder: str, models: Collection[str], fix: bool, fixed: list[str]) -> list[Problem]:
    others = list_others(folder, models)
    if not others:
        return []
    message = f"vectors of {len(others)} unused model{'s' * (len(others) != 1)}"
    if not fix:
        path = os.path.join(folder, FOLDER)
        return [Problem("vectors-unused", path, message, hint="gitmem doctor --fix", severity="warning")]
    with VectorsLock(folder):
        for other in others:
            discard(other)
    fixed.append(f"removed {message}")
    return []
