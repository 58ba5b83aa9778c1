"""List the embedding models that this machine can have, or change to one.

They are in packages, can be downloaded, or belong to a server on this machine; a folder (dir:/a/folder) works as well.
With MODEL, the memories are embedded first, in the background if that takes long; questions use the previous model
until then. Nothing is downloaded, and no text leaves this machine, before you agree.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.options import add_json
from gitmem.cli.output import Output, quantity
from gitmem.cli.terminal import ask, is_interactive
from gitmem.errors import RefusedError
from gitmem.frozen import fields_of
from gitmem.system.environment import model_cache
from gitmem.system.origin import install_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.embed.offers import Offer

EXAMPLES = ("gitmem embed setup", "gitmem embed setup minilm", "gitmem embed setup http://localhost:11434/v1#MODEL")
# Less is not worth a background process.
SHORT_S = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``setup``."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help="the model, as in the list")
    parser.add_argument("--yes", action="store_true", help="allow a download, or to send texts to another machine")
    parser.add_argument("--wait", action="store_true", help="embed everything before the command ends")
    add_json(parser)


def run(args: Arguments, out: Output) -> int:
    """List the models, or change to one."""
    with open_memory(out) as memory:
        vectors = memory.vectors
        if not args.model:
            used = memory.repository.config.model
            _list(vectors.offers(), used, args, out)
            return 0
        planned = vectors.plan_model(args.model, download=_agrees_to_download(args))
        is_started = planned.seconds > SHORT_S and not args.wait and vectors.change_model_later(args.model)
        if not is_started:
            vectors.change_model(args.model)
    if args.json:
        out.json(fields_of(planned) | {"done": not is_started})
        return 0
    if is_started:
        rest = quantity(planned.left, "memory", "memories")
        out.result(f"embedding {rest} in the background: about {_time(planned.seconds)}")
        out.line("until then, questions use the previous model; gitmem embed status shows when it has changed")
    else:
        out.result(f"gitmem now uses {args.model}")
    return 0


def _agrees_to_download(args: Arguments) -> bool:
    """Return whether the model is downloaded.

    Raises:
        RefusedError: The person does not agree to that, or to the texts being sent to another machine.
    """
    from gitmem.index.embed.offers import host_of, is_missing, size_of

    host, is_download = host_of(args.model), is_missing(args.model, cache=model_cache())
    if not host and not is_download:
        return False
    size = f"{size_of(args.model)} MB " if size_of(args.model) else ""
    what = f"every memory would be sent to {host}" if host else f"{size}would be downloaded from huggingface.co"
    if not args.yes and not (is_interactive() and (ask(f"{what}. Continue? [y/N] ") or "").lower() in ("y", "yes")):
        raise RefusedError(f"the model was not changed: {what}", hint="add --yes to agree")
    return is_download


def _list(offers: Sequence[Offer], used: str, args: Arguments, out: Output) -> None:
    from gitmem.index.embed.offers import QUESTIONS, WORDS_FOUND

    if args.json:
        out.json({"used": used, "offers": [fields_of(offer) for offer in offers]})
        return
    out.line(f"of {QUESTIONS} questions in other words than the memories, words alone find {WORDS_FOUND}")
    for offer in offers:
        parts = [
            f"{offer.size_mb} MB" if offer.size_mb else "",
            offer.languages,
            f"finds {offer.found}" if offer.found else "",
        ]
        known = ", ".join(part for part in parts if part)
        out.line((offer.setting, "bold"), f"  {known}  " if known else "  ", (_state(offer, used), "dim"))


def _state(offer: Offer, used: str) -> str:
    if offer.setting == used:
        return "in use"
    if offer.package:
        return f"first: {install_command(offer.package.split())}"
    return "downloaded after you agree" if offer.state == "download" else "ready"


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"
