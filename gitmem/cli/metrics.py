"""Print metrics about the memory as OpenMetrics text, for Prometheus and compatible programs.

With --textfile, write them atomically to a file for node exporter's textfile collector instead; run it from cron or a
timer. Exits with 0 whatever the numbers are.
"""

from __future__ import annotations

from gitmem.cli.arguments import ArgumentParser, Arguments
from gitmem.cli.command_memory import open_memory
from gitmem.cli.output import Output
from gitmem.cli.reports import write_whole
from gitmem.errors import UsageError

EXAMPLES = (
    "gitmem metrics",
    "gitmem metrics --textfile /var/lib/node_exporter/textfile/gitmem-api.prom",
    "gitmem metrics --repository api | curl --data-binary @- http://localhost:9091/metrics/job/gitmem",
)
# Collectors read only files with this extension.
SUFFIX = ".prom"
# Collectors of other users read the file.
MODE = 0o644


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``metrics``."""
    parser.add_argument("--textfile", default="", metavar="PATH", help="write the metrics to this file, NAME.prom")
    about = "the value of the label `repository` (the repository's folder)"
    parser.add_argument("--repository", default="", metavar="NAME", help=about)


def run(args: Arguments, out: Output) -> int:
    """Print the metrics, or write them to a file."""
    if args.textfile and not args.textfile.endswith(SUFFIX):
        raise UsageError(f"node exporter reads only files named NAME{SUFFIX}", hint=f"--textfile gitmem{SUFFIX}")
    with open_memory(out) as memory:
        text = memory.jobs.metrics(repository=args.repository)
    if args.textfile:
        write_whole(args.textfile, text, what="text file", mode=MODE)
    else:
        out.bytes(text.encode())
    return 0
