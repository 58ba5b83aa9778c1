"""Show which model embeds memories, whether it responds, and which memories have vectors.

Exits with 1 if no model is set up or some memories have no vectors, with 3 if a model does not respond.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

EXAMPLES = ("gitmem embed status",)
HOW = "not set up; install the extra `meaning`, or name one: git config --global gitmem.embed minilm"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``status``."""
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """Print the state of the vectors."""
    with open_memory(out) as memory:
        document = memory.vectors.status().document
    if args.json:
        out.json(document)
    else:
        _print(document, out)
    if not all(model["answers"] for model in document["models"]):
        return 3
    return 0 if document["configured"] and not any(store["missing"] for store in document["stores"]) else 1


def _print(found: Mapping[str, Any], out: Output) -> None:
    if not found["configured"]:
        out.line(f"model: {HOW}")
    for model in found["models"]:
        message = f"answers in {model['seconds'] * 1e3:.0f} ms" if model["answers"] else model["problem"]
        role = f" (for {model['for']})" if model["for"] != "everything" else ""
        out.line("model: ", (model["model"], "bold"), f"{role}, ", (message, "" if model["answers"] else "red"))
    for store in found["stores"]:
        whole = f"{store['with_vectors']} of {quantity(store['memories'], 'memory', 'memories')}"
        out.line(
            f"{store['store'] or store['scope']}: {whole} with vectors",
            (f", {store['missing']} without", "yellow" if store["missing"] else "dim"),
        )
        for vectors in store["vectors"]:
            out.line("  ", (vectors["problem"] or _size(vectors), "dim"))
    if found["unused"]:
        other = quantity(found["unused"], "other model")
        out.line(f"there are also vectors of {other}; gitmem embed rebuild removes them")


def _size(vectors: dict[str, Any]) -> str:
    unused = f", {vectors['unused']} unused" if vectors["unused"] else ""
    age = f"{vectors['age_s'] // 60} min old" if vectors["age_s"] < 7200 else f"{vectors['age_s'] // 3600} h old"
    return (
        f"{quantity(vectors['pieces'], 'piece')} of {vectors['dimensions']} numbers{unused},"
        f" {vectors['bytes'] / 1e6:.1f} MB, {age}, {vectors['kept']}"
    )
