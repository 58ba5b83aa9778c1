"""The past of real repositories."""

from conftest import commit_files, git

from gitmem.commands.adopt.code import Code
from gitmem.commands.adopt.findings import FALSE, NEVER
from gitmem.commands.adopt.repository_history import Past
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


class CountingGit(Git):
    """git that counts its searches."""

    searches = 0

    def run(self, *argv, **options):
        CountingGit.searches += argv[0] == "grep"
        return super().run(*argv, **options)


def test_names_of_one_commit_are_looked_up_in_one_search(repo):
    names = [f"lost_name_{number}" for number in range(12)]
    code = "".join(f"def {name}(): ...\n" for name in names)
    commit_files(repo, {"AGENTS.md": "".join(f"- `{name}()` runs.\n" for name in names), "a.py": code})
    commit_files(repo, {"a.py": "X = 1\n"})
    handle = CountingGit(discover(repo))
    CountingGit.searches = 0

    adoption = adopt(handle, handle.resolve("HEAD"))

    assert sorted(one.claim.name for one in adoption.of(FALSE)) == sorted(names)
    assert CountingGit.searches <= 2  # one where the lines were written, one for where the names went


def test_pictures_and_vendored_code_are_not_searched(repo):
    where = ("a.py", "logo.png", "vendor/lib/a.py", "web/node_modules/x.js", "notes.md", "LOGO.jpg.py")
    commit = commit_files(repo, dict.fromkeys(where, "lost_name = 1\n"))
    past = Past(Code(Git(discover(repo)), commit))

    assert sorted(past.files_with(commit, "lost_name")) == ["LOGO.jpg.py", "a.py"]


def test_removal_on_a_merged_branch_is_the_commit_on_it(repo):
    commit_files(
        repo, {"AGENTS.md": "- See `src/old.py`.\n- See `src/never.py`.\n", "src/old.py": "1", "src/b.py": "1"}
    )
    git(repo, "checkout", "-q", "-b", "side")
    git(repo, "rm", "-q", "src/old.py")
    git(repo, "commit", "-qm", "remove it")
    removed = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"y": "1"})
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "side")
    handle = Git(discover(repo))

    adoption = adopt(handle, handle.resolve("HEAD"))

    (gone,), (never,) = adoption.of(FALSE), adoption.of(NEVER)
    assert (gone.culprit.commit, gone.culprit.merge.commit) == (removed, handle.resolve("HEAD"))
    assert never.culprit is None


def test_line_is_newer_than_a_commit_also_in_a_renamed_document_and_on_a_merged_branch(repo):
    text = "# Guide\n\nA first line of the guide.\nA second line of the guide.\n"
    old = commit_files(repo, {"A.md": text, "B.md": text})
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {"A.md": text + "From the branch.\n"})
    git(repo, "checkout", "-q", "main")
    between = commit_files(repo, {"y": "1"})
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "side")
    git(repo, "mv", "A.md", "C.md")
    head = commit_files(repo, {"C.md": "Before.\n" + text + "From the branch.\n"})
    past = Past(Code(Git(discover(repo)), head), ["C.md", "B.md"])

    newer = [line for line in range(1, 7) if past.is_newer("C.md", [line], between)]

    assert newer == [1, 6]
    assert past.is_newer("C.md", range(2, 7), old)
    assert not past.is_newer("C.md", range(2, 6), old)
    assert not past.is_newer("B.md", [3], old)
    assert not past.is_newer("C.md", [1], head)


def test_copy_beside_the_old_file_is_its_new_name(repo):
    text = "".join(f"Line {number} of the guide.\n" for number in range(30))
    commit_files(repo, {"AGENTS.md": "- [Guide](docs/guide.md)\n", "docs/guide.md": text})
    git(repo, "rm", "-q", "docs/guide.md")
    commit_files(repo, {"docs/guide.mdx": f"Edited.\n{text}", "versions/1.0/guide.mdx": text})
    handle = Git(discover(repo))

    (finding,) = adopt(handle, handle.resolve("HEAD")).of(FALSE)

    assert finding.fix == "docs/guide.mdx"


def test_folder_has_no_new_name_if_a_more_similar_one_got_some_of_its_files(repo):
    simple = {f"simple-net/{name}.tf": f"# {name}\n" * 9 for name in ("a", "b", "c", "README")}
    commit_files(repo, simple)
    git(repo, "rm", "-qr", "simple-net")
    moved = {
        path.replace("simple-net", "other" if "README" not in path else "simple"): text for path, text in simple.items()
    }
    commit = commit_files(repo, moved)
    past = Past(Code(Git(discover(repo)), commit))

    assert past.find_new_name("simple-net", commit) == ""
    assert past.find_new_name("simple-net/a.tf", commit) == "other/a.tf"
