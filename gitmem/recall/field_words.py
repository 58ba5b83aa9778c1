"""Other names of things in software ("e2e" for "end to end"), and other words for what happens to them ("froze").

If no memory has the name that a prompt uses, the prompt is searched for with another name that memories have. A prompt
whose words are known is searched for as typed.
"""

from __future__ import annotations

from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

# Names of the same thing on each line. Left out are words that mean other things as often.
_NAMES = """
e2e, end to end, end-to-end
ci, pipeline, continuous integration, build server
db, database
postgres, postgresql, pg
k8s, kubernetes
env var, environment variable, env variable
env, environment
deps, dependency
config, configuration
auth, authentication
login, sign in, log in, signin, logon
logout, sign out, log out
signup, sign up, registration
permission, access right, authorization, authorisation
prod, production
staging, preproduction, pre-production, preprod
directory, folder, dir
webhook, callback
i18n, internationalization, internationalisation, localization, localisation, l10n
a11y, accessibility
tz, timezone, time zone
pr, pull request, merge request
tls, ssl
js, javascript
ts, typescript
flaky, intermittent, sporadic, erratic, unstable, nondeterministic
perf, performance
lint, linter
regex, regexp, regular expression
cron, scheduled job, scheduler
worker, background job, background task
frontend, front end, front-end, client side
backend, back end, back-end, server side
websocket, web socket
cert, certificate
credential, secret
lockfile, lock file
docker, container
vm, virtual machine
rate limit, throttle, throttling
feature flag, feature toggle, feature switch
golden, snapshot
mock, stub
segfault, segmentation fault
oom, out of memory
serialize, serialise, marshal
deserialize, deserialise, unmarshal
migration, schema change
erase, wipe, purge
email, mail, e-mail
url, uri
changelog, release notes
type check, typecheck
pagination, paging
autocomplete, typeahead
dropdown, select box, combobox
modal, dialog, popup, pop-up
checksum, digest, hash
timeout, times out, timed out
dedupe, deduplicate
race condition, data race
traversal, walker, crawler
payment, charge
msrv, minimum supported rust version
hang, hung, freezes, froze, stall, stuck
deadlock, mutual lock
crash, dies, died
half-written, truncated
blank, empty
twice, two times, duplicate
evict, eviction
lru, least recently used
bill, invoice
debit, debited, charged, billed
terminate, termination, shut down, shutdown
spreadsheet, excel, xlsx
picture, photo
spot machine, spot instance, spot node, preemptible, interruptible
gpu, graphics card, video card
rolling mean, moving average, rolling average
holdout, hold out
holiday, day off, days off, bank holiday
random seed, random state, random_state
reproducible, deterministic
float, floating point
stalled, unresponsive
full table scan, sequential scan, seq scan
departure, departs
arrival, arrives
infinity, inf
missing value, nan
personal data, private data
anonymise, anonymize
dns, nameserver
restart, reboot, respawn
retry, retries, second attempt
concurrent, parallel, simultaneous, at the same time
phone, handset
charset, character encoding
crlf, line ending
daylight saving, summer time, clocks change
fiscal year, tax year
midnight, end of day
offline, no network, no connection
organisation, organization
quota, allowance
outage, downtime
rollback, roll back, revert
release, rollout
replica, standby
expensive, costly
upgrade, bump, bumped
third party, third-party, external service
body size, request size
"""
# Signs in identifiers and paths: a name inside one of them is not the thing.
_IN_NAMES = ("_", "/", ".")
# The most names of one prompt that are replaced.
NAMES_AT_MOST = 6


def in_known_words(query: str, known_of: Callable[[Iterable[str]], Container[str]], language: str) -> str:
    """Return a query in which names that no memory has are replaced by other names that some memory has.

    Args:
        query: The query as typed.
        known_of: Returns those of some terms that a memory has.
        language: The language in which the terms are analysed; the names are English.
    """
    rows = [row.split(", ") for row in _NAMES.strip().split("\n")]
    low = _lower(query)
    named = [(name, row) for row in rows for name in row if name in low and _place_of(low, name)][: 2 * NAMES_AT_MOST]
    if not named:
        return query
    terms = {name: tokens.terms(name, language) for _, row in named for name in row}
    known = known_of({term for some in terms.values() for term in some})
    count = 0
    for name, row in named:
        is_known = all(term in known for term in terms[name])
        place = _place_of(_lower(query), name)
        if not place or count == NAMES_AT_MOST or (is_known and " " not in name):
            continue
        others = (other for other in row if other != name and not {*terms[name]} & {*terms[other]})
        other = next((other for other in others if all(term in known for term in terms[other])), "")
        if other and not _place_of(_lower(query), other):
            # Memories may have each word of a longer name, and not the name: then both names are searched for.
            own = f"{query[slice(*place)]} " if is_known else ""
            query, count = f"{query[: place[0]]}{own}{other}{query[place[1] :]}", count + 1
    return query


def _lower(text: str) -> str:
    """Return a text in lower case with as many characters: Python makes two of the capital i with a dot alone."""
    return text.replace("\u0130", "i").lower()


def _place_of(low: str, name: str) -> tuple[int, int] | None:
    """Return the start and the end of a name, or of its plural, in a text in lower case; never inside a longer word."""
    for form in (name, f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"):
        at = low.find(form)
        while at >= 0:
            end = at + len(form)
            is_word = not (low[at - 1 : at].isalnum() or low[end : end + 1].isalnum())
            if (
                is_word
                and low[at - 1 : at] not in _IN_NAMES
                and not (low[end : end + 1] in _IN_NAMES and low[end + 1 : end + 2].isalnum())
            ):
                return at, end
            at = low.find(form, at + 1)
    return None
