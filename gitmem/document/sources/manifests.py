"""The names of files with targets or dependencies, where checks that name no files look. Pure."""

# Where to look for targets if a check names no files: in the root, and in files that these refer to.
SCRIPT_FILES = tuple(
    """
    Makefile GNUmakefile makefile package.json pnpm-workspace.yaml justfile Justfile .justfile Taskfile.yml
    Taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml taskfile.yml taskfile.yaml mise.toml .mise.toml tox.ini tox.toml
    noxfile.py pyproject.toml setup.cfg composer.json deno.json deno.jsonc pixi.toml Rakefile .cargo/config.toml
    deps.edn bb.edn project.clj
    """.split()
)
SCRIPT_GLOBS = (*SCRIPT_FILES, "**/package.json", "**/*.mk", "**/*.just")

# Where to look for dependencies if a check names no file: in the root, and in files that these refer to.
MANIFESTS = tuple(
    """
    pyproject.toml setup.cfg Pipfile package.json pnpm-workspace.yaml Cargo.toml go.mod go.work Gemfile composer.json
    pom.xml build.gradle build.gradle.kts gradle/libs.versions.toml Directory.Packages.props Directory.Build.props
    deno.json pubspec.yaml requirements*.txt requirements*.in requirements/*.txt requirements/*.in *.gemspec **/*.csproj
    **/*.fsproj */build.gradle */build.gradle.kts deps.edn bb.edn project.clj shadow-cljs.edn
    """.split()
)
MANIFEST_GLOBS = (
    *MANIFESTS,
    *("**/package.json", "**/Cargo.toml", "**/pyproject.toml", "**/go.mod", "**/requirements*.txt"),
    *("*.txt", "*.in", "*/*requirements*", "deps/*", "requirements/**"),
)
