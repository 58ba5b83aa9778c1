"""A prompt that names a thing in words that no memory has is asked in words that memories have."""

from __future__ import annotations

from support.each import each

from gitmem.model import ENGLISH
from gitmem.recall.field_words import in_known_words
from gitmem.text import tokens


def _known_in(memory: str):
    terms = set(tokens.terms(memory))
    return terms.intersection


@each(
    ("prompt", "memory", "expected"),
    [
        ("The pipelines are red", "CI needs Node 20", "The ci are red"),
        ("Why is API_HOST unset? Check Kubernetes.", "k8s drops it", "Why is API_HOST unset? Check k8s."),
        ("run the end-to-end suite", "e2e serves dist", "run the e2e suite"),
        ("Run the end to end suite", "At the end e2e serves dist", "Run the end to end e2e suite"),
        ("dependency, directory", "deps in each folder", "deps, folder"),
        ("the pipeline", "the pipeline of CI", "the pipeline"),
        ("update the db2 driver", "database", "update the db2 driver"),
        ("the database", "tables", "the database"),
        ("The lookup freezes at night", "http.Client hung all workers", "The lookup hung at night"),
        ("can a preemptible be drained", "Spot machines are drained", "can a spot machine be drained"),
        ("push my branch to master", "The primary takes writes", "push my branch to master"),
        ("clear the pip cache", "Redis drops keys", "clear the pip cache"),
        ("start a new session", "Users are logged out at night", "start a new session"),
        ("compile the regex once", "The build needs Node 20", "compile the regex once"),
        ("which currency", "A dollar has two decimals", "which currency"),
        ("lock the versions, dump the table", "A mutex guards the backup", "lock the versions, dump the table"),
        ("spot the bug in the image", "Preemptible nodes store each photo", "spot the bug in the image"),
        ("please try again, double the seed", "Retry twice; random state 7", "please try again, double the seed"),
        ("vendor the decimal crate", "A third party sends a float", "vendor the decimal crate"),
        ("see pipeline.py and docs/pipeline", "CI needs Node 20", "see pipeline.py and docs/pipeline"),
        ("the bill, the receipt", "Each invoice has a key", "the invoice, the receipt"),
        ("\u0130\u0130 Check the pipelines now", "CI needs Node 20", "\u0130\u0130 Check the ci now"),
    ],
)
def test_unknown_names_are_replaced_by_known_ones(prompt: str, memory: str, expected: str) -> None:
    assert in_known_words(prompt, _known_in(memory), ENGLISH) == expected
