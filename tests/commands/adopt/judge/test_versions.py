"""Versions and dependencies that files state."""

import pytest

from gitmem.commands.adopt.judge.versions import PRODUCTS, compare, dependencies_in, plain_name, product_of, versions_in


@pytest.mark.parametrize(
    ("product", "name", "text", "version"),
    [
        ("go", "go.mod", "module x\n\ngo 1.25.1\n", (3, "1.25.1")),
        ("python", "pyproject.toml", '[project]\nrequires-python = ">=3.10,<3.15"\n', (2, "3.10")),
        ("node", "package.json", '{"engines": {"node": "^22.12.0 || >=24"}}', (1, "22.12.0")),
        ("pnpm", "package.json", '{"packageManager": "pnpm@11.2.0"}', (1, "11.2.0")),
        ("rust", "Cargo.toml", '[package]\nrust-version = "1.80"\n', (2, "1.80")),
    ],
)
def test_version_is_read_with_its_line(product, name, text, version):
    place = next(one for one in PRODUCTS[product] if name in one.names)

    assert versions_in(place, name, text)[0] == version


@pytest.mark.parametrize(
    ("stated", "actual", "order"), [("1.24", "1.25.1", -1), ("1.25", "1.25.1", 0), ("4", "3.9", 1)]
)
def test_versions_are_compared_as_far_as_they_are_stated(stated, actual, order):
    assert compare(stated, actual) == order


def test_products_and_packages_are_known_by_the_names_people_write():
    assert [product_of(name) for name in ("Golang", "Node.js", "React")] == ["go", "node", ""]
    assert plain_name("Next.js") == plain_name("next")


def test_package_wins_over_a_scoped_one_with_that_part():
    text = '{"dependencies": {"@sentry/nextjs": "^10.0.0", "next": "^16.0.0"}}'

    assert dependencies_in("package.json", text)["next"][:2] == ("next", "^16.0.0")


def test_number_that_is_not_a_version_is_compared_without_an_error():
    assert compare("1.2", "9" * 5000) == -1
