"""Scripts and targets that a sentence names."""

from support.each import each

from gitmem.commands.adopt.claims.commands import command_claims
from gitmem.commands.adopt.statements import split


@each(
    ("text", "targets"),
    [
        ("- `npm run build:all`", [("script", "build:all")]),
        ("- `pnpm lint` and `pnpm install`", [("script", "lint"), ("script", "install")]),
        ("- `npm t`, `pnpm t` and `yarn t`", [("script", "test"), ("script", "test"), ("script", "t")]),
        ("- `CI=true make test lint`", [("make", "test"), ("make", "lint")]),
        ("- `uv run poe format`", [("poe", "format")]),
        ("- `pnpm -C docs run table`", [("script", "table")]),
        ("- `make` and `just`", []),
        ("- `bun run bench.ts`, `bun run bench`", [("script", "bench")]),
        ("- `turbo run build lint`, `turbo dev`", [("turbo", "build"), ("turbo", "lint"), ("turbo", "dev")]),
        ("- `cargo xtask dist`, `cargo +nightly fmt`, `cargo test x`", [("cargo", "xtask")]),
        (
            "- `composer run lint`, `composer check`, `composer install x`",
            [("composer", "lint"), ("composer", "check")],
        ),
        ("- `mix ecto.reset`, `uv run serve --port 1`, `uv run a.py`", [("mix", "ecto.reset"), ("entry", "serve")]),
        ("```sh\n$ cd app && task lint-go # quick\n```", [("task", "lint-go")]),
        ("```python\nmake(test)\n```", []),
        (
            "- `tox -elint`, `nox --session=docs`, `tox -e a,b`",
            [("tox", "lint"), ("nox", "docs"), ("tox", "a"), ("tox", "b")],
        ),
        ("- `pio run --environment=esp32 -enano`", [("pio", "esp32"), ("pio", "nano")]),
    ],
)
def test_target_is_found_with_its_runner(text, targets):
    found = [claim for statement in split(text) for claim in command_claims(statement)]

    assert [(one.tool, one.name) for one in found] == targets


@each(
    ("text", "places"),
    [
        ("- `cd web && npm run lint`", ("web",)),
        ("- `cd a && cd b/.. && make test`", ("a",)),
        ("- `pnpm --filter @x/web lint`", ("", "@x/web")),
        ("- `npm run lint --workspace=web`, `pnpm -w lint`", ("", "web")),
        ("- `yarn workspace web lint`", ("", "web")),
        ("- Sync with `bun run sync` (from `web/app/`)", ("web/app",)),
        ("- Run `make test` in the `tools/x` folder", ("tools/x",)),
        ("- From the `web` directory, run `npm run lint`", ("web",)),
        ("- `npm run lint` checks what is in `web/`", ("",)),
        ("- `pnpm --filter './packages/*' lint`", ("",)),
    ],
)
def test_folder_and_package_that_a_command_is_run_in_are_its_places(text, places):
    first = next(claim for statement in split(text) for claim in command_claims(statement))

    assert first.places == places
