"""Problems of vectors: a model that fails or does not respond, and unused folders."""

from __future__ import annotations

import os

from gitmem.errors import GitmemError
from gitmem.index.vectors.folders import FOLDER, VectorsLock, discard, list_others
from gitmem.model import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository


def examine(memory: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report problems of the model in the settings, and this store's unused vectors."""
    folder = memory.vectors_folder
    if not memory.config.embeds:
        return _check_unused(folder, (), fix, fixed) if os.path.isdir(os.path.join(folder, FOLDER)) else []
    from gitmem.index.embed.choose import need_numpy

    try:
        need_numpy(memory.config.embed)
        from gitmem.repository import semantic

        providers = semantic.providers_of(memory.config)
    except GitmemError as err:
        return [Problem("embedding-unusable", "", err.message, hint=err.hint, severity="warning")]
    assert providers is not None, "one is set up"
    silent = [
        Problem(
            "embedding-silent",
            "",
            f"{answer['problem']}; recall searches by words only",
            hint="gitmem embed status; or git config gitmem.embed off",
            severity="warning",
        )
        for answer in map(
            semantic.answer_of, dict(zip(semantic.each_model(providers), providers, strict=False)).values()
        )
        if not answer["answers"]
    ]
    return [*silent, *_check_unused(folder, semantic.each_model(providers), fix, fixed)]


def _check_unused(folder: str, models: tuple[str, ...] | list[str], fix: bool, fixed: list[str]) -> list[Problem]:
    found = list_others(folder, models)
    if not found:
        return []
    message = f"vectors of {len(found)} unused model{'s' * (len(found) != 1)}"
    if not fix:
        return [
            Problem(
                "vectors-unused", os.path.join(folder, FOLDER), message, hint="gitmem doctor --fix", severity="warning"
            )
        ]
    with VectorsLock(folder):
        for one in found:
            discard(one)
    fixed.append(f"removed {message}")
    return []
