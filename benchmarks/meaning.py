"""Time recall over a large store inside one process, with its vectors (by meaning) and without them.

    python benchmarks/meaning.py REPOSITORY ROUNDS

The model is a static one of 384 dimensions, made here from the vocabulary's words, so the model itself is not timed.
Prints one JSON object: the seconds of every round for each part, in wall time and CPU time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import vocabulary
from benchmarks.measure import BenchmarkError
from benchmarks.questions import QUESTIONS
from benchmarks.stores import Stores
from gitmem import Memory
from gitmem.recall.query import Query
from gitmem.system.environment import OneThread

# Those of all-MiniLM-L6-v2, the model most often used for this.
DIMENSIONS = 384


def make_model(folder: Path) -> str:
    """Write a static model that knows the vocabulary's words, each with a vector of its own; return its setting."""
    import numpy as np
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace

    listed = (value for value in vars(vocabulary).values() if isinstance(value, tuple))
    words = sorted({word.lower() for words in listed for entry in words for word in str(entry).split()})
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(["[UNK]", *words])}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    vectors = np.random.default_rng(1).standard_normal((len(words) + 1, DIMENSIONS)).astype(np.float32)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    return f"model2vec:{folder}"


def measure(stores: Stores, name: str, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return what ``main`` prints for a store, with the model made beside it."""
    setting = make_model(stores.folder / "model-384")
    script = [sys.executable, __file__, str(stores.path(name)), str(rounds)]
    env = {**stores.env, "GITMEM_EMBED": setting, "GITMEM_BACKGROUND": "off"}
    done = subprocess.run(script, cwd=stores.folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchmarkError(f"{script} ended with {done.returncode}\n{done.stderr[-2000:]}")
    found: dict[str, list[tuple[float, float]]] = json.loads(done.stdout)
    return found


def main(repository: str, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return what each part took: a recall by words alone, one by words and meaning, and embedding the question."""
    with OneThread():
        from gitmem.repository.query_vectors import providers_of
    with Memory(repository) as memory:
        memory.vectors.rebuild()
        providers = providers_of(memory.repository.config)
        assert providers is not None, "the environment names a model"
        timed: dict[str, Callable[[str], object]] = {
            "lexical": lambda question: memory.recall(Query(question, lexical=True)),
            "hybrid": lambda question: memory.recall(Query(question)),
            "query": providers[0].query,
        }
        spent: dict[str, list[tuple[float, float]]] = {name: [] for name in timed}
        for number in range(-1, rounds):
            for name, operation in timed.items():
                wall, cpu = time.perf_counter(), time.process_time()
                operation(QUESTIONS[number % len(QUESTIONS)])
                if number >= 0:
                    spent[name].append((time.perf_counter() - wall, time.process_time() - cpu))
        assert not memory.notices, memory.notices
    return spent


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
