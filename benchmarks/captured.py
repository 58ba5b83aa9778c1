"""Measure what is captured of agents' words, through the real hooks: kept, said twice, contradicting, personal, orders.

    python -m benchmarks.captured [--group NAME] [--errors]

``captured.jsonl`` was written before the rules: texts in five languages, each with what must become of it. Half of them
(``tuned``) served to make the rules, the other half (``held``) only to judge them. Each row has its own repository.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROWS = Path(__file__).with_name("captured.jsonl")
GITMEM = str(Path(sys.executable).with_name("gitmem"))


class Clone:
    """A scratch repository with a memory, and a client that calls its hooks."""

    def __init__(self, place: Path) -> None:
        self._place = place / "clone"
        self._place.mkdir()
        self._environment = {
            **{"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_GLOBAL": os.devnull, "LANG": "C.UTF-8"},
            **{"GIT_AUTHOR_NAME": "Ana", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "Ana"},
            **{"GIT_COMMITTER_EMAIL": "a@b.c"},
        }
        (self._place / "app.py").write_text("PORT = 8080\n", encoding="utf-8")
        for line in ("git init -q -b main", "git add .", "git commit -qm start", f"{GITMEM} init --no-view"):
            self.run(*line.split(" "))

    def run(self, *argv: str, data: str = "") -> str:
        """Run a program in the clone, and return its output."""
        done = subprocess.run(
            argv, cwd=self._place, env=self._environment, input=data, capture_output=True, text=True, check=False
        )
        return done.stdout

    def hook(self, event: str, **values: Any) -> str:
        """Call the hook of Claude Code."""
        about = {"hook_event_name": event, "session_id": "s1", "cwd": str(self._place), "transcript_path": ""}
        return self.run(GITMEM, "hook", "claude-code", data=json.dumps(about | values))

    def memories(self, *options: str) -> list[dict[str, Any]]:
        """Return the live memories, each with its frontmatter."""
        listed = json.loads(self.run(GITMEM, "list", "--json", *options) or '{"memories": []}')["memories"]
        return [json.loads(self.run(GITMEM, "show", one["key"], "--json", *options)) for one in listed]


def mistakes(row: dict[str, Any], clone: Clone) -> list[str]:
    """Return what became wrongly of a row's texts."""
    for argv in row.get("before", ()):
        clone.run(GITMEM, *argv)
    older = {one["key"] for one in clone.memories("--scope", "project")}
    for text in row["turns"]:
        clone.hook("Stop", last_assistant_message=text, stop_hook_active=False)
    offered = "gitmem remember" in clone.hook("UserPromptSubmit", prompt=row["prompt"]) if "prompt" in row else None
    clone.run(GITMEM, "background", "spool")
    found = [one for one in clone.memories("--scope", "project") if one["key"] not in older]
    texts = [f"{one['title']}\n{one['body']}".lower() for one in found]
    wrong = []
    if "keeps" in row:
        wrong += [f"lost: {words}" for words in row["keeps"] if not any(words.lower() in text for text in texts)]
        wrong += [f"{len(found)} instead of {len(row['keeps'])}"] * (len(found) != len(row["keeps"]))
        wrong += [f"kind {one['kind']}" for one in found if one["kind"] != row.get("kind", "learned")]
    if "count" in row and len(found) != row["count"]:
        wrong.append(f"{len(found)} instead of {row['count']}")
    if "contradicts" in row:
        named = {key for one in found for key in one["frontmatter"].get("contradicts", ())}
        wrong += [f"contradicts {sorted(named)}"] * (named != set(filter(None, [row["contradicts"]])))
    if "private" in row:
        kept = [f"{one['title']}\n{one['body']}" for one in clone.memories("--scope", "private")]
        wrong += [f"not private: {words}" for words in row["private"] if not any(words in text for text in kept)]
    if "aside" in row:
        aside = json.loads(clone.run(GITMEM, "doctor", "--captured", "--json"))["captured"]
        wrong += [f"{len(aside)} set aside"] * (len(aside) != row["aside"])
    if "offers" in row and offered != row["offers"]:
        wrong.append("not offered" if row["offers"] else "offered")
    return wrong


def main() -> None:
    """Print for each group how many rows of each half are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", default="", help="only this group")
    parser.add_argument("--errors", action="store_true", help="print what is wrong")
    args = parser.parse_args()
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    right, all_of = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in rows:
        if args.group in ("", row["group"]):
            with tempfile.TemporaryDirectory() as place:
                wrong = mistakes(row, Clone(Path(place)))
            all_of[row["group"], row["half"]] += 1
            right[row["group"], row["half"]] += not wrong
            if wrong and args.errors:
                print(row["id"], row["half"], row["turns"] or row["prompt"], wrong, file=sys.stderr)
    print("| group | tuned | held |\n|---|---|---|")
    for group in dict.fromkeys(row["group"] for row in rows):
        if any(all_of[group, half] for half in ("tuned", "held")):
            cells = (f"{right[group, half]} of {all_of[group, half]}" for half in ("tuned", "held"))
            print("|", " | ".join((group, *cells)), "|")
    print(f"held, all: {sum(n for (_, half), n in right.items() if half == 'held')} of"
          f" {sum(n for (_, half), n in all_of.items() if half == 'held')}")  # fmt: skip


if __name__ == "__main__":
    main()
