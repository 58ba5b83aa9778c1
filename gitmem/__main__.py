"""The program: the entry point of ``gitmem`` and ``git-mem``, and of ``python -m gitmem``.

It handles Ctrl-C before it loads anything else: a module that is interrupted as it loads prints a traceback. Before the
first line here, Python itself starts and finds this package: what it prints then cannot be changed from here.
"""

import _imp
import _signal  # type: ignore[import-not-found]  # `signal` makes enumerations: 1 ms
import atexit
import gc
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # what `importlib` is made of, loaded already
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

INTERRUPTED = 130
# The exit status that a shell reports after SIGPIPE (128 + 13).
PIPE_CLOSED = 141
# An installer writes the files of a wheel within this; a source that changed later is read itself.
INSTALL_S = 60
# What reading a damaged file of byte code raises; the sources are then read.
DAMAGED = (OSError, EOFError, ValueError, TypeError, MemoryError)


def script() -> None:
    """Run one command as a program.

    Python's shutdown takes 5 ms to free memory that the system frees at once (measured: half as long as starting
    Python), so the process exits as soon as the output is written, unless an exit handler is registered.
    """
    handles = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if handles:
        _signal.signal(_signal.SIGINT, stop_at_once)
    use_merged_code(os.path.dirname(__file__))
    gc.disable()  # a command makes little garbage; collecting it takes 1.5 ms (measured)
    try:
        from gitmem.cli import main

        status = main(outside=stop_at_once if handles else None)
    except KeyboardInterrupt:  # a second one, while the first is reported
        stop_at_once()
        raise
    if "gitmem.verify.sandbox.sandbox" in sys.modules or "concurrent.futures" in sys.modules:
        if handles:
            # Python ends with the system's handlers, which would replace the status of a finished command.
            atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)
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


def use_merged_code(folder: str) -> None:
    """Import from the file of byte code that a wheel has in *folder* (`.ci/build_wheel.py`), if it is of this Python.

    Python otherwise lists folders and opens 70 to 100 files: an eighth of the CPU of a ``recall`` (measured).
    """
    if sys.flags.optimize:
        return
    try:
        # Without waiting: a pipe in the place of the file would have no writer.
        file = os.open(f"{folder}/start.{sys.implementation.cache_tag}.bin", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return
    try:
        head = os.pread(file, 8, 0)
        if head[:4] == MAGIC_NUMBER:
            sys.meta_path.insert(0, MergedCode(folder, file, int.from_bytes(head[4:], "little")))
    except DAMAGED:
        os.close(file)


class MergedCode:
    """Finds modules in one open file: Python's magic number, the size of an index, the index and the code."""

    def __init__(self, folder: str, file: int, size: int) -> None:
        self.folder = folder
        self.file = file
        self.start = 8 + size
        self.index: dict[str, tuple[str, int, int, int]] = marshal.loads(os.pread(file, size, 8))
        if not isinstance(self.index, dict):
            raise TypeError("damaged index of merged byte code")
        self.written_s = os.fstat(file).st_mtime

    def find_spec(self, name: str, *unused: object) -> ModuleSpec | None:
        """Return how to load module *name*; None if it is not in the file, or its source has changed."""
        if name not in self.index:
            return None
        path, source_size, place, size = self.index[name]
        source = f"{self.folder}/{path}"
        try:
            info = os.stat(source)
        except OSError:
            return None
        if info.st_size != source_size or info.st_mtime > self.written_s + INSTALL_S:
            return None
        loader = MergedLoader(name, source)
        loader.place = (self.file, size, self.start + place)
        spec = ModuleSpec(name, loader, origin=source)
        spec.has_location = True
        parent, _, base = source.rpartition("/")
        spec.cached = f"{parent}/__pycache__/{base[:-3]}.{sys.implementation.cache_tag}.pyc"
        if base == "__init__.py":
            spec.submodule_search_locations = [parent]
        return spec


class MergedLoader(SourceFileLoader):
    """Loads a module whose code is at ``place`` of an open file; all else is as for its source."""

    place: tuple[int, int, int]

    def get_code(self, fullname: str) -> "CodeType | None":
        """Return the code of the module with the path of its source, which tracebacks print; damaged, its source's."""
        try:
            code: CodeType = marshal.loads(os.pread(*self.place))
            _imp._fix_co_filename(code, self.path)  # type: ignore[attr-defined]  # as `importlib` does
        except DAMAGED:
            return super().get_code(fullname)
        return code


if __name__ == "__main__":
    script()
