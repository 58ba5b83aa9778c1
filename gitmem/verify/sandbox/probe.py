"""Probe which sandboxes work here, explain why one does not and how to fix it, and cache the results."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from gitmem import __version__
from gitmem.config import state_home
from gitmem.system import atomic_write, read_regular
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.seatbelt import SANDBOX_EXEC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Messages of bubblewrap and the kernel if user namespaces are unavailable (bubblewrap.c; unshare(2)).
NO_NAMESPACES = ("namespace", "uid map", "setting up", "unshare", "clone", "not permitted", "permission denied")
# Kernel settings that deny user namespaces to ordinary users, the value that does so, and the remedy (Ubuntu's security
# features, "Unprivileged user namespace restrictions"; Debian's linux package; namespaces(7)).
SETTINGS = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor blocks user namespaces: give bwrap a profile (docs/sandbox.md), or sudo sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    ("user/max_user_namespaces", "0", "user namespaces are switched off: sudo sysctl user.max_user_namespaces=15000"),
)
# What a missing bubblewrap costs where Landlock works, and where it does not (docs/sandbox.md compares them).
WITHOUT_BUBBLEWRAP = (
    "checks can see which other files and processes exist, and each parallel check uses its own scratch clone",
    "no command of a check runs",
)
# A result is valid for a day, and while everything that it depends on is unchanged.
FILE_NAME = "probes.json"
KEPT_S = 86_400
KEPT_AT_MOST = 32
PROGRAMS = ("bwrap", "sh", "setpriv", "unshare", "strace")


def cached_probe(what: str, path: str, ask: Callable[[], str], *, now: int, folder: Path | None = None) -> str:
    """Return a probe's result, from the cache if it is less than a day old.

    Three probes take 0.15 s of each run (measured). Only positive results are cached, with the kernel, this boot, the
    user, the kernel's settings and the programs that they depend on.

    Args:
        what: The name of the probe.
        path: PATH of the checks.
        ask: Runs the probe; an empty string means that nothing works.
        now: Epoch seconds.
        folder: A folder on whose file system the result depends; or None.
    """
    place = Path(state_home()) / "trust" / FILE_NAME
    known, name = _read_known(place), f"{what} {_circumstances(path, folder)}"
    state, at = known.get(name, ("", 0))
    if state and 0 <= now - at < KEPT_S:
        return state
    state = ask()
    if state and state != sandbox.NONE:
        newest = sorted((known | {name: (state, now)}).items(), key=lambda row: row[1][1])[-KEPT_AT_MOST:]
        with suppress(OSError):  # a read-only disk: nothing is cached
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write.write(place, json.dumps(dict(newest)).encode("ascii"), mode=0o600)
    return state


def forget() -> None:
    """Delete the cached results, so that the next run probes again."""
    with suppress(OSError):
        (Path(state_home()) / "trust" / FILE_NAME).unlink()


def _read_known(place: Path) -> dict[str, tuple[str, int]]:
    """Return the cached results by probe and circumstances; empty if others can write the file or its folder."""
    try:
        for path in (place.parent, place):
            of = path.stat()
            if sys.platform == "win32" or of.st_uid != os.geteuid() or of.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return {}
        table = json.loads(read_regular(place).decode("ascii"))
        return {str(name): (str(found), int(at)) for name, (found, at) in table.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _circumstances(path: str, folder: Path | None) -> str:
    """Return a fingerprint of everything that the result of a probe depends on."""
    from hashlib import sha256

    programs = [sandbox.find_program(name, path) for name in PROGRAMS]
    stats = [os.stat(file) for file in (*programs, __file__) if file]  # noqa: PTH116 - strings
    stamps = [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_mode) for s in stats]
    settings = [_read(Path("/proc/sys") / name) for name, _, _ in SETTINGS]
    system = (*os.uname(), _read(Path("/proc/sys/kernel/random/boot_id"))) if hasattr(os, "uname") else ()
    user = (os.getuid(), os.geteuid(), os.getgroups()) if hasattr(os, "getuid") else ()
    device = folder.stat().st_dev if folder is not None and folder.exists() else ""
    parts = (__version__, path, programs, stamps, settings, system, user, device, str(folder or ""))
    return sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def describe(path: str, folder: Path) -> list[tuple[str, str]]:
    """Describe the probed ladder, as names and values for the user.

    Args:
        path: PATH of the checks.
        folder: The folder of the grounds: whether overlays work depends on its file system.
    """
    reasons = {rung: sandbox.why_not(rung, path) for rung in sandbox.ladder()}
    rung = next((rung for rung, why in reasons.items() if not why), sandbox.NONE)
    message = (
        "only built-in checks run, unless you use --no-sandbox" if rung == sandbox.NONE else f"commands run in {rung}"
    )
    rows = [("sandbox", message)]
    for name, why in reasons.items():
        if name == sandbox.BUBBLEWRAP and sandbox.find_program("bwrap", path) is None:
            rows.append((name, f"not installed: {WITHOUT_BUBBLEWRAP[rung == sandbox.NONE]} (install bubblewrap)"))
            continue
        mend = remedy(name, why, path)
        rows.append((name, f"does not work: {why}" + (f" ({mend})" if mend else "") if why else "works"))
    if rung == sandbox.BUBBLEWRAP:
        works = sandbox.probe_overlay(path, folder)
        rows.append(("overlays", "work" if works else "do not work: each parallel check uses its own scratch clone"))
    return rows


def remedy(rung: str, why: str, path: str, *, settings: Path = Path("/proc/sys")) -> str:
    """Return what would make a rung work, or an empty string if unknown.

    Args:
        rung: The rung.
        why: Why it does not work, from ``sandbox.why_not``.
        path: PATH of the checks.
        settings: The folder of the kernel's settings.
    """
    if rung == sandbox.BUBBLEWRAP and why and any(words in why.lower() for words in NO_NAMESPACES):
        for name, value, mend in SETTINGS:
            if _read(settings / name) == value:
                return mend
        if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):  # noqa: PTH110
            return "the container forbids namespaces: start it with --security-opt seccomp=unconfined, or use landlock"
    if rung == sandbox.LANDLOCK and why:
        return "it requires Linux 5.13 or later, with landlock in the kernel's lsm= parameter"
    if rung == sandbox.SEATBELT and why and not os.path.exists(SANDBOX_EXEC):  # noqa: PTH110
        return f"there is no {SANDBOX_EXEC}"
    return ""


def _read(place: Path) -> str:
    try:
        return place.read_text(encoding="ascii").strip()
    except OSError:
        return ""
