"""Definitions of names, in many languages; and lines that only use a name."""

from __future__ import annotations

from support.each import each

from gitmem.document.sources.symbols import find_symbol

PYTHON = b'''import os
from a import helper

LIMIT: int = 3
X=1


class Store(Base):
    """A class Other that is not here."""

    size: int = 0

    async def write(
        self,
    ) -> None:
        helper(limit=3)


@cached
def write_all() -> None:
    store.read(1)


class Reader:
    def read(self): ...
'''
TYPESCRIPT = b"""import type { Config } from './c';
import { run } from './run';

export interface Options { retries?: number;
  name: string;
}
export default async function main(a: string) {
  run(a);
}
export const handler = async (event) => {
  return other(event);
};
class Api {
  private readonly url: string;
  static async fetchAll<T>(a: T): Promise<T> {
    await call(a);
  }
}
const routes = {
  index: () => 1,
};
"""
GO = b"""package store

type Store struct {
\tName string
}

func (s *Store) Put(key string) error {
\treturn write(key)
}

func New() *Store {
}
"""
C = b"""#define LIMIT 3
int declared(int a);
static int parse(const char *text)
{
    return call(text);
}
void Parser::reset(int a) {
}
class Lexer : public Base {
public:
  void next();
};
"""
RUST = b"pub(crate) struct Cell<T> {\n    pub inner: T,\n}\n"
RUST += b"impl<T> Cell<T> {\n    pub async fn get(&self) -> T {\n    }\n}\n"
CLOJURE = b"""(ns app.config
  (:require [app.data :as d]))
(def ^{:doc "x"} ^:const MAX-TRIES 18)
(defn- parse-flags [text]
  (let [rest 1] (helper rest)))
(defrecord Point [x y])
(sv/defmethod ::login [cfg] cfg)
(default value)
"""


@each(
    ("content", "name", "line"),
    [
        (PYTHON, "LIMIT", 4),
        (PYTHON, "X", 5),
        (PYTHON, "Store", 8),
        (PYTHON, "Store.size", 11),
        (PYTHON, "Store.write", 13),
        (PYTHON, "write_all", 20),
        (PYTHON, "Reader.read", 25),
        (PYTHON, "Store.read", 0),
        (PYTHON, "helper", 0),
        (PYTHON, "limit", 0),
        (PYTHON, "Other", 0),
        (PYTHON, "writ", 0),
        (TYPESCRIPT, "Options", 4),
        (TYPESCRIPT, "Options.name", 5),
        (TYPESCRIPT, "main", 7),
        (TYPESCRIPT, "handler", 10),
        (TYPESCRIPT, "Api.url", 14),
        (TYPESCRIPT, "Api.fetchAll", 15),
        (TYPESCRIPT, "index", 20),
        (TYPESCRIPT, "Config", 0),
        (TYPESCRIPT, "run", 0),
        (TYPESCRIPT, "other", 0),
        (TYPESCRIPT, "call", 0),
        (GO, "Store", 3),
        (GO, "Store.Name", 4),
        (GO, "Put", 7),
        (GO, "Store.Put", 7),
        (GO, "New", 11),
        (GO, "write", 0),
        (C, "LIMIT", 1),
        (C, "parse", 3),
        (C, "Parser::reset", 7),
        (C, "Lexer.next", 11),
        (C, "call", 0),
        (C, "declared", 0),
        (RUST, "Cell", 1),
        (RUST, "Cell.inner", 2),
        (RUST, "get", 5),
        (b"deploy() {\n  echo hi\n}\nfunction roll_back {\n", "deploy", 1),
        (b"deploy() {\n  echo hi\n}\nfunction roll_back {\n", "roll_back", 4),
        (b"CREATE TABLE IF NOT EXISTS users (\n", "users", 1),
        (b"defmodule App.Core.Store do\nend\n", "Store", 1),
        (b"use App.Core.Store\nclass Core::Store < Base\nend\n", "Store", 2),
        (b"class A\n  def self.make\n  end\nend\n", "A.make", 2),
        (b"# def old():\n// function old() {}\n", "old", 0),
        ("größe = 1\n".encode(), "größe", 1),
    ],
)
def test_name_is_defined_on_a_line_of_that_shape(content: bytes, name: str, line: int) -> None:
    assert find_symbol(content, name) == line


@each(
    ("name", "line"),
    [("app.config", 1), ("MAX-TRIES", 3), ("parse-flags", 4), ("Point", 6), ("login", 7)]
    + [(name, 0) for name in ("parse", "TRIES", "rest", "helper", "d", "x", "value")],
)
def test_name_is_defined_in_a_form_of_lisp(name: str, line: int) -> None:
    assert find_symbol(CLOJURE, name, "src/config.clj") == line


@each(
    ("line", "members", "others"),
    [
        ("interface A { b: string; c?: Map<d, e> }", ["b", "c"], ["string", "d", "e"]),
        (
            "class A { private f = 1; g() { call(h, i); } static async j<T>(k: T) {} }",
            ["f", "g", "j"],
            "h i call k".split(),
        ),
        ("enum A { Red, Green = 'g', Blue(3) { } }", ["Red", "Green", "Blue"], ["g"]),
        ("record A(int x, List<B> y) { int z() { } }", ["x", "y", "z"], ["B"]),
        ("data class A(val name: String)", ["name"], ["String"]),
        ("case class A(name: String)", ["name"], ["String"]),
        ("const A = { p: 1, q() {}, r };", ["p", "q", "r"], []),
        ("class A extends Mixed(B) { c; }", [], ["B"]),
        ("function A(s: string) { const t = 1; return t; }", [], ["s", "t"]),
        ("int A(int a) { int b; }", [], ["b"]),
        ("struct A { x: i32, y: Vec<i32>", ["x"], ["i32"]),
    ],
)
def test_members_on_the_line_of_their_owner(line: str, members: list[str], others: list[str]) -> None:
    found = [name for name in (*members, *others) if find_symbol(line.encode(), f"A.{name}")]

    assert found == members
