"""Write the page atomically, to a new file or over an earlier report."""

from __future__ import annotations

from pathlib import Path

from gitmem.commands.report.page.render import MARK
from gitmem.errors import GitmemError, RefusedError
from gitmem.system import atomic_write, command_of, only_regular


def write(file: str, text: str, *, force: bool = False) -> None:
    """Write the page to its file.

    Raises:
        RefusedError: The file exists, and is not a report.
        GitmemError: It cannot be written.
    """
    path = Path(file)
    if not force and not _is_ours(path):
        raise RefusedError(f"{file} exists and is not a gitmem report", hint="choose another name, or use --force")
    if path.is_dir():
        raise RefusedError(f"{file} is a folder", hint=command_of("gitmem", "report", str(path / "gitmem-report.html")))
    try:
        atomic_write.write(path, text.encode("utf-8", "backslashreplace"))
    except OSError as err:
        raise GitmemError(f"cannot write the report {file}: {err.strerror}") from err


def _is_ours(path: Path) -> bool:
    """Return whether the file is missing or an earlier report; a link was made by a person."""
    if path.is_symlink():
        return False
    try:
        with open(path, "rb", opener=only_regular) as stream:
            return stream.read(len(MARK)) in (MARK.encode(), b"")
    except FileNotFoundError:
        return True
    except OSError:
        return path.is_dir()  # for a folder, writing reports the error
