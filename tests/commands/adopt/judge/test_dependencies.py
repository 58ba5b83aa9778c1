"""Packages that manifests list."""

from gitmem.commands.adopt.judge.dependencies import dependencies_in, plain_name


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
