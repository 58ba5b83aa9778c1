"""Small folders of other systems, in the forms that these write, with a word of each text that must be found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def lines(*tables: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in tables)


# By system: its files, and the words of its texts, each of which is in one text only.
SYSTEMS: dict[str, tuple[dict[str, str], str]] = {
    "Obsidian": (
        {
            ".obsidian/templates.json": '{"folder": "Meta"}',
            "Meta/Daily.md": "# {{title}}\n",
            "People/Ben.md": (
                "---\naliases: [Benny]\ntags:\n  - people/friends\nup: [[Home]]\n---\n\nBen leads abalone.\n"
            ),
            "Home.md": "# Home\n\n[[Benny|Ben]], [[People/Ben#Work]] and ![[pic.png]] barnacle #area/home\n",
            "Sub/Rules: one.md": (
                "---\nabout: Rules: first\ncssclass: wide\n---\n## Second level\n\nSee [[Home]] cuttlefish\n"
            ),
            "plan.md": (
                "---\ntasks:\n  - [ ] conch first\n  - [ ] then [[Home]]\n---\n# The [plan](Home.md) for Ben\n\nText.\n"
            ),
            "Untitled.md": "",
            "Sketch.md": (
                "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nclam ^a1\n\n%%\n## Drawing\n"
                "```compressed-json\nN4KA\n```\n%%\n"
            ),
        },
        "abalone barnacle cuttlefish clam conch",
    ),
    "Logseq": (
        {
            "logseq/config.edn": "{}",
            "pages/Read___Write.md": "tags:: [[deep work]]\nalias:: RW\n\n- dolphin notes\n  id:: 64f\n\t- nested\n",
            "pages/Term.md": "description:: A dunlin is a bird\n",
            "journals/2024_01_27.md": "- met [[RW]] about echinoderm\n",
            "logseq/bak/pages/x.md": "- old\n",
        },
        "dolphin dunlin echinoderm",
    ),
    "Foam": (
        {
            ".foam/x.md": "",
            "inbox.md": (
                '# Inbox\n\n- [[todo]] flounder\n\n[//begin]: # "refs"\n[todo]: todo.md "Todo"\n[//end]: # "refs"\n'
            ),
            "todo.md": "# Todo\n\ngrouper\n",
        },
        "flounder grouper",
    ),
    "Zettelkasten, Zettlr": (
        {
            "202401271530 On habits.md": "# On habits\n\nhaddock, see [[202401271531]]\n",
            "202401271531.md": "isopod stays without a title\n",
        },
        "haddock isopod",
    ),
    "decision records": (
        {
            "adr/0001-use-jellyfish.md": (
                "# 1. Use A\n\nDate: 2024-01-02\n\n## Status\n\n"
                "Superceded by [2. Use B](0002-use-b.md)\n\n## Decision\n\njellyfish\n"
            ),
            "adr/0002-use-b.md": (
                "---\nstatus: accepted\ndate: 2024-02-03\n---\n# Use B\n\n## Decision Outcome\n\nkrill\n"
            ),
        },
        "jellyfish krill",
    ),
    "instructions": (
        {
            "AGENTS.md": "# Agents\n\nUse lobster for builds.\n",
            "CLAUDE.md": "@AGENTS.md\n\n## Style\n\nmackerel lines\n",
            "rules/ui.mdc": (
                "---\ndescription: Buttons\nglobs: **/*.tsx\nalwaysApply: false\n---\n- Use nautilus tokens\n"
            ),
        },
        "lobster mackerel nautilus",
    ),
    "Claude Code": (
        {
            "MEMORY.md": (
                "# Memory\n\n- [Deploys](deploys.md) — octopus is the short name\n- pufferfish is not in a file\n"
            ),
            "deploys.md": (
                "---\nname: deploys\ndescription: Deploys (2026-03-20): quahog first\nmetadata:\n"
                "  type: project\n---\nremora last\n"
            ),
        },
        "octopus pufferfish quahog remora",
    ),
    "Serena": ({"memories/style.md": "# Style\n\nNo seahorse in tests.\n"}, "seahorse"),
    "beadboard": (
        {
            "knowledge.jsonl": lines(
                {"key": "learned-tern", "type": "learned", "content": "A tern sleeps", "ts": 1706360000}
            )
        },
        "tern",
    ),
    "beads": (
        {
            "issues.jsonl": lines(
                {
                    "id": "bd-1",
                    "title": "Fix turbot",
                    "status": "open",
                    "priority": 1,
                    "issue_type": "bug",
                    "description": "urchin",
                }
            )
        },
        "turbot urchin",
    ),
    "Beans": (
        {"beans-0a1b--fix.md": "---\ntitle: Fix wahoo\nstatus: todo\ntype: bug\n---\nIt shows viperfish.\n"},
        "wahoo viperfish",
    ),
    "mem0": (
        {
            "memories.json": json.dumps(
                {"results": [{"id": "1", "memory": "prefers albatross merges", "created_at": "2025-03-01T10:00:00Z"}]}
            )
        },
        "albatross",
    ),
    "Letta": (
        {
            "memory.json": json.dumps(
                {"agents": [], "blocks": [{"label": "human", "value": "is a bittern", "limit": 9}]}, indent=1
            )
        },
        "bittern",
    ),
    "MCP memory": (
        {
            "memory.jsonl": lines(
                {"type": "entity", "name": "cormorant", "entityType": "service", "observations": ["runs on dunlin"]},
                {"type": "relation", "from": "cormorant", "to": "egret", "relationType": "calls"},
            )
        },
        "cormorant dunlin egret",
    ),
    "claude-mem": (
        {
            "memories.json": json.dumps(
                {
                    "observations": [
                        {
                            "id": 1,
                            "type": "discovery",
                            "title": "The fulmar",
                            "narrative": "kept gannet",
                            "facts": '["heron"]',
                        }
                    ]
                }
            )
        },
        "fulmar gannet heron",
    ),
    "Graphiti": (
        {
            "memories.json": json.dumps(
                [{"uuid": "e", "name": "IS", "fact": "The ibis holds", "valid_at": "2025-01-02"}]
            )
        },
        "ibis",
    ),
    "basic-memory": (
        {
            "tea.md": (
                "---\ntitle: Tea\ntype: note\npermalink: drinks/tea\n---\n\n# Tea\n\n"
                "- [fact] steep jackdaw #brew\n- pairs_with [[Cake]]\n"
            ),
            "cake.md": "---\ntitle: Cake\ntype: note\npermalink: food/cake\n---\n\nkestrel, see [[drinks/tea]]\n",
        },
        "jackdaw kestrel",
    ),
    "bettermemory": (
        {
            "m/2025-02-10-ci.md": (
                "---\nid: 01J\ncreated: 2025-02-10T11:30:00+00:00\nscopes: [projects:a]\n"
                "confidence: high\norigin:\n  branch: main\n---\nCI runs on lapwing.\n"
            ),
        },
        "lapwing",
    ),
    "OKF": (
        {
            "index.md": '---\nokf_version: "0.2"\n---\n# Bundle\n\n* [Orders](orders.md) - the orders\n',
            "orders.md": (
                "---\ntype: Table\ntitle: Orders\n"
                'generated: {by: "human:ana", at: 2026-01-02T00:00:00Z}\n---\n'
                "One row per merlin.\n"
            ),
        },
        "merlin",
    ),
    "Dendron": (
        {
            "dendron.yml": "version: 5\n",
            "vault/sea.crab.md": "---\nid: c1\ntitle: Crab\n---\n\nA plover eats it: [[the bird|sea.bird]].\n",
            "vault/sea.bird.md": "---\nid: b1\ntitle: Bird\n---\n\nA dunlin.\n",
        },
        "plover dunlin",
    ),
    "Notion": (
        {
            f"Wiki/Deploys {'0a' * 16}.md": (
                "# Deploys\n\nCreated: January 27, 2024 10:15 AM\nTags: ops\n\nAsk a redshank first.\n"
            ),
        },
        "redshank",
    ),
    "Standard Notes": (
        {
            "Standard Notes Backup and Import File.txt": json.dumps(
                {
                    "version": "004",
                    "items": [
                        {"uuid": "n1", "content_type": "Note", "content": {"title": "Tide", "text": "A knot waits."}},
                        {
                            "uuid": "t1",
                            "content_type": "Tag",
                            "content": {"title": "sea", "references": [{"uuid": "n1", "content_type": "Note"}]},
                        },
                    ],
                }
            )
        },
        "knot",
    ),
    "Joplin": (
        {
            "Shop/Prices.md": (
                "---\ntitle: Prices\nupdated: 2024-01-27 10:15:00Z\ncreated: 2024-01-27 10:15:00Z\n"
                "tags:\n  - shop\n---\n\nA curlew in cents.\n"
            ),
        },
        "curlew",
    ),
    "Evernote": (
        {
            "Work.enex": (
                '<?xml version="1.0" encoding="UTF-8"?>\n<en-export><note><title>Sync</title><content>'
                "<![CDATA[<en-note><div>A sandpiper syncs</div></en-note>]]></content>"
                "<created>20200611T165853Z</created><tag>shore</tag></note></en-export>\n"
            ),
        },
        "sandpiper",
    ),
    "Google Keep": (
        {
            "Takeout/Keep/Gate.json": json.dumps(
                {
                    "color": "DEFAULT",
                    "isTrashed": False,
                    "isPinned": False,
                    "isArchived": False,
                    "textContent": "A dotterel opens the gate.",
                    "title": "Gate",
                    "userEditedTimestampUsec": 1707730000000000,
                    "labels": [{"name": "allotment"}],
                }
            )
        },
        "dotterel",
    ),
    "Bear": ({"Bread.textbundle/text.md": "# Bread\nA brambling at eight.\n\n#kitchen/bread\n"}, "brambling"),
    "Zep": (
        {
            "user.json": json.dumps(
                {"context": "A garganey leads", "facts": [{"uuid": "1", "fact": "A gadwall follows"}]}
            )
        },
        "garganey gadwall",
    ),
    "Roam": (
        {
            "graph.json": json.dumps(
                [{"title": "Queue", "create-time": 1587252898938, "children": [{"string": "A tanager waits"}]}]
            )
        },
        "tanager",
    ),
    "ChatGPT, Claude, other chats": (
        {
            "conversations.json": json.dumps(
                [
                    {"name": "Tea", "chat_messages": [{"sender": "human", "text": "Is a sparrowhawk near?"}]},
                    {"title": "Ed", "messages": [{"role": "user", "content": "A waxwing sings"}]},
                ]
            )
        },
        "sparrowhawk waxwing",
    ),
    "CSV, TSV": ({"notes.csv": "title,text,tags\nFerry,The whimbrel sails at six,sea\n"}, "whimbrel"),
    "JSON": ({"memories.json": json.dumps([{"content": "a nuthatch"}, {"text": "an oriole"}])}, "nuthatch oriole"),
}

# Systems whose one file is read only if it is named: in a folder, it may be anything.
NAMED = ("Zep", "Roam", "Standard Notes", "ChatGPT, Claude, other chats", "CSV, TSV")


def write_systems(folder: Path) -> list[str]:
    """Write every system's files to a folder of its own; return these folders, or a file that must be named itself."""
    for name, (files, _) in SYSTEMS.items():
        for path, text in files.items():
            to = folder / name / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text)
    return [str(folder / name / ("" if name not in NAMED else next(iter(SYSTEMS[name][0])))) for name in SYSTEMS]
