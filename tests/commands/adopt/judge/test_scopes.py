"""What encloses a line of code."""

from support.each import each

from gitmem.commands.adopt.judge.scopes import BODY, CALL, CLASS, MAPPING, PARAMETERS, TOP, Scope, scope_of


@each(
    ("text", "scope"),
    [
        ("X = 1\n", Scope(TOP, ())),
        ("class A:\n    X = 1\n", Scope(CLASS, ("A",))),
        ("class A\n{\n  int X = 5;\n", Scope(CLASS, ("A",))),
        ("def run(\n    X=1,\n) -> None:\n", Scope(PARAMETERS, ("run",))),
        ("def run(\n    a=1,\n) -> None:\n    X = 1\n", Scope(BODY, ("run",))),
        ("export function f({\n  X = 5,\n  b,\n}: Options) {\n", Scope(PARAMETERS, ("f",))),
        ("export const f = (a) => {\n  X = 3\n", Scope(BODY, ("f",))),
        ("class A {\n  constructor(o) {\n    this.X = 5\n", Scope(BODY, ("A", "constructor"))),
        ("const request = {\n  X: 1\n};\n", Scope(MAPPING, ("request",))),
        ("return new Agent<A, B<C>>({\n  ...c,\n  X: false\n})\n", Scope(CALL, ("Agent",))),
        (
            "impl Default for C {\n  fn default() -> Self {\n    Self {\n      X: 5\n",
            Scope(CALL, ("C", "default", "Self")),
        ),
        ("[tool.ruff]\na = 2\nX = 1\n", Scope(MAPPING, ("tool.ruff",))),
        ("server:\n  port: 1\n  X: 2\n", Scope(MAPPING, ("server",))),
        ("if a:\n    X = 1\nelse:\n", Scope(BODY, ())),
    ],
)
def test_line_is_in_what_its_indentation_says(text, scope):
    at = text.index("X")

    assert scope_of(text, text.rfind("\n", 0, at) + 1) == scope
