"""Serve a hub over HTTP: search across repositories, and read memories, for identities that may read them.

It keeps a search index in its folder and follows the database; several servers may run on one database. The role must
be a member of gitmem_reader and gitmem_follower and own nothing: one that could bypass the rules about who reads
what is refused. Put an encrypting proxy in front of it, unless all its clients are on this machine.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.hub.options import Log, add_database, add_folder, add_log, database_of, folder_of
from gitmem.cli.output import Output
from gitmem.config import variable
from gitmem.errors import UsageError
from gitmem.system.http import is_site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# As long as a signature must be to be worth anything.
SECRET_LENGTH = 16
EXAMPLES = (
    "gitmem hub serve --tokens /etc/gitmem/tokens.toml",
    "gitmem hub serve --forge https://github.com/acme",
    "gitmem hub serve --oidc-issuer https://id.example.org --oidc-audience gitmem-hub --host 0.0.0.0 --port 4484",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``serve``."""
    where = parser.add_argument_group("its address")
    where.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    where.add_argument("--port", type=int, default=4484, help="the port to listen on (4484; 0: any free port)")
    about = "the address by which clients reach it, if a proxy is in front (taken from each request)"
    where.add_argument("--url", default="", metavar="URL", help=about)
    who = parser.add_argument_group("who may read")
    about = "a TOML file with the SHA-256 of each token, its identity and its groups"
    who.add_argument("--tokens", default="", metavar="FILE", help=about)
    who.add_argument("--oidc-issuer", default="", metavar="URL", help="accept the bearer tokens of this issuer")
    who.add_argument("--oidc-audience", default="", metavar="NAME", help="the hub's name at the issuer")
    who.add_argument("--oidc-groups", default="groups", metavar="CLAIM", help="the claim with the groups (groups)")
    about = "accept the tokens of the forge of this organisation's people: https://HOST/NAME"
    who.add_argument("--forge", default="", metavar="URL", help=about)
    about = "the kind of the forge, if its host name does not show it"
    who.add_argument("--forge-kind", choices=("github", "gitlab", "gitea"), default="", help=about)
    add_log(parser)
    add_folder(parser)
    add_database(parser)


def run(args: Arguments, out: Output) -> int:
    """Serve until a signal arrives."""
    if not args.tokens and not args.oidc_issuer and not args.forge:
        raise UsageError(
            "the server needs to know who may read", hint="--tokens FILE, --oidc-issuer URL, or --forge URL"
        )
    if bool(args.oidc_issuer) != bool(args.oidc_audience):
        raise UsageError("--oidc-issuer and --oidc-audience belong together", hint="give both")
    if args.url and not is_site(args.url):
        raise UsageError("--url is not the address of a server", hint="--url https://HOST")
    secret = variable("GITMEM_HUB_WEBHOOK_SECRET")
    if secret and len(secret) < SECRET_LENGTH:
        message = f"GITMEM_HUB_WEBHOOK_SECRET has fewer than {SECRET_LENGTH} characters"
        raise UsageError(message, hint="make one: openssl rand -hex 32")
    url = database_of(args)
    from gitmem.hub.forge.organisation import organisation_of
    from gitmem.hub.forge.tokens import ForgeTokens
    from gitmem.hub.identity import Oidc, TokenFile
    from gitmem.hub.server import Place, serve

    sources: list[TokenFile | Oidc | ForgeTokens] = []
    if args.tokens:
        sources.append(TokenFile(Path(args.tokens)))
    if args.oidc_issuer:
        sources.append(Oidc(args.oidc_issuer, args.oidc_audience, clock=monotonic, groups_claim=args.oidc_groups))
    if args.forge:  # the last one: what the others know is not sent to the forge
        sources.append(ForgeTokens(organisation_of(args.forge.rstrip("/"), args.forge_kind), clock=monotonic))

    log = Log(out, is_json=args.log_json)

    def report(event: str, fields: Mapping[str, object]) -> None:
        log.event(event, fields)
        if event == "serving":
            out.line(str(fields["address"]))
            out.flush()
        elif event == "problem" and not log.is_json:
            log.note(str(fields["problem"]))

    place = Place(args.url.rstrip("/"), args.oidc_issuer, secret)
    serve(url, folder_of(args) / "index", sources, address=(args.host, args.port), place=place, log=report)
    return 0
