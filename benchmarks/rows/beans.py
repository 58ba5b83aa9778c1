"""B: Beans' facts, tasks and context, by the examples of its document."""

from __future__ import annotations

import json

from benchmarks.rows import row
from benchmarks.rows.place import Place

SIGNED = 'gitmem fact "Auth uses RS256 signing" --contains RS256 --in src/auth/jwt.py --path "src/auth/**" --key rs256'
REFRESH = (
    'gitmem task add "Implement JWT refresh tokens" --key refresh --path "src/auth/**" --exists src/auth/refresh.py'
)


def begin(place: Place) -> None:
    """Set up a store as users of Beans do."""
    place.type("gitmem init --profile beans")


def break_auth(place: Place) -> None:
    """Commit a change that makes the fact false."""
    place.write("src/auth/jwt.py", 'ALGORITHM = "EdDSA"\n')
    place.commit("auth: sign with EdDSA")


@row("B1", "A fact without a check is refused, with a hint for prose")
def b1(place: Place) -> None:
    """`fact` without a check is refused and names `remember` for prose; so is one with a check that fails."""
    begin(place)
    place.type('gitmem fact "Session timeout is 24h"', "check", "gitmem remember", status=2)
    place.type('gitmem fact "Auth uses HS256" --contains HS256 --in src/auth/jwt.py', status=2)
    place.type(SIGNED, "rs256")
    place.type("gitmem list --kind fact", "rs256", hides=["timeout", "HS256"])


@row("B2", "Facts, tasks and memories are one structure with the same commands")
def b2(place: Place) -> None:
    """One fact, one task and one memory are listed, shown, recalled, edited and forgotten by the same commands."""
    begin(place)
    place.type(SIGNED)
    place.type(REFRESH)
    place.type('gitmem remember "The signing gateway holds public keys only" --key keys')
    place.type("gitmem list", "rs256\tfact", "refresh\ttask", "keys\tlearned")
    for key in ("rs256", "refresh", "keys"):
        place.type(f"gitmem show {key}", key)
        place.type(f"gitmem edit {key} --tag signing")
    place.type("gitmem recall signing tokens --tag signing", "rs256", "refresh", "keys")
    place.type("gitmem forget rs256 refresh keys && gitmem list", status=1)


@row("B3", "Tasks: create, claim, close behind a gate, attempts shown on the next claim")
def b3(place: Place) -> None:
    """An attempt fails, one is released, the third meets its gate: each claim shows the attempts before it."""
    begin(place)
    place.type('gitmem task add "Auth" --key auth --priority 1')
    place.type(REFRESH + " --parent auth --priority 0")
    place.type("gitmem task claim refresh")
    place.type('gitmem task close refresh --failed --note "token not in httponly cookie"')
    place.type("gitmem task claim refresh", "token not in httponly cookie")
    place.type('gitmem task release refresh --note "half of it is on a branch"')
    place.type("gitmem task claim refresh", "httponly cookie", "half of it")
    place.type("gitmem task close refresh", status=1)
    place.write("src/auth/refresh.py", "x = 1\n")
    place.commit("auth: refresh")
    place.type('gitmem task close refresh --reason "Created JwtClaims"')
    task = json.loads(place.type("gitmem task show refresh --json"))
    attempts = str(task)
    place.need(all(word in attempts for word in ("failed", "released", "Created JwtClaims")), f"attempts: {attempts}")
    place.type("gitmem task list --state closed --parent auth", "refresh")
    place.type("gitmem task list", "auth", hides=["refresh"])


@row("B4", "`context`: warnings first and never cut, working on, facts, recent work, token budget")
def b4(place: Place) -> None:
    """A fact that fails, a held task, a gotcha that fits it among three rules, a closed task: the digest has them in order."""
    begin(place)
    place.type(SIGNED)
    place.type('gitmem remember "Users log in with a password and a second factor" --kind gotcha')
    for number in range(3):
        place.type(f'gitmem remember "Mail rule number {number} of the team" --kind convention --force')
    place.type(
        'gitmem task add "Auth module setup" --key setup && gitmem task close setup --reason "Created JwtClaims"'
    )
    place.type('gitmem task add "Password and second factor for users" --key factor && gitmem task claim factor')
    break_auth(place)
    place.type("gitmem verify", status=1)
    text = place.type("gitmem context", "WARNINGS", "WORKING ON", "Auth uses RS256 signing", "second factor for users")
    order = [text.find(word) for word in ("WARNINGS", "WORKING ON", "log in with a password", "RECENT WORK", "Created")]
    place.need(-1 not in order and order == sorted(order), f"the digest is not in order:\n{text}")
    first_rule = text.find("Mail rule")
    place.need(first_rule == -1 or text.find("log in with a password") < first_rule, "mail rules come before what fits")
    small = place.type("gitmem context --budget 60", "Auth uses RS256 signing", hides=["Mail rule"])
    place.need(len(small) < len(text), "a budget of 60 tokens cuts nothing")


@row("B5", "Relevance: path overlap ×3, dependency ×5, recency ×1")
def b5(place: Place) -> None:
    """Three equal texts: one about the changed file, one that the held task requires, one newer; scores show the weights."""
    begin(place)
    place.type('gitmem remember "Wheels turn in the yard" --key dependency')
    place.type('gitmem remember "Doors open at the gate" --key path --path src/auth/jwt.py')
    place.type('gitmem remember "Lamps glow near the pier" --key wide --path "src/**"')
    place.type('gitmem remember "Birds sing above the roof" --key recent')
    place.type('gitmem task add "Sign with new keys" --key sign --requires dependency && gitmem task claim sign')
    place.write("src/auth/jwt.py", "ALGORITHM = 'new'\n")
    text = place.type("gitmem context", "Wheels turn", "Doors open")
    order = [text.find(word) for word in ("Wheels turn", "Doors open", "Lamps glow", "Birds sing")]
    known = [at for at in order if at >= 0]
    place.need(known == sorted(known), f"not dependency, exact path, wide path, recent:\n{text}")


@row("B6", "TTL of 30 days by default, `--ttl`; past it a fact is stale and a warning")
def b6(place: Place) -> None:
    """A fact with a TTL of a second is stale two seconds later, and a warning; the default is 30 days."""
    begin(place)
    place.type("git show memory:gitmem.toml", 'ttl = "30d"')
    check = "grep -q RS256 src/auth/jwt.py"
    place.terminal(f'gitmem fact "Auth uses RS256 signing" --key rs256 --ttl 1s --verify "{check}"')
    place.type('gitmem fact "There is a README" --exists README.md --key readme')
    place.type("sleep 2; gitmem list", "rs256\tfact\tstale", "readme\tfact\tverified")
    place.type("gitmem context", "WARNINGS", "Auth uses RS256 signing")
    place.type("gitmem edit rs256 --ttl 30d && gitmem verify && gitmem list", "rs256\tfact\tverified")


@row("B7", "`verify --facts`; what requires a failed fact is suspect, to depth 3")
def b7(place: Place) -> None:
    """A chain of facts and labels, five links long: the first fails, the next three are suspect, the fifth is not."""
    begin(place)
    place.type(SIGNED + " --produces signing")
    for number, link in enumerate(("signing", "chain-0", "chain-1", "chain-2")):
        place.type(
            f'gitmem fact "Link {number} holds" --exists README.md --key chain-{number} --requires {link} --force'
        )
    place.type("gitmem verify --facts", "holds")
    break_auth(place)
    place.type("gitmem verify --facts", "rs256", status=1)
    suspect = place.type("gitmem list --status suspect", "chain-0", "chain-1", "chain-2", hides=["chain-3"])
    place.need("failed" in place.type("gitmem show rs256"), f"the fact did not fail: {suspect}")
    place.type("gitmem show chain-2", "rs256")


@row("B8", "Closed tasks are episodic memory, failed attempts negative memory")
def b8(place: Place) -> None:
    """How a task ended and why an attempt failed come back by recall, in the digest, and to another task's claim."""
    begin(place)
    place.type(REFRESH)
    place.type('gitmem task claim refresh && gitmem task close refresh --failed --note "the gateway strips the cookie"')
    place.type('gitmem task add "Auth module setup" --key setup')
    place.type('gitmem task close setup --reason "Created JwtClaims from the environment"')
    place.type("gitmem recall JwtClaims environment", "Auth module setup")
    place.type("gitmem recall gateway strips the cookie", "refresh")
    place.type("gitmem context", "PAST FAILURE", "the gateway strips the cookie", "Created JwtClaims")
    place.type(
        'gitmem task add "Refresh JWT tokens in a cookie" --key again && gitmem task claim again', "strips the cookie"
    )


@row("B9", "Text output that pipes; works with no embeddings and no global scope")
def b9(place: Place) -> None:
    """Without a model and without a home, lists are lines with tabs that `cut` and `sort` read, and JSON is JSON."""
    begin(place)
    place.type(SIGNED)
    place.type('gitmem remember "The signing gateway holds public keys only" --key keys')
    place.type("gitmem list | cut -f 1 | sort | paste -sd ,", "keys,rs256\n")
    place.type("gitmem recall signing gateway | head -n 1 | cut -f 1", "keys\n")
    place.type("gitmem context | cat", "Auth uses RS256 signing")
    json.loads(place.type("gitmem recall signing --json"))
    place.type("env -u HOME gitmem recall signing gateway", "keys")
    place.type("gitmem recall nothing-at-all-like-this; true", hides=["embed"])


@row("B10", "Substring recall, project and universal scope, embeddings, a skill that teaches the workflow")
def b10(place: Place) -> None:
    """Part of a word finds; a universal memory is read in another project and outside one; a skill is installed."""
    begin(place)
    place.type(SIGNED)
    place.type("gitmem recall S25", "rs256")
    place.type('gitmem remember "Review in pairs before a release" --scope universal --key pairs')
    other = place.project("other")
    place.type("gitmem init && gitmem recall review in pairs", "pairs", at=other)
    place.type("gitmem recall review in pairs --scope universal", "pairs", at=place.top)
    place.type("gitmem install claude-code && cat .claude/skills/gitmem/SKILL.md", "gitmem task claim", "gitmem fact")
    if place.has_model():
        place.type('gitmem remember "The login page redirects" --key page')
        place.type("gitmem recall authentication", "page")
        place.type('gitmem task add "authentication" --key people && gitmem task claim people')
        place.type("gitmem context", "The login page redirects")
