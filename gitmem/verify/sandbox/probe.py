"""Probe which sandboxes work here and, if one does not, why, and how to fix it."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.seatbelt import SANDBOX_EXEC

# What bubblewrap and the kernel say where user namespaces are not to be had (bubblewrap.c; unshare(2)).
NO_NAMESPACES = ("namespace", "uid map", "setting up", "unshare", "clone", "not permitted", "permission denied")
# Settings of the kernel that keep them from ordinary users, their value that does, and the remedy (Ubuntu's security
# features, "Unprivileged user namespace restrictions"; Debian's linux package; namespaces(7)).
SETTINGS = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor blocks user namespaces: give bwrap a profile (docs/verify.md), or sudo sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are switched off: sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    ("user/max_user_namespaces", "0", "user namespaces are switched off: sudo sysctl user.max_user_namespaces=15000"),
)


def describe(path: str, folder: Path) -> list[tuple[str, str]]:
    """Return the ladder as it was probed, as names and values for people.

    Args:
        path: PATH of the checks.
        folder: Where grounds are kept: whether overlays work depends on its file system.
    """
    reasons = {rung: sandbox.why_not(rung, path) for rung in sandbox.ladder()}
    rung = next((rung for rung, why in reasons.items() if not why), sandbox.NONE)
    message = (
        "only built-in checks run, unless you use --no-sandbox" if rung == sandbox.NONE else f"commands run in {rung}"
    )
    rows = [("sandbox", message)]
    for name, why in reasons.items():
        mend = remedy(name, why, path)
        rows.append((name, f"does not work: {why}" + (f" ({mend})" if mend else "") if why else "works"))
    if rung == sandbox.BUBBLEWRAP:
        works = sandbox.probe_overlay(path, folder)
        rows.append(("overlays", "work" if works else "do not work: each parallel check uses its own scratch clone"))
    return rows


def remedy(rung: str, why: str, path: str, *, settings: Path = Path("/proc/sys")) -> str:
    """Return what would make a rung work, or an empty string where nobody knows.

    Args:
        rung: The rung.
        why: Why it does not work, as ``sandbox.why_not`` says.
        path: PATH of the checks.
        settings: Where the kernel shows its settings.
    """
    if rung == sandbox.BUBBLEWRAP and why:
        if sandbox.find_program("bwrap", path) is None:
            return "install bubblewrap"
        if any(words in why.lower() for words in NO_NAMESPACES):
            for name, value, mend in SETTINGS:
                if _read(settings / name) == value:
                    return mend
            if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):  # noqa: PTH110
                return (
                    "the container forbids namespaces: start it with --security-opt seccomp=unconfined, or use landlock"
                )
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
