"""Packages that manifests list."""

from conftest import commit_files

from gitmem.commands.adopt.findings import FALSE
from gitmem.commands.adopt.judge.dependencies import dependencies_in, plain_name
from gitmem.commands.adopt.run import adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def test_packages_are_known_by_the_names_people_write():
    assert plain_name("Next.js") == plain_name("next")


def test_package_wins_over_a_scoped_one_with_that_part():
    text = '{"dependencies": {"@sentry/nextjs": "^10.0.0", "next": "^16.0.0"}}'

    assert dependencies_in("package.json", text)["next"][:2] == ("next", "^16.0.0")


def test_framework_has_the_name_of_its_package():
    names = ("Yii", "CodeIgniter", "Doctrine", "Laravel", "Symfony")
    packages = (
        "yiisoft/yii2",
        "codeigniter4/framework",
        "doctrine/orm",
        "laravel/framework",
        "symfony/framework-bundle",
    )

    assert [plain_name(name) for name in names] == list(map(plain_name, packages))


def test_old_version_that_a_project_is_said_to_be_built_with_is_false_though_it_never_was_right(repo):
    sentences = (
        "- Built with React 17.\n- Uses Vite 4\n- This site is powered by Next.js 13 and Redux\n"
        "- Uses React 17 features\n- Do not say that it uses React 16.\n- It was built with React 15.\n"
        "- Built with React 16 or later.\n- Users of Vite 3 must update.\n- If it uses Vite 2, update.\n"
    )
    package = '{"dependencies": {"react": "^19.0.0", "vite": "^7.1.0", "next": "15.2.0"}}'
    commit_files(repo, {"README.md": sentences, "package.json": package})
    handle = Git(discover(repo))
    adoption = adopt(handle, handle.resolve("HEAD"), kinds={"version"})

    assert [(one.claim.line, one.claim.token) for one in adoption.of(FALSE)] == [
        (1, "React 17"), (2, "Vite 4"), (3, "Next.js 13")
    ]  # fmt: skip
