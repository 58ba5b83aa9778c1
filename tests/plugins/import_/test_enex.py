"""Evernote's exports: each note with its text as Markdown, its times, tags and links; nothing lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.each import each

from gitmem.plugins.import_.enex import read_enex
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.files import read_sources
from gitmem.plugins.import_.folder import ImportContext
from gitmem.plugins.import_.names import Names

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/e.dtd">\n'
NOTE = (
    "<note><title>{title}</title><content><![CDATA[<?xml version='1.0'?><!DOCTYPE en-note SYSTEM 'x'>"
    "<en-note>{text}</en-note>]]></content><created>20200611T165853Z</created><updated>20200612T000000Z</updated>"
    "{more}</note>"
)


def export(folder: Path, *notes: str) -> Path:
    path = folder / "Work.enex"
    path.write_text(f'{HEAD}<en-export export-date="20240101T000000Z">\n{"".join(notes)}</en-export>')
    return path


def note(text: str, title: str = "Sync", more: str = "") -> str:
    return NOTE.format(title=title, text=text, more=more)


def read(path: Path) -> list[ImportRecord | Unreadable]:
    return list(read_enex(str(path), "Work.enex", "doc", "notes/Work.enex", Names()))


@each(
    ("text", "markdown"),
    [
        ("<div>One</div><div><br/></div><div>Two&nbsp;&amp; three</div>", "One\n\nTwo & three"),
        ("a<br/>b <b>bold</b> <i>slanted </i>end", "a\nb **bold** *slanted* end"),
        ("<h2>Title</h2><p>Text</p>", "## Title\nText"),
        ("<ul><li>a<ul><li><div>b</div></li></ul></li></ul><ol><li>c</li></ol>", "- a\n  - b\n1. c"),
        ('<div><en-todo checked="true"/>done</div><div><en-todo/>open</div>', "- [x] done\n- [ ] open"),
        ('<ul style="--en-todo:true;"><li style="--en-checked:true;"><div>d</div></li></ul>', "- [x] d"),
        ('See <a href="https://e.org/x">the page</a>.', "See [the page](https://e.org/x)."),
        (
            '<div style="-en-codeblock:true;"><div>if a:</div><div>    b()</div></div>end',
            "```\nif a:\n    b()\n```\nend",
        ),
        ("<pre>x\n  y</pre>", "```\nx\n  y\n```"),
        (
            "<table><tr><td><div>a</div></td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("a &lt;b&gt; &amp;c &hellip; &unknown; &#233;", "a <b> &c … &unknown; é"),
        ("a<br>b<hr><b>c</b>", "a\nb\n\n---\n\n**c**"),
        # Broken or hostile markup comes as plain text.
        ("<div>open <b>tag</div><p>next &amp; last", "open\ntag\nnext & last"),
        ("<![a <!-- x <b y", "<![a <!-- x <b y"),
        (f"{'<b>' * 300}deep{'</b>' * 300}", "deep"),
    ],
)
def test_text_of_a_note_becomes_markdown(text: str, markdown: str, tmp_path: Path) -> None:
    (found,) = read(export(tmp_path, note(text)))

    assert isinstance(found, ImportRecord)
    assert "\n".join(" ".join(line.split(" ")) for line in found.body.split("\n")) == markdown


def test_times_tags_and_links_come_over_and_what_does_not_is_said(tmp_path: Path) -> None:
    link = '<a href="evernote:///view/1/s1/2/2/">Retry</a><en-media type="image/png" hash="a"/><en-crypt>x==</en-crypt>'
    attached = "<tag>ops</tag><tag>on call</tag><resource><data>AAAA</data><title>no</title></resource>"

    found, other = read(export(tmp_path, note(link, more=attached), note("Text", title="Retry")))

    assert isinstance(found, ImportRecord)
    assert (found.fields["title"], found.fields["created"]) == ("Sync", "2020-06-11T16:58:53Z")
    assert (found.fields["tags"], found.fields["refs"]) == (["ops", "on call"], ["retry"])
    assert found.remark == "1 attachment left out; encrypted text was left out"
    assert isinstance(other, ImportRecord)
    assert other.key == "retry"


def test_notes_of_one_title_are_several_memories(tmp_path: Path) -> None:
    found = read(export(tmp_path, note("one"), note("two"), note("three", title="Sync 2")))

    assert [(one.key, one.name, one.body) for one in found if isinstance(one, ImportRecord)] == [
        ("sync", "notes/Work.enex#Sync", "one"),
        ("sync-3", "notes/Work.enex#Sync 3", "two"),
        ("sync-2", "notes/Work.enex#Sync 2", "three"),
    ]


def test_notes_of_one_title_in_two_notebooks_are_several_memories(tmp_path: Path) -> None:
    names = Names()
    read_one = [
        next(read_enex(str(export(tmp_path, note(text))), "x", "doc", f"notes/{name}.enex", names))
        for name, text in (("Home", "one"), ("Work", "two"))
    ]

    first, second = (one for one in read_one if isinstance(one, ImportRecord))
    assert (first.key, first.name, second.name) == ("sync", "notes/Home.enex#Sync", "notes/Work.enex#Sync")
    assert second.key.startswith("sync-")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<en-export><note>", "it is not XML: "),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "it declares entities"),
        ("", "it is not XML: "),
    ],
)
def test_what_is_no_export_is_named(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "Work.enex"
    path.write_text(text)

    (found,) = read(path)

    assert isinstance(found, Unreadable)
    assert found.reason.startswith(reason)


def test_folder_of_exports_is_read_with_the_notes_in_it(tmp_path: Path) -> None:
    export(tmp_path, note("Text"), note("", title="", more="<resource/>"))
    (tmp_path / "plain.md").write_text("# Plain\n\nText\n")

    found = list(read_sources([str(tmp_path)], ImportContext(Names()), stdin=None, progress_of=None))

    assert [one.key for one in found if isinstance(one, ImportRecord)] == ["sync", "plain"]
    assert [one.reason for one in found if isinstance(one, Unreadable)] == ["it is empty; 1 attachment left out"]


def test_notebook_and_tasks_of_a_note_come_with_it(tmp_path):
    task = "<task><title>{}</title><created>20240101T000000Z</created><taskStatus>{}</taskStatus></task>"
    more = f"<notebook>Work</notebook>{task.format('Call', 'open')}{task.format('Write', 'completed')}"

    (found,) = read(export(tmp_path, note("<div>Text</div>", more=more)))

    assert isinstance(found, ImportRecord)
    assert (found.fields["title"], found.fields["notebook"]) == ("Sync", "Work")
    assert found.body == "Text\n\n- [ ] Call\n- [x] Write"


def test_attachments_are_named_and_the_reminder_is_a_time(tmp_path: Path) -> None:
    file = "<resource><resource-attributes><file-name>rotor.pdf</file-name></resource-attributes></resource>"
    reminder = "<note-attributes><reminder-time>20240301T090000Z</reminder-time></note-attributes>"

    (found,) = read(export(tmp_path, note("Text", more=f"{reminder}{file}<resource/>")))

    assert isinstance(found, ImportRecord)
    assert found.fields["attachments"] == ["rotor.pdf"]
    assert found.fields["reminder"] == "2024-03-01T09:00:00Z"
    assert found.remark == "2 attachments left out"
