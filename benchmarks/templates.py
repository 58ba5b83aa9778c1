"""The sentences of generated memories.

Slots: ``{a}`` area, ``{c}`` component, ``{f}`` file, ``{i}`` identifier, ``{t}`` technology, ``{n}`` noun, ``{m}``
another noun, ``{j}`` adjective, ``{e}`` error, ``{d}`` duration, ``{p}`` person, ``{#}`` number, ``{x}`` ticket or
commit, ``{w}`` small word, ``{v}`` verb. A ``|`` stands for a line break.
"""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip().replace("|", "\n") for line in text.strip().split("\n"))


TITLES = {
    "learned": _lines("""
        {c} needs a {j} {n} {w} the {m} changes
        {t} drops the {n} after {d}
        Run the {a} {n} tests with {#} workers
        {i} returns a {j} {n} when the {m} is empty
        The {n} of {c} is {j} by default
        {t} reads the {n} {w} the {m}
        Set the {n} {m} to {d} for {c}
        {a}: the {j} {n} comes from {t}, not from the {m}
    """),
    "gotcha": _lines("""
        {c} raises {e} when the {n} is {j}
        {e} in {a} means the {n} {m} is {j}
        {t} silently truncates the {n}
        Never {v} the {n} {w} {i} has finished
        The {j} {n} of {c} hides a {e}
        {i} is not safe with {#} threads
        {t} counts the {n} twice {w} a {m}
    """),
    "pattern": _lines("""
        {v} a {n} through {i} and {v} the {m} behind it
        Wrap {t} calls of {a} in a {j} {n}
        Use one {n} per {m} in {c}
        Keep the {j} {n} out of {f}
        {a}: {v} first, {v} later
        Give each {n} its own {m} in {t}
    """),
    "decision": _lines("""
        Use {t} for the {a} {n}
        {c} keeps its {n} in {t}
        No {j} {n} in {a}
        {a} moves from {t} to a {j} {n}
        One {n} per {m} for {c}
        The {n} {m} is {d}, not {d}
    """),
    "recipe": _lines("""
        How to {v} the {a} {n} by hand
        {v} a {j} {n} in {t}
        Reset the {n} of {c} {w} a {m}
        Reproduce {e} in {a}
        Roll back the {a} {n} without losing the {m}
    """),
    "convention": _lines("""
        Name every {n} in {a} after its {m}
        {a} tests use a {j} {n}
        Log the {n} and never the {m} in {c}
        Each {n} has a {m} and a {d} limit
        Public functions of {a} return a {j} {n}
    """),
}

OPENINGS = {
    "fact": _lines("""
        Checked when {p} changed the {n} of {c} in {x}.
        {c} rests on this: without it the {n} is {j}.
        The {n} of {a} was wrong for {d} before this held.
    """),
    "learned": _lines("""
        Seen while working on {x}: {c} kept a {j} {n} for {d}.
        It took {d} to find that {t} owns the {n}.
        The {n} in `{f}` looks {j}, but the {m} is what decides.
        `{i}` only works {w} the {n} is {j}.
    """),
    "gotcha": _lines("""
        `{i}` fails with {e} as soon as the {n} passes {#} entries.
        This broke the {a} {n} twice, last in {x}.
        The message says {e}, the cause is a {j} {n} in {t}.
        It looks like a {n} problem and is a {m} problem.
    """),
    "pattern": _lines("""
        Every {n} of {c} goes through `{i}`.
        See `{f}` for the smallest example.
        This keeps the {n} {j} while the {m} grows.
    """),
    "decision": _lines("""
        Decided with {p} in {x} after the {a} {n} was {j} for {d}.
        We compared {t} and {t}: the {n} decided.
        The {m} must survive a {j} {n}, so {t} stays out of {a}.
    """),
    "recipe": _lines("""
        1. Stop the {a} {n}.|2. `{v}` the {j} {m} with `{i}`.|3. Wait {d} and look at the {n}.|
        Works on {t} with a {j} {n}; takes about {d}.
    """),
    "convention": _lines("""
        Agreed in {x}; {p} checks it in review.
        New code in `src/{a}/` follows this, old code when it is touched.
    """),
}

MIDDLES = _lines("""
    The {n} is {j} because {t} keeps the {m} open for {d}.
    When the {n} and the {m} disagree, the {n} wins and `{i}` logs a warning.
    A {j} {n} shows up in the {a} dashboard about {d} later.
    {p} tried a {j} {m} first; it made the {n} {#} times slower.
    Raising the {n} to {#} only moves the {e} to the next {m}.
    `{i}` takes the {n} from `{f}` and never looks at the {m} again.
    With more than {#} of them {t} starts to {v} the {n} on its own.
    The {a} tests did not catch it: their {n} is always {j}.
    After {x} the {m} is built once and shared by every {n}.
    Do not {v} the {n} there; {c} still reads the {j} one.
    In staging the {n} is {j}, in production it is a {m} with a limit of {#}.
    The {t} documentation calls this a {n}, our code calls it a {m}.
    It happens {w} the {a} {n} restarts, roughly once in {d}.
    Look for {e} in the {n} log, then for the {m} id `{x}`.
    The fix was to {v} the {m} {w} the {n} is closed.
    Both `{i}` and `{i}` hold the {n}, which is why the {m} waits.
    Without a {j} {m} the {n} of {c} grows until {e}.
    {t} and {t} differ here: one sorts by {n}, the other by {m}.
    Measured on {#} entries: {d} with the {n}, {d} without.
    A {m} from an older release is still accepted for {d}.
    The migration in `{f}` leaves the {j} {n} behind on purpose.
    If the {n} must be {j}, pass `{i}` and a {m} of {#}.
    Only {c} may {v} this; everybody else asks through `{i}`.
    {e} here is harmless as long as the {n} comes back within {d}.
    The order matters: {n}, then {m}, then {t}.
    Locally it needs {t} running and a {j} {n} in the environment.
    Since {x} the {n} carries a {m}, so a {j} copy is noticed.
    It costs one extra {n} per {m}, about {d} for {#} of them.
    Nobody reads the {j} {n} any more, but {t} still writes it.
    Compare `{f}`: there the {m} is read {w} the {n}.
""")

CLOSINGS = _lines("""
    See {x}.
    Ask {p} before changing it.
    Remove this once {t} is gone from {a}.
    The {n} can go after {d}.
    Covered by the {a} {n} test.
    Follow-up in {x}: make the {m} {j}.
    The same holds for {c}.
""")
