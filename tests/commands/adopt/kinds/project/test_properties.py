"""Properties of MSBuild that sentences give a value."""

from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.documents import Document
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER
from gitmem.commands.adopt.kinds.project.properties import PROPERTY, property_claims
from gitmem.commands.adopt.run import adopt
from gitmem.commands.adopt.statements import split
from gitmem.git import Git
from gitmem.git.repository import discover

PROPS = """<Project>
  <PropertyGroup><Nullable>enable</Nullable></PropertyGroup>
  <PropertyGroup>
    <LangVersion>13</LangVersion>
    <Deterministic Condition="'$(CI)' == 'true'">true</Deterministic>
    <Deterministic>false</Deterministic>
    <OutDir>$(Root)/out</OutDir>
  </PropertyGroup>
</Project>
"""


@each(
    ("text", "names"),
    [
        (
            "- `TreatWarningsAsErrors=true` and `Nullable` is set to `enable`.",
            ["TreatWarningsAsErrors=true", "Nullable=enable"],
        ),
        ("- Set `<LangVersion>13</LangVersion>` there.", ["LangVersion=13"]),
        ("- `MODE=fast make`, `Nullable` and `enable`, `a = b`", []),
    ],
)
def test_property_is_a_name_with_a_value(text, names):
    document = Document("AGENTS.md", "instructions", "")

    assert [one.name for part in split(text) for one in property_claims(part, document)] == names


def judged(repo):
    handle = Git(discover(repo))
    return adopt(handle, handle.resolve("HEAD"))


def test_value_of_a_property_holds_by_the_top_file_and_not_by_its_name_alone(repo):
    says = "- `Nullable=enable`, `LangVersion=12`, `Deterministic=true`, `OutDir=out`, `Nullable=disable`\n"
    other = "<Project><PropertyGroup><LangVersion>12</LangVersion></PropertyGroup></Project>\n"
    commit_files(repo, {"Directory.Build.props": PROPS, "tools/a.csproj": other, "AGENTS.md": says})

    found = judged(repo)

    properties = {(one.verdict, one.claim.name) for one in found.findings if one.claim.kind == PROPERTY}
    assert properties == {(HOLDS, "Nullable=enable"), (NEVER, "LangVersion=12"), (NEVER, "Nullable=disable")}
    assert [one.check for one in found.of(HOLDS) if one.claim.token in ("Nullable", "LangVersion")] == [
        {"value": "Directory.Build.props#Project.PropertyGroup.Nullable", "is": "enable"}
    ]


def test_property_that_was_changed_is_false(repo):
    commit_files(repo, {"Directory.Build.props": PROPS, "AGENTS.md": "- `LangVersion` is `13`.\n"})
    commit_files(repo, {"Directory.Build.props": PROPS.replace("13", "14")})

    (false,) = judged(repo).of(FALSE)

    assert (false.source.where, false.source.actual, false.check["is"]) == ("Directory.Build.props:4", "14", "13")
