"""The program: the entry point of ``gitmem`` and ``git-mem``, and of ``python -m gitmem``.

It handles Ctrl-C before it loads anything else: a module that is interrupted as it loads prints a traceback. Before the
first line here, Python itself starts and finds this package: what it prints then cannot be changed from here.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations: 1 ms
import gc
import os
import sys

INTERRUPTED = 130
# The exit status that a shell reports after SIGPIPE (128 + 13).
PIPE_CLOSED = 141


def script() -> None:
    """Run one command as a program.

    Python's shutdown takes 5 ms to free memory that the system frees at once (measured: half as long as starting
    Python), so the process exits as soon as the output is written, unless an exit handler is registered.
    """
    handles = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if handles:
        _signal.signal(_signal.SIGINT, stop_at_once)
    gc.disable()  # a command makes little garbage; collecting it takes 1.5 ms (measured)
    try:
        from gitmem.cli import main

        status = main(outside=stop_at_once if handles else None)
    except KeyboardInterrupt:  # a second one, while the first is reported
        stop_at_once()
        raise
    if "gitmem.verify.sandbox.sandbox" in sys.modules or "concurrent.futures" in sys.modules:
        sys.exit(status)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            status = status or PIPE_CLOSED
    os._exit(status)


def stop_at_once(*_: object) -> None:
    """Handle SIGINT while modules load and after a command: say so in one line and exit; a hook never fails."""
    if sys.argv[1:2] != ["hook"]:
        os.write(2, b"gitmem: error: interrupted; acknowledged writes are kept\n")
        os._exit(INTERRUPTED)
    os._exit(0)


if __name__ == "__main__":
    script()
