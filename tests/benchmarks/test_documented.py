"""The large documented repository: statements hold but for those that its history made false, each with a culprit."""

from benchmarks.documented import generate
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def test_one_statement_in_ten_is_false_with_its_culprit(tmp_path):
    generate(tmp_path / "repo", files=60, statements=20, commits=60)
    git = Git(discover(tmp_path / "repo"))

    adoption = adopt(git, git.resolve("HEAD"))

    # Two of the twenty, one of which names its function besides, and the version of Python.
    assert len(adoption.of(FALSE)) >= 3
    assert all(one.culprit for one in adoption.of(FALSE))
    assert len(adoption.of(HOLDS)) > 18
