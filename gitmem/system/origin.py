"""Where the running gitmem was installed from: needed by a forge's jobs and for extras.

gitmem is in no package index. If someone registered its distribution's name there, they could run code wherever that
name is installed, so neither this code nor anything written by gitmem installs it by name.
"""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.util import find_spec
from shlex import quote
from urllib.parse import unquote

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

DISTRIBUTION = "git-memory-store"
_EXTRA = re.compile(r"""^(.*?)\s*;\s*extra\s*==\s*["']([a-z0-9-]+)["']$""")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@frozen
class InstallOrigin:
    """The origin of an installed gitmem.

    Attributes:
        package: A git URL with a full commit, or an archive's URL with its hash; empty if unknown.
        reason: Why it is unknown.
    """

    package: str = ""
    reason: str = ""


def find_origin() -> InstallOrigin:
    """Return the origin of the running gitmem, as recorded by its installer."""
    from importlib.metadata import PackageNotFoundError, distribution  # 20 ms (measured), only if needed

    try:
        record = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return InstallOrigin(reason="this gitmem is not installed: it runs from a folder")
    return parse_record(record)


def parse_record(record: str | None) -> InstallOrigin:
    """Return the origin in a ``direct_url.json``.

    Source: PEP 610, "Recording the Direct URL Origin of installed distributions".
    """
    try:
        table = json.loads(record or "{}")
    except ValueError:
        table = {}
    url = table.get("url") if isinstance(table, dict) else None
    if not isinstance(url, str):
        return InstallOrigin(
            reason="this gitmem was installed from a package index, where its name belongs to another project"
        )
    if not url.startswith("https://") or "@" in url or "#" in url:
        return InstallOrigin(reason=f"this gitmem was installed from {_shown(url)}, which a forge's job cannot fetch")
    commit, digest = _commit(table), _sha256(table)
    if commit:
        return InstallOrigin(f"git+{url}@{commit}")
    if digest:
        return InstallOrigin(f"{url}#sha256={digest}")
    return InstallOrigin(reason=f"the installer of this gitmem recorded neither a git commit nor a hash for {url}")


def _shown(url: str) -> str:
    """Return a URL without parts that are private to its owner."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def _commit(table: dict[str, Any]) -> str:
    info = table.get("vcs_info")
    return str(info.get("commit_id") or "") if isinstance(info, dict) and info.get("vcs") == "git" else ""


def _sha256(table: dict[str, Any]) -> str:
    info = table.get("archive_info")
    if not isinstance(info, dict):
        return ""
    hashes = info.get("hashes")
    digest = hashes.get("sha256") if isinstance(hashes, dict) else str(info.get("hash") or "").removeprefix("sha256=")
    return digest if isinstance(digest, str) and _SHA256.fullmatch(digest) else ""


def extra_hint(extra: str) -> str:
    """Return the command that installs an extra's packages into the running gitmem's environment."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = of_extra(requires(DISTRIBUTION) or (), extra)
    except PackageNotFoundError:
        needed = []
    if not needed:
        return f"install the packages that pyproject.toml lists for the extra {extra}"
    return install_command(needed)


def install_command(arguments: Sequence[str]) -> str:
    """Return the command that adds packages to the running gitmem's environment, for the tool that made it.

    Args:
        arguments: Of ``pip install``: packages, and options before them. Without options, pipx and uv install the
            packages again whenever they upgrade gitmem.
    """
    words = " ".join(map(quote, arguments))
    has_options = arguments[0].startswith("-")
    if os.path.isfile(f"{sys.prefix}/pipx_metadata.json"):
        name = quote(os.path.basename(sys.prefix))
        return f"pipx runpip {name} install {words}" if has_options else f"pipx inject {name} {words}"
    if os.path.isfile(f"{sys.prefix}/uv-receipt.toml") and not has_options and (source := _source()):
        return _uv_tool_command(arguments, source)
    if find_spec("pip"):
        return f"{quote(sys.executable)} -m pip install {words}"
    return f"uv pip install --python {quote(sys.executable)} {words}"


def _uv_tool_command(packages: Iterable[str], source: str) -> str:
    """Return the command of ``uv tool``, which removes the packages that it does not name."""
    import tomllib

    with open(f"{sys.prefix}/uv-receipt.toml", "rb") as file:
        requirements = tomllib.load(file)["tool"]["requirements"]
    others = [
        f"{requirement['name']}{requirement.get('specifier', '')}"
        for requirement in requirements
        if requirement["name"] != DISTRIBUTION
    ]
    words = " ".join(f"--with {quote(name)}" for name in (*others, *packages))
    return f"uv tool install {words} {source}"


def _source() -> str:
    """Return the arguments for uv that install from where the running gitmem came from; empty if that is unknown."""
    from importlib.metadata import distribution

    record = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    url = str(record.get("url") or "")
    if not url:
        return ""
    if commit := _commit(record):
        return quote(f"git+{url}@{commit}")
    path = unquote(url.removeprefix("file://"))
    return f"--editable {quote(path)}" if record.get("dir_info", {}).get("editable") else quote(path)


def of_extra(requirements: Iterable[str], extra: str) -> list[str]:
    """Return the requirements of one extra, in pip's form."""
    matches = [_EXTRA.match(requirement) for requirement in requirements]
    return [match[1].strip() for match in matches if match and match[2] == extra]
