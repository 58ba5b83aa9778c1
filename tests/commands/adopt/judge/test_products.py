"""Versions that files state."""

from support.each import each

from gitmem.commands.adopt.judge.products import MATRIX, PRODUCTS, compare, product_of, versions_in


@each(
    ("product", "name", "text", "version"),
    [
        ("go", "go.mod", "module x\n\ngo 1.25.1\n", (3, "1.25.1")),
        ("python", "pyproject.toml", '[project]\nrequires-python = ">=3.10,<3.15"\n', (2, "3.10")),
        ("node", "package.json", '{"engines": {"node": "^22.12.0 || >=24"}}', (1, "22.12.0")),
        ("pnpm", "package.json", '{"packageManager": "pnpm@11.2.0"}', (1, "11.2.0")),
        ("rust", "Cargo.toml", '[package]\nrust-version = "1.80"\n', (2, "1.80")),
        ("edition", "Cargo.toml", '[package]\nedition = "2021"\n', (2, "2021")),
        ("cpp", "CMakeLists.txt", "project(a)\nset(CMAKE_CXX_STANDARD 17)\n", (2, "17")),
        ("cpp", "CMakeLists.txt", "target_compile_features(a PUBLIC cxx_std_20)\n", (1, "20")),
        ("cpp", "meson.build", "default_options: ['cpp_std=c++17'],\n", (1, "17")),
    ],
)
def test_version_is_read_with_its_line(product, name, text, version):
    place = next(one for one in PRODUCTS[product] if name in one.names)

    assert versions_in(place, name, text)[0] == version


@each(("stated", "actual", "order"), [("1.24", "1.25.1", -1), ("1.25", "1.25.1", 0), ("4", "3.9", 1)])
def test_versions_are_compared_as_far_as_they_are_stated(stated, actual, order):
    assert compare(stated, actual) == order


def test_products_are_known_by_the_names_people_write():
    names = ("Golang", "Node.js", "PostgreSQL", "React", "C++", ".NET SDK")

    assert [product_of(name) for name in names] == ["go", "node", "postgres", "", "cpp", "dotnet"]


@each(
    "text",
    [
        "      matrix:\n        python-version: ['3.10', \"3.11\"]\n",
        "      python-version:\n        - '3.10'\n        - 3.11\n      os: [linux]\n",
    ],
)
def test_versions_of_a_matrix_are_read_in_both_forms(text):
    place = next(one for one in PRODUCTS["python"] if one.how == MATRIX)

    assert [version for _, version in versions_in(place, ".github/workflows/ci.yml", text)] == ["3.10", "3.11"]


@each(
    "image",
    ["postgres:16-alpine", "pgvector/pgvector:pg16", "docker.io/postgres:16.2", "timescale/timescaledb:2.24.0-pg16"],
)
def test_tag_of_an_image_is_a_version(image):
    ((line, version),) = versions_in(PRODUCTS["postgres"][0], "compose.yml", f"services:\n  db:\n    image: {image}\n")

    assert (line, version[:2]) == (3, "16")


def test_number_that_is_not_a_version_is_compared_without_an_error():
    assert compare("1.2", "9" * 5000) == -1
