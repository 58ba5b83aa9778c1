"""Find embedding providers and search engines of other packages by their entry points.

A package declares them in its own metadata; gitmem loads one only when a setting names it.

Source: Python Packaging User Guide, "Entry points specification".
"""

from __future__ import annotations

from gitmem.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Called with (model, cache=..., download=...); returns an ``index.embed.provider.EmbeddingProvider``.
PROVIDERS = "gitmem.embedding_providers"
# Called with (catalog); returns an ``index.Engine``.
ENGINES = "gitmem.search_engines"


def find_plugin(group: str, name: str) -> Callable[..., Any] | None:
    """Return the object that a package registers under a name; None if no package does.

    Raises:
        ConfigError: Two packages register that name, or the object cannot be loaded.
    """
    from importlib.metadata import entry_points  # 25 ms, and only for a name that is not built in

    plugins = list(entry_points(group=group, name=name))
    if not plugins:
        return None
    if len(plugins) > 1:
        packages = ", ".join(
            sorted(str(entry_point.dist.name) for entry_point in plugins if entry_point.dist is not None)
        )
        raise ConfigError(f"several packages add {name!r} to {group}: {packages}", file="", key=name)
    try:
        plugin: Callable[..., Any] = plugins[0].load()
    except (ImportError, AttributeError) as err:
        raise ConfigError(f"cannot load {name!r} ({plugins[0].value}): {err}", file="", key=name) from err
    return plugin
