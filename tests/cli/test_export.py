"""``gitmem export``: JSONL in a pipe, a folder of Markdown with --to."""

from __future__ import annotations

import json
from pathlib import Path


def test_lines_go_to_standard_output_and_the_count_does_not(run_cli) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    done = run_cli("export")

    assert [json.loads(line)["key"] for line in done.out.splitlines()] == ["vpn"]
    assert (done.status, done.err) == (0, "gitmem: 1 memory exported\n")


def test_path_decides_the_form_unless_one_is_named(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    made = [
        run_cli("export", *words) for words in (["--to", "m"], ["--to", "m.jsonl"], ["--to", "n", "--format", "jsonl"])
    ]

    assert [done.status for done in made] == [0, 0, 0]
    assert made[0].out == "m\n"
    assert (repo / "m" / "learned" / "vpn.md").is_file()
    assert (repo / "m.jsonl").read_text() == (repo / "n").read_text() != ""


def test_bundle_goes_to_the_folder_that_is_named_and_takes_no_other_form(run_cli, repo: Path) -> None:
    run_cli("remember", "Deploys need the VPN", "--key", "vpn")

    done, both = run_cli("export", "--okf", "b.jsonl"), run_cli("export", "--okf", "c", "--to", "d")

    assert (done.status, done.out) == (0, "b.jsonl\n")
    assert "type: learned\n" in (repo / "b.jsonl/learned/vpn.md").read_text()
    assert both.status == 2
    assert "--okf cannot be combined" in both.err


def test_empty_store_is_exported_a_filter_without_a_match_fails_and_files_stay(run_cli, repo: Path) -> None:
    run_cli("init")

    none = run_cli("export", "--kind", "gotcha")
    full, nameless = run_cli("export", "--to", "src"), run_cli("export", "--format", "markdown")

    assert (none.status, none.out, none.err) == (1, "", "gitmem: no memories found\n")
    for words in ((), ("--all",), ("--to", "empty"), ("--to", "empty.jsonl"), ("--okf", "okf"), ("--notes", "notes")):
        whole = run_cli("export", *words)
        assert (whole.status, whole.err) == (0, "gitmem: no memories found\n"), words
    assert (full.status, nameless.status) == (2, 2)
    assert "already exists and is not an empty folder" in full.err
    assert sorted(path.name for path in (repo / "src").iterdir()) == ["auth", "gateway"]
