"""Which folders a check may read besides the code: the system's programs, and those that PATH leads to.

Everything else of the machine is not there for it, the person's home above all; of a home only the parts that
are installations (a pyenv, a virtual environment, an nvm) are shown.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from gitmem.config import home, variable
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The folders of installed programs and their settings (hier(7)); /nix and /gnu are NixOS's and Guix's stores.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu")
# What only root could read there, and what a check that root runs must not: password hashes, host keys, other keys.
SECRETS = (
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/kubernetes",
)
# Names of the folders that programs are in, and what is beside them in an installation: a virtual environment's
# file; libraries; pyenv's own programs.
PROGRAM_FOLDERS = ("bin", "sbin", "shims", "libexec")
INSTALLATION_MARKS = ("pyvenv.cfg", "lib", "libexec")
# Folders of a home that look like an installation and hold keyrings and other programs' state (XDG Base Directory).
NEVER = (".local", ".config", ".cache")
# The program behind the programs of rustup; where it and cargo keep what they need, and what of that is shown.
RUSTUP = "rustup"
RUST_HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
RUST_SHOWN = (
    *(("RUSTUP_HOME", "toolchains"), ("RUSTUP_HOME", "update-hashes"), ("RUSTUP_HOME", "settings.toml")),
    ("CARGO_HOME", "registry"),
)


@frozen
class Toolchain:
    """What the programs on a PATH need.

    Attributes:
        folders: Folders and files to show read-only, outside the system's; none is in another.
        links: Symbolic links on the way to them, as (what it says, where it is), not in any of the folders.
        variables: Environment variables that tell them where they are installed, by name.
    """

    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...] = ()


@lru_cache
def find_toolchain(path: str) -> Toolchain:
    """Return what the programs on *path* need besides the system's folders; entries that are relative are ignored."""
    folders: set[Path] = set()
    links: dict[Path, Path] = {}
    homes: dict[str, Path] = {}
    for entry in dict.fromkeys(path.split(":")):
        folder = Path(os.path.normpath(entry))
        if not folder.is_absolute() or _is_within(folder, SYSTEM) or not folder.is_dir():
            continue
        folders.update(_installation(place) for place in (folder, *_follow(folder, links)))
        if (folder / RUSTUP).is_file():
            homes = _rust_homes()
            folders.update(_rust_folders(homes))
        for program in folder.iterdir():
            for place in _follow(program, links):
                whole = _installation(place.parent)
                folders.add(place if whole == place.parent else whole)
    kept: list[str] = []
    for found in sorted(folders):
        if not _is_within(found, (*SYSTEM, *kept)) and not _is_private(found):
            kept.append(str(found))
    loose = ((str(says), str(link)) for link, says in links.items() if not _is_within(link, (*SYSTEM, *kept)))
    variables = tuple((name, str(place)) for name, place in sorted(homes.items()))
    return Toolchain(tuple(kept), tuple(sorted(loose)), variables)


def _rust_homes() -> dict[str, Path]:
    """Return where rustup keeps toolchains and cargo what it downloaded, by the variables that say so."""
    places = {name: Path(variable(name) or Path(home(), folder)) for name, folder in RUST_HOMES.items()}
    return {name: place for name, place in places.items() if place.is_absolute() and place.is_dir()}


def _rust_folders(homes: Mapping[str, Path]) -> list[Path]:
    """Return what checks see of these: toolchains, also linked ones, and sources; never credentials or settings.

    Source: https://rust-lang.github.io/rustup/environment-variables.html and
    https://doc.rust-lang.org/cargo/guide/cargo-home.html.
    """
    shown = [homes[name] / part for name, part in RUST_SHOWN if name in homes and (homes[name] / part).exists()]
    linked = [link.resolve() for place in shown if place.name == "toolchains" for link in place.iterdir()]
    return [*shown, *(place for place in linked if place.is_dir())]


def _follow(place: Path, links: dict[Path, Path]) -> list[Path]:
    """Note the links on the way from *place* and return where it ends; nothing if it is no link or leads nowhere."""
    at = place
    for _ in range(40):  # what the kernel follows at most (path_resolution(7))
        if not at.is_symlink():
            break
        links[at] = at.readlink()
        at = Path(os.path.normpath(at.parent / links[at]))
    return [place.resolve()] if at != place and place.exists() else []


def _installation(folder: Path) -> Path:
    """Return the installation that a folder of programs belongs to, or the folder alone."""
    if folder.name not in PROGRAM_FOLDERS or _is_private(folder.parent):
        return folder
    return folder.parent if any((folder.parent / mark).exists() for mark in INSTALLATION_MARKS) else folder


def _is_private(folder: Path) -> bool:
    """Return whether a folder holds more than an installation: the person's home, or what the home is in."""
    own = Path(home())
    return _is_within(own, (str(folder),)) or folder in [own / name for name in NEVER]


def _is_within(place: Path, folders: Sequence[str]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def list_secrets() -> list[Path]:
    """Return the secrets of the system's folders that exist, where we could read them: for root alone."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [Path(secret) for secret in SECRETS if os.path.lexists(secret)] if is_root else []


def list_readable_system() -> list[str]:
    """Return what a check may read of the system, with the secrets' folders by their entries where there are any."""
    secrets = list_secrets()
    apart = {secret.parent for secret in secrets}
    entries = [entry for folder in sorted(apart) for entry in folder.iterdir()]
    whole = [Path(folder) for folder in SYSTEM if not any(_is_within(secret, (folder,)) for secret in secrets)]
    return [str(place) for place in (*whole, *entries) if place not in secrets and place not in apart]
