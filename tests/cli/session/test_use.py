"""Naming a topic."""

from __future__ import annotations

from support.each import each


def test_the_name_is_printed_alone_and_a_missing_specification_reported(run_cli) -> None:
    done = run_cli("session", "use", "billing")

    assert (done.status, done.out) == (0, "billing\n")
    assert "no specification yet" in done.err


@each(
    ("name", "text", "message"),
    [
        ("../up", "", "invalid topic name"),
        ("current", "", "invalid topic name"),
        ("ok", "ghp_" + "aB3dE5fG7h" * 4, "secret"),
    ],
    ids=["path", "reserved", "secret"],
)
def test_some_are_refused(run_cli, name: str, text: str, message: str) -> None:
    done = run_cli("session", "use", name, text)

    assert done.status == 2
    assert message in done.err
    assert "billing" not in run_cli("session").out
