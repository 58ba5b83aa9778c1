"""Comments of reStructuredText and AsciiDoc state nothing about the code; what is shown does."""

from support.each import each

from gitmem.commands.adopt.dated_sections import split_current
from gitmem.commands.adopt.documents import document_of

RST = """Run ``make a``.

.. See ``src/b.py``,

   and ``src/c.py``.
.. note:: Read ``src/d.py``.
.. |e| replace:: ``src/e.py``

Read ``src/f.py``.
"""
# Code and the targets of links name something; labels, titles of other pages and the words of references do not.
REFERENCES = """See :doc:`code_of_conduct`, :ref:`some_label` and `reStructuredText`_, the
`long guide
<docs/guide.rst>`_, `the API <api.html#x>`__ or `a site <https://example.org/x>`_.
Use ``run_it``, :func:`~pkg.call`, :py:class:`Thing`, `Field` and `name`:code:.

.. _`other_target`: https://example.org
"""
SHOWN = ["docs/guide.rst", "https://example.org/x", "run_it", "~pkg.call", "Thing", "Field", "name"]
ADOC = """Run `make a`.
// See `src/b.py`.
////
See `src/c.py`.

//////
////
Read `src/d.py` and `+src/e.py+`.
"""


CONDITIONS = """:native:
:old!:
ifdef::native[]
Run `make a`.
ifndef::old[]
See `src/b.py`.
endif::[]
endif::native[]
ifdef::old,older[]
See `src/c.py`.
ifdef::native[See `src/d.py`.]
endif::[]
ifndef::native[]
:older:
See `src/e.py`.
endif::[]
ifdef::native+older[]
See `src/f.py`.
endif::[]
ifdef::env-github[]
See `src/g.py`.
endif::[]
ifndef::env-github[]
See `src/h.py`.
endif::[]
ifeval::["{native}" == "1"]
See `src/i.py`.
endif::[]
See `src/j.py`.
"""


@each(
    ("path", "text", "shown"),
    [
        ("README.rst", RST, ["make a", "src/d.py", "src/e.py", "src/f.py"]),
        ("guide.rst", REFERENCES, SHOWN),
        ("README.adoc", ADOC, ["make a", "src/d.py", "src/e.py"]),
        ("README.adoc", CONDITIONS, ["make a", *(f"src/{one}.py" for one in "bghij")]),
        ("README.md", ADOC[:32], ["make a", "src/b.py"]),
    ],
)
def test_comments_are_left_out_and_lines_stay_where_they_are(path, text, shown):
    spans = [span for one in split_current(document_of(path), text)[0] for span in one.spans]

    assert [span.text for span in spans] == shown
    assert all(span.text in text.split("\n")[span.line - 1] for span in spans)


def test_comment_that_says_what_to_ignore_is_kept():
    text = "// gitmem: ignore it is an example\nRun `make a`.\n"

    kept, ignored = split_current(document_of("README.adoc"), text)
    assert ([one for one in kept if one.spans], len(ignored)) == ([], 1)
