"""What of a home is shown to a check: installations on PATH, and nothing else."""

from __future__ import annotations

import pytest

from gitmem.verify.sandbox import toolchain


@pytest.fixture
def person(tmp_path, monkeypatch):
    """A home with a secret, outside of the system's folders."""
    folder = tmp_path.resolve() / "home" / "ana"
    (folder / ".ssh").mkdir(parents=True)
    monkeypatch.setattr(toolchain, "home", lambda: folder)
    return folder


def program(place) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)


def found(*folders):
    return toolchain.find_toolchain(":".join(map(str, folders)))


def test_the_systems_folders_need_nothing_more(person):
    assert found("/usr/local/bin", "/usr/bin", "/bin") == toolchain.Toolchain((), ())


def test_a_plain_folder_of_programs_is_shown_alone(person):
    program(person / "bin" / "tool")

    assert found(person / "bin").folders == (str(person / "bin"),)


def test_a_virtual_environment_is_shown_whole_with_the_python_behind_it(person):
    real = person / ".pyenv" / "versions" / "3.13" / "bin" / "python3.13"
    program(real)
    (real.parents[1] / "lib").mkdir()
    venv = person / "code" / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = ...\n")
    (venv / "bin" / "python").symlink_to(real)

    assert found(venv / "bin").folders == (str(real.parents[1]), str(venv))


def test_a_pyenv_is_shown_whole(person):
    program(person / ".pyenv" / "shims" / "python")
    program(person / ".pyenv" / "libexec" / "pyenv")

    assert found(person / ".pyenv" / "shims").folders == (str(person / ".pyenv"),)


@pytest.mark.parametrize("name", [".local", ".config", ".cache", "."])
def test_what_only_looks_like_an_installation_is_not_shown_whole(person, name):
    program(person / name / "bin" / "tool")
    (person / name / "lib").mkdir()

    assert found(person / name / "bin").folders == (str((person / name / "bin").resolve()),)


def test_a_home_on_path_is_not_shown(person):
    program(person / "tool")

    assert found(person, person.parent, "/").folders == ()


def test_programs_of_an_installation_elsewhere_are_followed(person):
    real = person / ".local" / "share" / "pipx" / "venvs" / "tool" / "bin" / "tool"
    program(real)
    (real.parents[1] / "pyvenv.cfg").write_text("")
    (person / ".local" / "bin").mkdir()
    (person / ".local" / "bin" / "tool").symlink_to(real)

    assert found(person / ".local" / "bin").folders == (str(person / ".local" / "bin"), str(real.parents[1]))


def test_rustup_shows_its_toolchains_and_sources_and_no_credentials(person, monkeypatch):
    monkeypatch.setattr(toolchain, "variable", lambda _: "")
    program(person / ".cargo" / "bin" / "rustup")
    for place in (".cargo/registry", ".rustup/toolchains/stable/bin", "src/rust/stage2"):
        (person / place).mkdir(parents=True)
    (person / ".rustup" / "toolchains" / "own").symlink_to(person / "src" / "rust" / "stage2")
    for place in (".cargo/credentials.toml", ".cargo/config.toml", ".rustup/settings.toml"):
        (person / place).write_text("secret = 1\n")

    shown = found(person / ".cargo" / "bin")

    names = (".cargo/bin", ".cargo/registry", ".rustup/settings.toml", ".rustup/toolchains", "src/rust/stage2")
    assert shown.folders == tuple(str(person / name) for name in names)
    assert dict(shown.variables) == {"CARGO_HOME": str(person / ".cargo"), "RUSTUP_HOME": str(person / ".rustup")}


def test_a_program_elsewhere_that_stands_alone_is_shown_alone(person):
    program(person / "projects" / "secret" / "tool")
    (person / "bin").mkdir()
    (person / "bin" / "tool").symlink_to(person / "projects" / "secret" / "tool")

    assert found(person / "bin").folders == (str(person / "bin"), str(person / "projects" / "secret" / "tool"))


def test_links_on_the_way_are_reported_where_no_folder_shows_them(person):
    program(person / "tools" / "v2" / "tool")
    (person / "current").symlink_to("tools/v2/tool")
    (person / "bin").mkdir()
    (person / "bin" / "tool").symlink_to(person / "current")

    assert found(person / "bin").links == (("tools/v2/tool", str(person / "current")),)


def test_broken_links_and_loops_are_passed_over(person):
    (person / "bin").mkdir()
    (person / "bin" / "a").symlink_to("b")
    (person / "bin" / "b").symlink_to("a")
    (person / "bin" / "gone").symlink_to("/nowhere/at/all")

    assert found(person / "bin") == toolchain.Toolchain((str(person / "bin"),), ())


def test_relative_and_missing_entries_are_ignored(person, monkeypatch):
    monkeypatch.chdir(person)
    (person / "bin").mkdir()

    assert found("bin", ".", "", person / "gone").folders == ()


def test_secrets_are_left_out_of_what_root_may_read(monkeypatch, tmp_path):
    top = tmp_path.resolve()
    for name in ("etc/keys/private", "etc/keys/public", "usr"):
        (top / name).mkdir(parents=True)
    for name in ("etc/shadow", "etc/passwd"):
        (top / name).write_text("x")
    monkeypatch.setattr(toolchain, "SYSTEM", (f"{top}/usr", f"{top}/etc"))
    monkeypatch.setattr(toolchain, "SECRETS", (f"{top}/etc/shadow", f"{top}/etc/keys/private", f"{top}/etc/gone"))

    monkeypatch.setattr(toolchain.os, "geteuid", lambda: 0)
    assert sorted(toolchain.list_readable_system()) == [f"{top}/etc/keys/public", f"{top}/etc/passwd", f"{top}/usr"]

    monkeypatch.setattr(toolchain.os, "geteuid", lambda: 1000)
    assert toolchain.list_readable_system() == [f"{top}/usr", f"{top}/etc"]
