"""Contradictions between documents: what counts as one, and alarms that name the document that is right."""

import json

from conftest import commit_files, git
from support.each import each

from gitmem.commands.adopt.contradictions import find_contradictions
from gitmem.commands.adopt.documents import document_of
from gitmem.commands.adopt.findings import HOLDS, JudgedClaim, Mention, Source
from gitmem.commands.adopt.ignored import split_ignored
from gitmem.commands.adopt.kinds import claims_of


def found(texts, *holding, files=()):
    """Return what is found in documents; statements with one of the texts *holding* hold."""
    read, findings = [], []
    for path, text in texts.items():
        document = document_of(path)
        for statement in split_ignored(text)[0]:
            claims = list(claims_of(statement, document))
            read.append((document, statement, claims))
            findings += [
                JudgedClaim(Mention(document, statement, claim), HOLDS, Source("a.toml", 3))
                for claim in claims
                if claim.token in holding
            ]
    return [
        (one.subject, [(side.says, side.places, side.source) for side in one.sides])
        for one in find_contradictions(read, findings, files)
    ]


def test_documents_that_say_the_same_are_one_side():
    texts = {"AGENTS.md": "- Python 3.11+\n", "CLAUDE.md": "- Python 3.11+\n", "README.md": "- Python 3.10+\n"}

    assert found(texts) == [
        ("Python", [("3.11+", ("AGENTS.md:1", "CLAUDE.md:1"), ""), ("3.10+", ("README.md:1",), "")])
    ]


@each(
    ("one", "other", "subject"),
    [
        ("- Needs Node 18\n", "- Needs Node 20\n", "Node"),
        ("- `max_steps` (default: `100`)\n", "- `max_steps` (default: `200`)\n", "The default of `max_steps`"),
        ("- `npm run dev` opens port 3000\n", "- `yarn dev` opens port 3002\n", "The port of `dev`"),
        (
            "# Use\n\n```sh\nnpm run dev\n```\n\nOpen http://localhost:3000\n",
            "- `npm run dev`: port 3002\n",
            "The port of `dev`",
        ),
        ("- Run `npm test`\n", "- Run `yarn test`\n", "The package manager"),
        ("```sh\ngit clone x\ncd x\nnpm test\n```\n", "- Run `yarn test`\n", "The package manager"),
        ("```sh\ncd web\nnpm test\n```\n", "- `cd web && yarn test`\n", "The package manager"),
        ("- Use tabs\n", "- Spaces for indentation\n", "Indentation"),
        ("```sh\nnpm install\n```\n", "```sh\npnpm build\n```\n", "The package manager"),
    ],
)
def test_two_documents_contradict_each_other(one, other, subject):
    assert subject in [name for name, _ in found({"CLAUDE.md": one, "README.md": other})]


@each(
    ("one", "other"),
    [
        ("- Needs Node 20\n", "- Needs Node 18+\n"),  # 20 is one of them
        ("- Python 3.11\n", "- Python 3.11.4\n"),
        ("- Vue 3+\n", "- Vue 3.5+\n"),
        ("- Before v2 it needed Node 18\n", "- Needs Node 20\n"),
        ("## Windows\n\n- Needs Node 18\n", "- Needs Node 20\n"),
        ("- Needs Node 18 (recommended: 20)\n", "- Needs Node 20\n"),
        ("- Node 18 was removed\n", "- Needs Node 20\n"),
        ("- Needs Node 18\n- The image has Node 22\n", "- Needs Node 20\n"),  # two of one document
        ("- Convention 1: be kind\n", "- Convention 2: be quick\n"),
        ("- `name` (default: `a`)\n", "- `name` (default: `b`)\n"),  # any name may be another one
        ("- `ttl_s` (default: `60`)\n", "- `ttl_s` (default: `1 min`)\n"),
        ("- The API is at http://localhost:8000\n", "- The page is at http://localhost:3000\n"),
        ("- `npm run dev` opens port 3000\n", "- `npm run docs` opens port 4000\n"),
        ("```sh\nnpm run dev\n# or\nyarn dev\n```\n", "- Run `pnpm dev`\n"),
        ("- Run `npm test`\n", "- Install it with `yarn add mytool`\n"),
        ("- Run `pnpm test`\n", "```sh\nnpm install mytool --save-dev\n```\n"),
        ("- Run `pnpm test`\n", "- `npm install` fails until the package is published\n"),
        ("```sh\ncd web\nnpm install\nnpm test\n```\n", "- Run `pnpm test`\n"),
        ("- `cd web && npm test`\n- `cd api && npm test`\n", "- Run `pnpm test`\n"),
        ("- Use tabs in Go\n", "- Use spaces\n"),
    ],
)
def test_other_scopes_and_precisions_are_no_contradiction(one, other):
    assert found({"CLAUDE.md": one, "README.md": other}) == []


def test_documents_of_other_folders_prompts_and_decision_records_are_not_compared():
    texts = {
        "README.md": "- Needs Node 20\n",
        "web/README.md": "- Needs Node 18\n",
        ".claude/skills/x/SKILL.md": "- Needs Node 16\n",
        "docs/adr/0001-node.md": "# Node\n\n## Decision\n\nWe use Node 14\n",
    }

    assert found(texts) == []


def test_code_that_has_both_or_names_one_is_told_apart():
    texts = {"CLAUDE.md": "- `npm run dev` opens port 3002\n", "README.md": "- `npm run dev` opens port 3000\n"}

    assert found(texts, "port 3000", "port 3002") == []
    assert found(texts, "port 3002") == [
        ("The port of `dev`", [("3002", ("CLAUDE.md:1",), "a.toml:3"), ("3000", ("README.md:1",), "")])
    ]
    managers = {"CLAUDE.md": "- Run `pnpm test`\n", "README.md": "- Run `npm test`\n"}
    assert found(managers, files={"pnpm-lock.yaml"})[0][1][0] == ("pnpm", ("CLAUDE.md:1",), "pnpm-lock.yaml")


def test_alarm_names_the_document_that_is_right_and_contradictions_are_printed(repo, run_cli):
    commit_files(
        repo,
        {
            "AGENTS.md": "- Go 1.24+\n- `src/a.py` has the limits\n- Needs Node 18\n",
            "README.md": "- `src/b.py` has the limits\n- Needs Node 20\n",
            "go.mod": "module x\n\ngo 1.24\n",
            "src/a.py": "LIMIT = 3\n" * 9,
        },
    )
    git(repo, "mv", "src/a.py", "src/b.py")
    commit_files(repo, {"go.mod": "module x\n\ngo 1.25\n", "CLAUDE.md": "- Go 1.25+\n"}, "move")

    printed = run_cli("adopt").out
    table = json.loads(run_cli("adopt", "--json").out)

    assert "should say: 1.25" in printed
    assert "    CLAUDE.md:1 is right" in printed
    assert "    README.md:1 is right" in printed
    assert "Node: AGENTS.md:3 says 18; README.md:2 says 20" in printed
    assert "1 contradiction between documents" in printed
    assert [one["right"] for one in table["false"]] == [["CLAUDE.md:1"], ["README.md:1"]]
    assert table["contradictions"] == [
        {
            "subject": "Node",
            "sides": [
                {"says": "18", "places": ["AGENTS.md:3"], "source": ""},
                {"says": "20", "places": ["README.md:2"], "source": ""},
            ],
        }
    ]
