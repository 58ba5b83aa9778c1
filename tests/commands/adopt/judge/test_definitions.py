"""Where code gives a name a value."""

from support.each import each

from gitmem.commands.adopt.judge.definitions import DECLARED, KEYED, PASSED, find_definitions, spellings


@each(
    ("text", "value", "strength"),
    [
        ("    max_size: int = 5,\n", "5", DECLARED),
        ("    max_size: int = Field(\n        default=7, ge=1)\n", "7", DECLARED),
        ("max_size = 3\n", "3", DECLARED),
        ('x = os.environ.get("max_size", "9")\n', "9", DECLARED),
        ("ARG max_size=0.22.0\n", "0.22.0", DECLARED),
        ("size: ${max_size:-4}\n", "4", DECLARED),
        ("max_size: 8\n", "8", KEYED),
        ('  "max_size": true,\n', "true", KEYED),
        ("call(max_size=2)\n", "2", PASSED),
        ("    const max_size = 1\n", "1", PASSED),
        ("max_size = compute()\n", "", DECLARED),
        ("max_size: str = f'{a}'\n", "", DECLARED),
        ("parser.add_argument('--max-size', type=int, default=5, help='x')\n", "5", DECLARED),
        ("@click.option(\n    '--max-size',\n    default=5,\n)\n", "5", DECLARED),
        (".option('--max-size <n>', 'the size', 5)\n", "5", DECLARED),
        ('flags.IntVar(&x, "max-size", 3, "usage")\n', "3", DECLARED),
        ("struct A {\n    #[arg(long, default_value_t = 5)]\n    max_size: u32,\n", "5", DECLARED),
        ("  max_size: z.number().int().default(3),\n", "3", DECLARED),
        ('"max_size": {\n "type": "integer",\n "default": 3\n}', "3", DECLARED),
        ("const m = options.max_size ?? 3;\n", "3", DECLARED),
        ("function f({ max_size = 3 }) {\n", "3", DECLARED),
        ("def f(\n    max_size=3,\n):\n", "3", DECLARED),
        ("func NewSize() *Size {\n\treturn &Size{\n\t\tMaxSize: 5,\n", "5", DECLARED),
        ("const DEFAULTS = {\n  max_size: 3,\n}\n", "3", DECLARED),
        ("    max_size: 30 * time.Second,\n", "30s", KEYED),
        ("  max_size: a/b-c\n", "a/b-c", KEYED),
        ("public int max_size { get; set; } = 5;\n", "5", DECLARED),
        ("max_size = 1024 * 1024\n", "1048576", DECLARED),
        ("_LIMIT = 7\nclass A:\n    max_size: int = _LIMIT\n", "7", DECLARED),
        ('option(max_size "the size" ON)\n', "ON", DECLARED),
        ('cmake_dependent_option(max_size "the size" OFF "A" ON)\n', "OFF", DECLARED),
        ('option(max_size "the size")\n', "OFF", DECLARED),
        ('option(max_size\n  "the size"\n  ${LARGE})\n', "", DECLARED),
        ("option('max_size', type: 'integer', value: 5)\n", "5", DECLARED),
        # A request, a local variable, an argument, and what only some platforms have:
        ("const request = {\n  max_size: 3,\n}\n", "3", PASSED),
        ("const request = { max_size: 3 }\n", "3", PASSED),
        ("def f():\n    max_size = 3\n", "3", PASSED),
        ("f(\n    max_size=3,\n)\n", "3", PASSED),
        ("new Agent({\n  max_size: 3,\n})\n", "3", PASSED),
        ("if windows:\n    max_size = 5\n", "5", PASSED),
        ("max_size = 5 if windows else 3\n", "", DECLARED),
    ],
)
def test_definition_has_its_value_and_how_sure_it_is(text, value, strength):
    assert [(one.value, one.strength) for one in find_definitions(text, spellings("max_size"))] == [(value, strength)]


@each(
    "text",
    [
        "# max_size = 3\n",
        "if max_size == 3:\n",
        "max_size_limit = 3\n",
        "my-max_size = 3\n",
        "const ALIAS = {\n  max_size: 'maxSize',\n}\n",
        "self.max_size = max_size\n",
        "return { max_size: env.max_size !== false };\n",
        'class A:\n    """Use it so::\n\n        max_size = 3\n    """\n',
        "interface A {\n  max_size: number;\n}\n",
    ],
)
def test_comment_comparison_type_and_other_spelling_define_nothing(text):
    assert find_definitions(text, ["max_size"]) == []


def test_names_are_spelled_as_other_languages_do():
    assert {"dolt.auto-push", "auto-push", "auto_push", "autoPush"} <= set(spellings("dolt.auto-push"))
    assert "max_size" in spellings("MAX_SIZE")


def test_lines_are_counted_and_what_is_far_along_a_line_defines_nothing():
    text = "max_size = 1\n\nmax_size = 2\n" + "x" * 500 + ", max_size = 3\nmax_size = 4\n"

    found = find_definitions(text, ["max_size"])

    assert [(one.line, one.value) for one in found] == [(1, "1"), (3, "2"), (5, "4")]
