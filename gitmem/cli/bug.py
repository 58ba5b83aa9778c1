"""Report a bug: write the traceback to a log file, and name the file."""

from __future__ import annotations

import platform
import time
import traceback
from pathlib import Path

from gitmem import __version__
from gitmem.config import state_home
from gitmem.text import display
from gitmem.text.secrets import redact


def write_report(err: BaseException, arguments: list[str]) -> str:
    """Write the traceback to a new file and return a hint that names it."""
    versions = f"gitmem {__version__}, Python {platform.python_version()}, {platform.platform()}"
    trace = "".join(traceback.format_exception(err))
    report = f"{versions}\narguments: {arguments!r}\n\n{trace}"
    folder = Path(state_home()) / "log"
    path = folder / f"bug-{time.strftime('%Y%m%dT%H%M%S')}-{time.perf_counter_ns() % 10**6}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(display(redact(report), lines=True), encoding="utf-8")
    except OSError:
        return f"{versions}\n{_last_place(trace)}"
    return f"{versions}\nthe traceback is in {path}"


def _last_place(trace: str) -> str:
    lines = [line.strip() for line in trace.split("\n") if line.strip().startswith("File ")]
    return lines[-1].replace(str(Path.cwd()), ".") if lines else ""
