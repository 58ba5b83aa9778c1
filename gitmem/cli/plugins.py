"""Commands of plug-ins: the folders of ``gitmem.plugins``, and packages with an entry point in ``gitmem.commands``.

A plug-in is a module with two tables:

- ``COMMANDS``: for each command and verb, its group in the help and its description, as in ``cli.commands``.
- ``MODULES``: for each command, the module that has ``EXAMPLES``, ``add_arguments`` and ``run``. A verb is a module in
  that package.

A command of gitmem's own cannot be replaced: the plug-in's is ignored. Our own folders are found where they lie, not by
metadata, so that they are there when gitmem runs from a copy without any.

Source: Python Packaging User Guide, "Creating and discovering plugins".
"""

from __future__ import annotations

import pkgutil

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

GROUP = "gitmem.commands"
FOLDER = "gitmem.plugins"


@frozen
class Plugins:
    """The plug-ins of this installation.

    Attributes:
        modules: Their modules by name, gitmem's own first.
        problems: Why others could not be loaded, a sentence each.
    """

    modules: Mapping[str, ModuleType]
    problems: tuple[str, ...] = ()


def find_plugins(*, only_own: bool = False) -> Plugins:
    """Load all plug-ins; one that is broken does not keep the others out.

    Args:
        only_own: Leave out those of other packages, which take 25 ms to find.
    """
    plugins: dict[str, ModuleType] = {}
    problems = []
    for name, path, package in (*_own(), *(() if only_own else _of_packages())):
        if name in plugins:
            problems.append(f"the plug-in {name} of {package} has the name of another one")
            continue
        try:
            module = __import__(path, fromlist=("COMMANDS",))
        except Exception as err:  # noqa: BLE001 - other people's code, and the other commands have to run
            problems.append(f"the plug-in {name} of {package} cannot be loaded: {err}")
            continue
        if not all(isinstance(getattr(module, table, None), dict) for table in ("COMMANDS", "MODULES")):
            problems.append(f"the plug-in {name} of {package} has no tables COMMANDS and MODULES")
        elif missing := {command.partition(" ")[0] for command in module.COMMANDS} - set(module.MODULES):
            problems.append(f"the plug-in {name} of {package} names no module for {min(missing)}")
        else:
            plugins[name] = module
    return Plugins(plugins, tuple(problems))


def _own() -> Iterator[tuple[str, str, str]]:
    try:
        folder = __import__(FOLDER, fromlist=("__path__",))
    except ModuleNotFoundError:
        return
    for name in sorted(module.name for module in pkgutil.iter_modules(folder.__path__)):
        yield name, f"{FOLDER}.{name}", "gitmem"


def _of_packages() -> Iterator[tuple[str, str, str]]:
    """Yield name, module and package of the plug-ins of other packages."""
    from importlib.metadata import entry_points  # 25 ms

    for point in sorted(entry_points(group=GROUP), key=lambda entry_point: entry_point.name):
        yield point.name, point.value, point.dist.name if point.dist is not None else "another package"
