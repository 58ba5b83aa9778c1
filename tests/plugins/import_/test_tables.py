"""Each row of a table is a memory, with its columns as fields."""

from __future__ import annotations

from pathlib import Path

from support.each import each

from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.tables import read_table


def read(path: Path, data: bytes) -> list[ImportRecord | Unreadable]:
    path.write_bytes(data)
    return list(read_table(str(path), "learned"))


@each(
    ("name", "data"),
    [
        (
            "a.csv",
            b'\xef\xbb\xbfTitle,Body,Tags,Date,Run Time\r\nVPN,"Needed,\r\nalways",ops;net,"January 27, 2024",30 s\r\n',
        ),
        (
            "a.csv",
            b'Title;Body;Tags;Date;Run Time\r\nVPN;"Needed,\r\nalways";"ops;net";"January 27, 2024";30 s\r\n',
        ),
        (
            "a.csv",
            b"sep=|\r\nTitle|Body, or text|Body|Tags|Date|Run Time\r\n"
            b'VPN||"Needed,\r\nalways"|ops;net|2024-01-27|30 s\r\n',
        ),
        (
            "a.csv",
            'Title;"Body, long";Body;Tags;Date;Run Time\nVPN;;"Needed,\nalways";ops,net;2024-01-27;30 s\n'.encode(
                "utf-16-le"
            ),
        ),
        ("a.tsv", b'Title\tBody\tTags\tDate\tRun Time\nVPN\t"Needed,\nalways"\tops,net\t2024-01-27\t30 s\n\n'),
    ],
)
def test_row_is_a_memory(tmp_path: Path, name: str, data: bytes) -> None:
    (found,) = read(tmp_path / name, data)

    assert isinstance(found, ImportRecord)
    assert (found.fields["title"], found.body.replace("\r", "")) == ("VPN", "Needed,\nalways")
    assert (found.fields["tags"], found.fields["created"]) == (["ops", "net"], "2024-01-27T00:00:00Z")
    assert (found.fields["run_time"], found.where.rpartition(":")[2]) == ("30 s", "3" if b"sep=" in data else "2")


def test_row_without_text_and_cells_without_a_column_are_named(tmp_path: Path) -> None:
    none, more = read(tmp_path / "a.csv", b"level,text,text\n3,,\n4,Restart it,by hand,twice\n")

    assert isinstance(none, Unreadable)
    assert none.where.endswith("a.csv:2")
    assert isinstance(more, ImportRecord)
    assert (more.body, more.fields["text_3"], more.fields["column_4"]) == ("Restart it", "by hand", "twice")


def test_rows_below_an_open_quote_and_columns_without_a_known_name_are_named(tmp_path: Path) -> None:
    row, is_open = read(tmp_path / "a.csv", b'title,text\nA,"not closed\nB,second\n')
    header, card = read(tmp_path / "b.csv", b"front,back\nWhat sails at six?,The ferry\n")

    assert isinstance(row, ImportRecord)
    assert row.body == "not closed\nB,second"
    assert is_open == Unreadable(
        f"{tmp_path}/a.csv:2", "a quote is not closed: the lines below it became part of this row"
    )
    assert header == Unreadable(
        f"{tmp_path}/b.csv:1",
        "no column has the name of a text or a title: cells with several words became texts",
        is_skipped=True,
    )
    assert isinstance(card, ImportRecord)
    assert card.body == "front: What sails at six?\n\nback: The ferry"


@each("sign", [b"\0", b'"', b"x", b"\r"])
def test_first_line_that_names_no_usable_separator_is_a_row(tmp_path: Path, sign: bytes) -> None:
    *_, row = read(tmp_path / "a.csv", b"sep=" + sign + b"\ntitle,text\nFerry,At six\n")

    assert isinstance(row, ImportRecord)
    assert "At six" in row.body


def test_rows_after_a_long_cell_and_columns_of_any_name_are_kept(tmp_path: Path) -> None:
    long, last = read(tmp_path / "a.csv", b",\ntext,a,a_4,a\n" + b"x" * 200_000 + b"\nRestart it,1,2,3\n")

    assert isinstance(long, ImportRecord)
    assert len(long.body) == 200_000
    assert isinstance(last, ImportRecord)
    assert [last.fields[name] for name in ("a", "a_4", "a_4_4")] == ["1", "2", "3"]
