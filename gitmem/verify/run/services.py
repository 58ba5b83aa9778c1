"""Find a service that a check needs although it holds: `! docker ps | grep -q redis` succeeds where no Docker runs.

A client of a service fails if it reaches none. So a check that holds and starts a client runs again with a watcher in
front of it; if the client reached no service, the check runs with stand-ins that print something, succeed or fail. A
check whose answer changes needs the service.
"""

from __future__ import annotations

import re

from gitmem.verify.run.shell_words import read_shell
from gitmem.verify.run.stand_ins import (
    does_without,
    find_dependency,
    list_stand_ins,
    read_failed,
    with_watchers,
)
from gitmem.verify.sandbox.sandbox import find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitmem.model import Ran, Spec

# Programs that ask a service, each with the exit statuses by which it says that it reached none (curl(1), "EXIT CODES";
# wget(1) and psql(1), "EXIT STATUS"; dig(1), "RETURN CODES"; pg_isready(1); ping(8); ssh(1); rsync(1)); others print a
# message.
_CLIENTS: dict[str, frozenset[int]] = {
    **dict.fromkeys(
        """
        docker docker-compose podman nerdctl kubectl oc helm mysql mysqladmin mariadb redis-cli valkey-cli mongo
        mongosh sqlcmd cqlsh clickhouse-client etcdctl consul vault nats kcat grpcurl http https
        telnet gh glab aws gcloud az
        """.split(),
        frozenset(),
    ),
    "curl": frozenset((5, 6, 7, 28, 35, 52, 56)),
    "wget": frozenset((4,)),
    "dig": frozenset((9,)),
    **dict.fromkeys(("host", "nslookup"), frozenset((1,))),
    "psql": frozenset((2,)),
    "pg_isready": frozenset((2, 3)),
    **dict.fromkeys(("nc", "ncat", "netcat"), frozenset((1,))),
    "ping": frozenset((1, 2)),
    **dict.fromkeys(("ssh", "scp", "sftp"), frozenset((255,))),
    "rsync": frozenset((10, 12, 30, 35, 255)),
}
_NOT_REACHED = re.compile(
    r"(?:can ?not|can't|couldn't|could not|unable to|failed to|error) (?:connect|resolve|reach)|name resolution"
    r"|connection (?:refused|to (?:the )?server)|econnrefused|eai_again|enotfound|no such host"
    r"|dial (?:tcp|unix)|not known|network is unreachable|no servers could be reached"
    r"|no configuration has been provided|communications error"
    r"|unable to locate credentials|(?:gh auth|gcloud auth|az) login",
    re.I,
)


def find_unserved(spec: Spec, texts: Mapping[str, str], path: str, run: Callable[[Spec], Ran | None]) -> str:
    """Return a client that reached no service and on which a check depends that holds; empty if there is none.

    Args:
        spec: The check.
        texts: The check, and the scripts that it runs.
        path: Where programs are looked up.
        run: Runs a check in the place of this one.
    """
    started = {name for text in texts for name in read_shell(text).programs()}
    names = [name for name in sorted(started & _CLIENTS.keys()) if find_program(name, path)]
    names = [name for name in names if not any(does_without(text, name, path) for text in texts)]
    ran = run(with_watchers(spec, names)) if names else None
    stand_ins = list_stand_ins(texts, is_read=True)
    # A check may start a service, and ask until it answers.
    failed = read_failed(ran.output, is_lasting=True) if ran is not None else {}
    unserved = [
        name
        for name, (status, messages) in failed.items()
        if name in names and (status in _CLIENTS[name] or _NOT_REACHED.search(messages))
    ]
    return find_dependency(spec, unserved, stand_ins, ran, run)
