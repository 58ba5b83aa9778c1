"""Text in other encodings becomes UTF-8 where that is certain enough, and stays as it is elsewhere."""

from support.each import each

from gitmem.plugins.import_.encodings import to_utf8

GERMAN, QUOTED, RUSSIAN = "Die größte Möwe über dem Hafen", "The “proxy” – slow", "Кэш надо прогреть до релиза"


@each(
    ("text", "encoding", "name"),
    [
        (GERMAN, "utf-16", "UTF-16"),
        (RUSSIAN, "utf-16", "UTF-16"),
        (GERMAN, "utf-16-le", "UTF-16"),
        (RUSSIAN, "utf-16-be", "UTF-16"),
        ("It sails\u2026 at six", "utf-16-le", "UTF-16"),
        (GERMAN, "utf-32", "UTF-32"),
        (RUSSIAN, "utf-32-le", "UTF-32"),
        (GERMAN, "latin-1", "Windows-1252"),
        (QUOTED, "cp1252", "Windows-1252"),
        (RUSSIAN, "utf-8", ""),
        ("plain", "ascii", ""),
    ],
)
def test_text_is_read(text, encoding, name):
    read, remark = to_utf8(text.encode(encoding))

    assert read.decode() == text
    assert (name in remark) if name else not remark


@each(
    "data",
    [
        RUSSIAN.encode("cp1251"),
        "これは鶴のメモです".encode("shift_jis"),
        b"\x00\xff\x10 binary",
        b"\x7fELF\x02\x01\x01\x00\x00\x00 \x00",
        b"a text with a \x00 in it",
        b"ab \x00cd",
        "Größe \x00und Höhe".encode(),
        b"caf\x81 is no character",
        b"\xff\xfe\x00",  # half of a character
        b"# Pool \xc3\xa9 and caf\xe9",  # both encodings in one file
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj stream of text",
    ],
)
def test_other_bytes_are_left_as_they_are(data):
    assert to_utf8(data) == (data, "")
