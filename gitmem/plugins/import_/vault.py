"""The settings of a folder of notes: whose it is, and where its templates are."""

from __future__ import annotations

import json
import os
import re

from gitmem.frozen import frozen
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

LOGSEQ, DENDRON = "logseq/config.edn", "dendron.yml"
# Files and folders that mark the top of a vault in which `#word` is a tag.
_MARKS = (".obsidian", ".foam", ".zk", LOGSEQ, DENDRON)
# Where Obsidian, Templater and QuickAdd name the folder of templates, and the setting.
_TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
    (".obsidian/plugins/quickadd/data.json", "templateFolderPath"),
)
# Logseq keeps earlier versions of pages here.
BACKUPS = ("logseq/bak/", "logseq/version-files/")
_SETTINGS_LIMIT = 1 << 20
# The setting that names the pages of Logseq's journal, and its default. A line that begins with `;` is a comment.
_DAY_FORMAT = re.compile(r'(?m)^[^;\n]*:journal/page-title-format\s+"([^"\n]{1,60})"')
_USUAL_DAY = "MMM do, yyyy"


@frozen
class Vault:
    """The vault around a folder.

    Attributes:
        is_vault: Whether there is one: elsewhere ``#word`` is not a tag.
        is_logseq: Whether it is a graph of Logseq.
        is_foam: Whether it is a workspace of Foam, and not a vault of Obsidian as well.
        is_dendron: Whether it is a workspace of Dendron: its links are ``[[shown|page]]``.
        day: How a graph of Logseq names the pages of its journal, as ``:journal/page-title-format`` has it.
        templates: The folders of templates, relative to the folder that is read.
        name: The name of its folder; empty if there is none.
    """

    is_vault: bool = False
    is_logseq: bool = False
    is_foam: bool = False
    is_dendron: bool = False
    day: str = ""
    templates: tuple[str, ...] = ()
    name: str = ""


def read_vault(folder: Path) -> Vault:
    """Return the vault around a folder, which may be a part of it.

    Args:
        folder: The absolute path of the folder.
    """
    top = next((path for path in (folder, *folder.parents) if any((path / mark).exists() for mark in _MARKS)), None)
    if top is None:
        return Vault()
    named = [_setting(top / path, name).strip("/") for path, name in _TEMPLATES]
    inside = [os.path.relpath(top / name, folder).replace(os.sep, "/") for name in named if name]
    is_logseq = (top / LOGSEQ).exists()
    templates = tuple(path for path in inside if not path.startswith("..") and path != ".")
    is_foam = (top / ".foam").exists() and not (top / ".obsidian").exists()
    day = _day_format(top / LOGSEQ) if is_logseq else ""
    return Vault(True, is_logseq, is_foam, (top / DENDRON).exists(), day, templates, top.name)


def _day_format(path: Path) -> str:
    try:
        with open(path, "rb", opener=only_regular) as file:
            match = _DAY_FORMAT.search(file.read(_SETTINGS_LIMIT).decode("utf-8", "replace"))
    except OSError:
        match = None
    return match[1] if match else _USUAL_DAY


def _setting(path: Path, name: str) -> str:
    try:
        with open(path, "rb", opener=only_regular) as file:
            table: Any = json.loads(file.read(_SETTINGS_LIMIT)).get(name)
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return table if isinstance(table, str) else ""
