"""A file put in its place whole, or not at all."""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Put a file in its place; a link of that name is replaced and not followed.

    Others see the file that was there or the new one (rename(2)). It is not synced: a machine that loses power may have
    either.

    Args:
        path: Where; its folder must be there.
        content: What it holds.
        mode: Its permissions, whatever the process's umask says; None = as the umask has it.

    Raises:
        OSError: It cannot be written; a file that was there is left as it was.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        # Of a process of that number that was killed (in a container, each has the same), or a link that came with the
        # code.
        new.unlink(missing_ok=True)
        with new.open("xb") as file:
            if mode is not None:
                new.chmod(mode)  # before anything is in it that not everybody may read
            file.write(content)
        new.replace(path)
    except BaseException:
        with suppress(OSError):  # the folder is none, or not ours
            new.unlink(missing_ok=True)
        raise
