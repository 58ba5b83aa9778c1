"""What a sentence says about a name."""

from support.each import each

from gitmem.commands.adopt.claims.claim import is_denied, is_example, is_log, is_refused, is_unwanted


@each(
    ("text", "token", "answer"),
    [
        ("`a.py` was removed", "a.py", True),
        ("replaces the legacy `a.py`", "a.py", True),
        ("`a.py` does not exist", "a.py", True),
        ("Have `b.py`, and no `a.py`.", "a.py", True),
        ("No tests, but `a.py`", "a.py", False),
        ("Never commit `.env.local` or `a.py`", "a.py", True),
        ("Never commit. Read `a.py`", "a.py", False),
        ("`a.py` has the limits", "a.py", False),
        ("`legacy/gone.py` has the limits", "legacy/gone.py", False),
        ("`a.py` has the limits. " + "x" * 90 + " The rest was removed.", "a.py", False),
    ],
)
def test_denial_counts_near_the_name(text, token, answer):
    assert is_denied(text, token) == answer


@each(
    ("text", "answer"),
    [
        ("Never use `parse`", True),
        ("Do not directly call `load()` or `parse`; ask the store", True),
        ("Use `read` instead of `parse()`.", True),
        ("Avoid raw `parse` — it is slow", True),
        ("Never use `parse` in loops", False),
        ("Don't use `load`, but `parse`", False),
        ("Do not use `load`. Use `parse`", False),
        ("`parse` reads it; never use `load`", False),
    ],
)
def test_only_an_unconditional_sentence_says_not_to_use_a_name(text, answer):
    assert is_unwanted(text, "parse") == answer


@each(
    ("remark", "answer"),
    [
        ("# WRONG - legacy files DELETED", True),
        ("# ❌ starts only half of it", True),
        ("# Don't run this", True),
        ("# these scripts were removed in 2.0", True),
        ("# Remove the build output", False),
        ("# All tests; do not skip any", False),
        ("# Run one test", False),
        ("", False),
    ],
)
def test_remark_refuses_what_is_below_it(remark, answer):
    assert is_refused(remark) == answer


def test_examples_and_entries_of_a_log_are_known():
    assert is_example("e.g. `a.py`") and not is_example("see `a.py`")
    assert all(map(is_example, ("Example: `a.py`", "Create `a.py` with:")))
    assert is_log("", "- [x] Compute `Map`") and not is_log("", "- [ ] Compute `Map`")
    assert is_log("Changelog", "text") and is_log("", "2026-01-02: text") and not is_log("Layout", "text")
