"""Move the stores to another embedding model: questions use the old one until all memories have new vectors."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from gitmem.commands.embed import stores_of
from gitmem.config import variable
from gitmem.errors import BusyError
from gitmem.frozen import replace
from gitmem.index.vectors import update
from gitmem.repository.query_vectors import count_missing, providers_of
from gitmem.results import ModelPlan
from gitmem.store.state import background

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.index.vectors.update import Providers
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

SETTING = "gitmem.embed"
# How long memories are embedded to estimate the time for the rest; these are done.
SAMPLE_S = 1.5
# How long to wait for a process that embeds with the previous model, and how often to try.
WAIT_S, PAUSE_S = 300.0, 0.2


def plan(repository: OpenRepository, setting: str, *, download: bool = False) -> ModelPlan:
    """Load a model, embed the first memories with it, and estimate the time for the rest; no setting changes.

    Raises:
        ConfigError, EmbeddingError: The setting names no model, or it cannot be used here, or does not respond.
    """
    providers = _providers(repository, setting, download=download)
    for provider in dict.fromkeys(providers):
        provider.query("how are tokens signed")  # loads it
    begun, embedded, left = time.monotonic(), 0, 0
    for store in stores_of(repository):
        catalog = store.current_catalog()
        before = missing = count_missing(store, catalog, providers)
        with suppress(BusyError):  # the change waits, the estimate does not
            update.forget_other_sizes(store.vectors_folder, providers)
            missing = update.catch_up(store.vectors_folder, catalog, providers, until=begun + SAMPLE_S)
        embedded, left = embedded + before - missing, left + missing
    spent = time.monotonic() - begun
    return ModelPlan(providers[0].name, embedded, left, round(left * spent / max(embedded, 1), 1))


def change(repository: OpenRepository, setting: str, *, progress: Callable[[int, int], None] | None = None) -> None:
    """Embed all memories with a model, then make it the one that the person's git configuration names.

    Raises:
        ConfigError, EmbeddingError: The model cannot be used here, or does not respond.
        BusyError: Another process has been embedding for too long.
        ProcessError: git cannot write the configuration.
    """
    providers = _providers(repository, setting)
    for store in stores_of(repository):
        _embed(store, providers, progress)
    repository.git.run("config", "--global", SETTING, setting)
    used = os.fsdecode(repository.git.run("config", "--get", SETTING, check=False).stdout).removesuffix("\n")
    if variable("GITMEM_EMBED"):
        repository.add_notice("the environment variable GITMEM_EMBED takes precedence over the new model; unset it")
    elif used != setting:
        repository.add_notice(f"this repository's own setting takes precedence: git config --unset {SETTING}")


def change_in_background(repository: OpenRepository, setting: str) -> bool:
    """Start ``change`` in a process of its own; return whether it was started."""
    place = repository.git.repository.top or repository.git.repository.git
    arguments = ("embed", "setup", setting, "--wait")
    return background.start_command(repository.git.repository.state, place, *arguments)


def _embed(store: OpenStore, providers: Providers, progress: Callable[[int, int], None] | None) -> None:
    """Embed a store's memories, after waiting for another process that does so."""
    until = time.monotonic() + WAIT_S
    while True:
        try:
            update.catch_up(store.vectors_folder, store.current_catalog(), providers, progress=progress)
        except BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def _providers(repository: OpenRepository, setting: str, *, download: bool = False) -> Providers:
    providers = providers_of(replace(repository.config, embed=setting), download=download)
    assert providers is not None, "the caller has refused `off`"
    return providers
