"""The bare machines that gitmem must work on, as a table: a row for each, and what it lacks."""

from __future__ import annotations

from dataclasses import dataclass

# Optional programs that gitmem or its tests use; a bare machine has none of them.
TOOLS = (
    *("bwrap", "strace", "rg", "zsh", "fish", "node", "npm", "npx", "tmux"),
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chromedriver"),
)
# A user without an entry in /etc/passwd.
ORDINARY = 54_321
WRITABLE, READ_ONLY, UNSET = "writable", "read-only", "unset"
# The system that is shown: this machine's own, without the tools, or a release that debootstrap installs.
THIS = "this machine"
PACKAGES = ("python3", "python3-venv", "git", "make", "ca-certificates")


@dataclass(frozen=True)
class Machine:
    """A machine without optional tools.

    Attributes:
        name: Its name.
        system: ``THIS``, or the release of Debian or Ubuntu that it is made of, with ``PACKAGES`` alone.
        user: 0, or ``ORDINARY``.
        python: The version of Python to use on ``THIS``, such as ``3.12``; empty for the one of ``.venv``.
        namespaces: Whether namespaces can be made; if not, root also lacks CAP_SYS_ADMIN, as in most containers.
        landlock: Whether the kernel has Landlock.
        shm: Whether there is a /dev/shm.
        home: Whether HOME is writable, read-only or not set.
    """

    name: str
    system: str = THIS
    user: int = 0
    python: str = ""
    namespaces: bool = True
    landlock: bool = True
    shm: bool = True
    home: str = WRITABLE

    @property
    def place(self) -> str:
        """Return the name of what machines share that have the same system and Python."""
        return self.system.replace(" ", "-") + (f"-{self.python}" if self.python else "")

    def describe(self) -> str:
        """Return on one line what it is and what it lacks."""
        lacks = [
            *([] if self.namespaces else ["namespaces"]),
            *([] if self.landlock else ["Landlock"]),
            *([] if self.shm else ["/dev/shm"]),
            *([] if self.home == WRITABLE else ["HOME" if self.home == UNSET else "writable HOME"]),
        ]
        user = "a user without an account" if self.user else "root"
        return f"{self.system}, {user}" + (f", no {', no '.join(lacks)}" if lacks else "")


MACHINES = (
    Machine("plain", user=ORDINARY, namespaces=False, shm=False, home=UNSET),
    Machine("container", namespaces=False),
    Machine("no-sandbox", user=ORDINARY, namespaces=False, landlock=False, home=READ_ONLY),
    Machine("python3.12", python="3.12", user=ORDINARY),
    Machine("python3.13", python="3.13"),
    Machine("bookworm-root", "bookworm", namespaces=False),
    Machine("bookworm-user", "bookworm", ORDINARY, shm=False, home=READ_ONLY),
    Machine("bookworm-old-kernel", "bookworm", landlock=False),
    Machine("trixie-root", "trixie"),
    Machine("trixie-user", "trixie", ORDINARY, namespaces=False, home=UNSET),
    Machine("noble-user", "noble", ORDINARY, namespaces=False),
)
