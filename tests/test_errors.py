"""Each error class has its exit status, and carries what its interface tells."""

from __future__ import annotations

import pytest

from gitmem import errors
from gitmem.errors import AmbiguousKeyError, ConfigError, FormatError, GitmemError, ProcessError

# 1 = the answer is no, 2 = refused input, 3 = repository or environment.
STATUSES = {
    "GitmemError": 3,
    "DamagedIndexError": 3,
    "NotFoundError": 1,
    "NoRepositoryError": 3,
    "OutsideError": 3,
    "ForeignBranchError": 3,
    "AmbiguousKeyError": 1,
    "UsageError": 2,
    "RefusedError": 2,
    "DuplicateError": 2,
    "FormatError": 2,
    "ConfigError": 3,
    "BusyError": 3,
    "UnwritableError": 3,
    "ConflictError": 3,
    "RemoteError": 3,
    "ProtectedError": 3,
    "RunClosedError": 1,
    "TaskError": 1,
    "EmbeddingError": 3,
    "ForgeError": 3,
    "TrustError": 3,
    "ProcessError": 3,
}


def test_every_error_class_has_the_exit_status_of_the_design() -> None:
    found = {
        name: value.exit_status
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }

    assert found == STATUSES


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (AmbiguousKeyError("a fits several", keys=["ab", "ac"], hint="one of"), {"keys": ["ab", "ac"]}),
        (FormatError("no", code="bad-ttl", path="facts/a.md", line=3), {"code": "bad-ttl", "line": 3}),
        (ConfigError("no", file="git config", key="gitmem.x"), {"file": "git config", "key": "gitmem.x"}),
        (ProcessError("no", argv=["git"], status=-9, stderr="killed"), {"argv": ["git"], "status": -9}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_carries_what_a_caller_acts_on(error: GitmemError, message: dict[str, object]) -> None:
    assert {name: getattr(error, name) for name in message} == message
    assert str(error) == error.message
    assert isinstance(error, GitmemError)


def test_an_error_without_a_hint_has_an_empty_one() -> None:
    assert GitmemError("no").hint == ""
