"""Determine by name which files are code, and in what language. Pure."""

from __future__ import annotations

# Names of languages by suffix, if different from the suffix.
_LANGUAGES = {
    **dict.fromkeys(("py", "pyi", "ipynb"), "python"),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **dict.fromkeys(("ts", "tsx"), "typescript"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
    **dict.fromkeys(("cc", "hpp"), "cpp"),
    **dict.fromkeys(("ex", "exs"), "elixir"),
    **dict.fromkeys(("sh", "bash", "zsh"), "shell"),
    **dict.fromkeys(("m", "mm"), "objective-c"),
    **{"rs": "rust", "rb": "ruby", "cs": "csharp", "h": "c", "pl": "perl", "erl": "erlang", "hs": "haskell"},
    **{"ml": "ocaml", "fs": "fsharp", "clj": "clojure", "jl": "julia", "tf": "terraform"},
}
_SUFFIXES = (
    "py ipynb pyi js jsx mjs cjs ts tsx vue svelte go rs java kt kts scala c h cc cpp hpp cs m mm swift rb php pl lua"
    " ex exs erl hs ml fs clj dart zig nim jl r sh bash zsh sql proto graphql tf"
)
_CODE = frozenset(_SUFFIXES.split())
# Folders with third-party or generated code.
_FOLDERS = (
    "node_modules vendor third_party dist build out target site-packages __pycache__ .venv venv .tox .git .memory"
    " generated gen fixtures testdata snapshots"
)
_OTHERS = frozenset(_FOLDERS.split())


# Documents, pictures, and files that programs write: their words are not statements of the code.
PROSE = tuple(
    """
    .md .mdx .mdc .rst .txt .adoc .ipynb .cheatmd .livemd .lock .svg .drawio .excalidraw .eps
    .map .snap .csv .tsv .po .xlf .min.js .sum
    """.split()
)
# Folders in which editors keep the state of their windows.
_EDITORS = (".idea/", ".vs/")
# Build files, though they end as documents do.
BUILDS = frozenset(("cmakelists.txt", "meson_options.txt"))
_DOCUMENTS = frozenset(
    """
    package-lock.json pnpm-lock.yaml license licence copying notice authors readme contributing .goosehints
    """.split()
)
# Endings of lists of known problems that checkers write (`adopt-baseline.jsonl`, `detekt-baseline.xml`).
BASELINES = (".jsonl", ".json", ".toml", ".xml", ".neon", ".baseline")
# Endings of files whose content is not text.
_BINARY = (
    "png jpg jpeg gif webp avif bmp ico icns pdf woff woff2 ttf otf eot mp3 mp4 m4a mov webm wav ogg zip gz tgz bz2 xz"
    " zst 7z jar exe dll so dylib a o bin wasm pyc class parquet db sqlite pt onnx"
)
BINARY = tuple(f".{ending}" for ending in _BINARY.split())


def is_prose(path: str) -> bool:
    """Return whether a file, by its path, is a document or generated text, where a name is only mentioned."""
    # Without ``re``, which takes 3 ms to import (measured): every verify job loads this.
    name = path.rpartition("/")[2].lower()
    is_word = name.lstrip(".").replace("_", "").isalnum()
    is_list_of_changes = name.startswith("changelog") and is_word
    is_rules = name.startswith(".") and not name.startswith("..") and name.endswith("rules") and len(name) > 6
    is_list = is_list_of_changes or ("baseline" in name and name.endswith(BASELINES))
    is_state = any(f"/{folder}" in f"/{path}" for folder in _EDITORS)
    is_document = (name.endswith(PROSE) and name not in BUILDS) or name in _DOCUMENTS
    return is_document or is_list or is_state or (is_rules and is_word)


def is_binary(path: str) -> bool:
    """Return whether a file, by its ending, is not text, such as a picture or an archive."""
    return path.lower().endswith(BINARY)


def is_code(path: str) -> bool:
    """Return whether a file, by its path with ``/``, is code by this project's authors."""
    *folders, name = path.split("/")
    suffix = name.rpartition(".")[2].lower()
    return suffix in _CODE and ".min." not in name and _OTHERS.isdisjoint(folders)


def language_of(path: str) -> str:
    """Return the language of a file, by its suffix."""
    suffix = path.rpartition(".")[2].lower()
    return _LANGUAGES.get(suffix, suffix)
