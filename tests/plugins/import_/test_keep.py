"""Notes of Google Keep come in with their lists, labels, times, links and the names of their attachments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.each import each

from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.folder import ImportContext, list_files, read_folder
from gitmem.plugins.import_.keep import is_keep_file
from gitmem.plugins.import_.names import Names

USUAL = {"color": "DEFAULT", "isTrashed": False, "isPinned": False, "isArchived": False}
NOTE = {
    "attachments": [{"filePath": "18d.jpg", "mimetype": "image/jpeg"}],
    **USUAL,
    "textContent": "The gate code is inside the lid.",
    "title": "Gate",
    "userEditedTimestampUsec": 1707730000000000,
    "createdTimestampUsec": 1707200000000000,
    "labels": [{"name": "allotment"}],
    "annotations": [{"source": "WEBLINK", "title": "Pumps", "url": "https://example.org/pump"}],
}
LIST = {
    **USUAL,
    "title": "",
    "listContent": [{"text": "twine", "isChecked": False}, {"text": "canes", "isChecked": True}, {"text": None}],
}


def _read(folder: Path, **notes: Any) -> list[ImportRecord | Unreadable]:
    for name, note in notes.items():
        (folder / f"{name}.json").write_text(json.dumps(note))
    shared = ImportContext(Names())
    return [found for _, found in read_folder(str(folder), list_files(str(folder)), shared, name="Keep")]


def test_a_note_has_its_text_link_label_times_and_attachment(tmp_path: Path) -> None:
    (found,) = _read(tmp_path, gate=NOTE)

    assert isinstance(found, ImportRecord)
    assert found.body == "The gate code is inside the lid.\n\n[Pumps](https://example.org/pump)"
    assert {name: value for name, value in found.fields.items() if value} == {
        "kind": "doc",
        "title": "Gate",
        "tags": ["allotment"],
        "created": "2024-02-06T06:13:20Z",
        "edited": "2024-02-12T09:26:40Z",
        "attachments": ["18d.jpg"],
    }


def test_a_list_is_one_note_with_what_is_checked(tmp_path: Path) -> None:
    (found,) = _read(tmp_path, list=LIST)

    assert isinstance(found, ImportRecord)
    assert found.body.endswith("- [ ] twine\n- [x] canes")


def test_a_note_of_images_alone_is_read_by_their_names(tmp_path: Path) -> None:
    note = {name: value for name, value in NOTE.items() if name not in ("textContent", "title", "annotations")}

    (found,) = _read(tmp_path, photo=note)

    assert isinstance(found, ImportRecord)
    assert found.body == "18d.jpg"


@each(
    ("note", "reason"),
    [
        ({**NOTE, "isTrashed": True}, "it was deleted where it comes from"),
        ({**USUAL, "title": "", "textContent": ""}, "it is empty"),
    ],
)
def test_a_note_without_a_text_is_named(tmp_path: Path, note: dict[str, Any], reason: str) -> None:
    (found,) = _read(tmp_path, note=note)

    assert isinstance(found, Unreadable)
    assert (found.reason, found.is_skipped) == (reason, True)


def test_other_json_beside_notes_is_not_read(tmp_path: Path) -> None:
    (found,) = _read(tmp_path, package={"name": "shop", "version": "1"})

    assert isinstance(found, Unreadable)
    assert found.is_other
    assert not is_keep_file(b'["isTrashed", "isArchived"]')
