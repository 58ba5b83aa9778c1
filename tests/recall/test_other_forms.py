"""Words that no memory has as typed: found in the forms of the language of the question, and in other spellings."""

from __future__ import annotations

from pathlib import Path

from conftest import NOW, memory_text, put_files
from support.each import each

from gitmem.memory import Memory
from gitmem.recall.other_forms import WORDS, languages_of, other_forms
from gitmem.recall.query import Query
from gitmem.text.tokens import query_terms, terms


@each(
    ("question", "word", "answer"),
    [
        ("wie werden Verträge unterschrieben", "Vertrag", "Vertrag"),
        ("welches Haus ist frei", "Häuser", "Häuser"),
        ("Rueckgabe", "Rückgabe", "Rückgabe"),
        ("Rückgabe", "Rueckgabe", "Rueckgabe"),
        ("Soerensen", "Sørensen", "Sørensen"),
        ("supprimer le journal", "journaux", "journaux"),
        ("reconstruir el índice", "índices", "índices"),
        ("quando scade la chiave di accesso", "chiavi", "chiavi"),
        ("onde estão as cópias apagadas", "apagado", "apagado"),
        ("ошибка платежа", "платежей", "платежей"),
        ("Shchukin", "Щукина", "Shchukina"),
        # What the languages of the words do not show, and words that some memory has, stay as they are.
        ("house", "hose houseplant", ""),
        ("poems", "pom", ""),
        ("Haus", "Häuser", ""),
        ("welches Haus ist frei", "Haus Häuser", "Haus"),
        ("MIT license", "licensee", ""),
    ],
)
def test_word_that_no_memory_has_is_found_in_another_form(question: str, word: str, answer: str) -> None:
    index = sorted(set(terms(word)))
    typed = query_terms(question)

    found = other_forms(question, typed, set(typed) & set(index), "english", lambda start: _beginning(index, start))

    assert set(found) & set(index) == set(terms(answer))


@each(
    ("question", "languages"),
    [
        ("how do I deploy the service", set()),
        ("wie heißt der Server", {"german"}),
        ("quelle est la clé du serveur", {"french"}),
        ("dónde están los índices", {"spanish"}),
        ("где журнал", {"russian"}),
        ("a long question in English which quotes le monde and nothing else", set()),
    ],
)
def test_language_of_a_question_is_shown_by_its_words(question: str, languages: set[str]) -> None:
    assert languages_of(question) == languages


def test_few_words_of_a_long_question_are_looked_for() -> None:
    asked: list[str] = []
    words = [f"wort{''.join(chr(97 + int(digit)) for digit in str(number))}" for number in range(300)]
    question = " ist das ".join(words)

    other_forms(question, query_terms(question), (), "english", lambda start: asked.append(start) or ())

    assert 0 < len(asked) <= 3 * WORDS


def test_recall_finds_memories_of_several_languages_in_one_store(repo: Path) -> None:
    titles = {
        "contract": "Verträge müssen zweimal unterschrieben werden",
        "logs": "Les journaux sont conservés trois mois",
        "server": "Le serveur de secours est ancien",
        "name": "Резервные копии хранятся на сервере Щукина",
    }
    put_files(repo, {f"learned/{key}.md": memory_text(title) for key, title in titles.items()})

    with Memory(repo, clock=lambda: NOW) as memory:
        found = [
            [hit.key for hit in memory.recall(Query(text=question)).hits][:1]
            for question in ("Vertrag unterschreiben für wen", "conserver le journal", "Shchukin", "копия на сервере")
        ]

    assert found == [["contract"], ["logs"], ["name"], ["name"]]


def _beginning(index: list[str], start: str) -> list[str]:
    return [term for term in index if term.startswith(start)]
