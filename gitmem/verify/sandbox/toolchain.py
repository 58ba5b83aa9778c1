"""Find the folders that a check may read besides the code: the system's programs, and those that PATH leads to.

The rest of the machine is hidden from it, above all the user's home; of a home only installations (a pyenv, a virtual
environment, an nvm) are shown.
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

# The folders of installed programs and their settings (hier(7)); /nix and /gnu are the stores of NixOS and Guix.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu")
# Files that only root can read, hidden from checks that root runs: password hashes, host keys, other keys.
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
# Names of program folders, and files beside them that mark an installation: that of a virtual environment, libraries,
# pyenv's own programs.
PROGRAM_FOLDERS = ("bin", "sbin", "shims", "libexec")
INSTALLATION_MARKS = ("pyvenv.cfg", "lib", "libexec")
# Folders of a home that look like an installation but hold keyrings and other programs' state (XDG Base Directory).
NEVER = (".local", ".config", ".cache")
# The program that rustup's programs link to; the homes of rustup and cargo, and the parts of them that are shown.
RUSTUP = "rustup"
RUST_HOMES = {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}
RUST_SHOWN = (
    *(("RUSTUP_HOME", "toolchains"), ("RUSTUP_HOME", "update-hashes"), ("RUSTUP_HOME", "settings.toml")),
    ("CARGO_HOME", "registry"),
)


@frozen
class Toolchain:
    """The folders and variables that the programs on a PATH need.

    Attributes:
        folders: Folders and files to show read-only, outside the system's folders; none contains another.
        links: Symbolic links on the way to them, as (target, path), not in any of the folders.
        variables: Environment variables that give their installation folders, by name.
    """

    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...] = ()


@lru_cache
def find_toolchain(path: str) -> Toolchain:
    """Return what the programs on *path* need besides the system's folders; relative entries are ignored."""
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
    trees: list[str] = []
    for found in sorted(folders):
        if not _is_within(found, (*SYSTEM, *trees)) and not _is_private(found):
            trees.append(str(found))
    loose = ((str(says), str(link)) for link, says in links.items() if not _is_within(link, (*SYSTEM, *trees)))
    variables = tuple((name, str(place)) for name, place in sorted(homes.items()))
    return Toolchain(tuple(trees), tuple(sorted(loose)), variables)


def _rust_homes() -> dict[str, Path]:
    """Return the homes of rustup and cargo by their environment variables."""
    places = {name: Path(variable(name) or Path(home(), folder)) for name, folder in RUST_HOMES.items()}
    return {name: place for name, place in places.items() if place.is_absolute() and place.is_dir()}


def _rust_folders(homes: Mapping[str, Path]) -> list[Path]:
    """Return the parts that checks may see: toolchains, including linked ones, and sources; never credentials.

    Source: https://rust-lang.github.io/rustup/environment-variables.html and
    https://doc.rust-lang.org/cargo/guide/cargo-home.html.
    """
    shown = [homes[name] / part for name, part in RUST_SHOWN if name in homes and (homes[name] / part).exists()]
    linked = [link.resolve() for place in shown if place.name == "toolchains" for link in place.iterdir()]
    return [*shown, *(place for place in linked if place.is_dir())]


def _follow(place: Path, links: dict[Path, Path]) -> list[Path]:
    """Record the links on the way from *place* and return its target; empty if it is not a link or is broken."""
    at = place
    for _ in range(40):  # the most links that the kernel follows (path_resolution(7))
        if not at.is_symlink():
            break
        links[at] = at.readlink()
        at = Path(os.path.normpath(at.parent / links[at]))
    return [place.resolve()] if at != place and place.exists() else []


def _installation(folder: Path) -> Path:
    """Return the installation that a folder of programs belongs to, or else the folder itself."""
    if folder.name not in PROGRAM_FOLDERS or _is_private(folder.parent):
        return folder
    return folder.parent if any((folder.parent / mark).exists() for mark in INSTALLATION_MARKS) else folder


def _is_private(folder: Path) -> bool:
    """Return whether a folder holds more than an installation: the user's home, a parent or a state folder of it."""
    own = Path(home())
    return _is_within(own, (str(folder),)) or folder in [own / name for name in NEVER]


def _is_within(place: Path, folders: Sequence[str]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def list_secrets() -> list[Path]:
    """Return the existing secret files in the system's folders if we are root; others cannot read them."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [Path(secret) for secret in SECRETS if os.path.lexists(secret)] if is_root else []


def list_readable_system() -> list[str]:
    """Return the system's paths that a check may read; folders with secrets are replaced by their other entries."""
    secrets = list_secrets()
    apart = {secret.parent for secret in secrets}
    entries = [entry for folder in sorted(apart) for entry in folder.iterdir()]
    whole = [Path(folder) for folder in SYSTEM if not any(_is_within(secret, (folder,)) for secret in secrets)]
    return [str(place) for place in (*whole, *entries) if place not in secrets and place not in apart]
