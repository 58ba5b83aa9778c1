"""The macOS profile and its command line, as text: they were never run on macOS.

What can be run here is that the profile is well formed, and that the command line means what it says to a stand-in.
"""

from __future__ import annotations

import subprocess

from support.each import each

from gitmem.verify.sandbox import seatbelt

GROUND = '/Users/ana/a "b") (allow default) (c'


def parse(text: str) -> list:
    """Return the profile's expressions as nested lists; strings and regular expressions are words."""
    words = []
    while text := text.lstrip():
        if text[0] in "()":
            words.append(text[0])
            text = text[1:]
        elif text.startswith(('"', '#"')):
            end = text.index('"', 2) + 1
            words.append(text[:end])
            text = text[end:]
        else:
            end = min(i for i in range(len(text)) if text[i] in "() \n")
            words.append(text[:end])
            text = text[end:]
    stack: list[list] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    assert len(stack) == 1
    return stack[0]


def rules(*, network: bool = False) -> list:
    return parse(seatbelt.profile(1, 2, network=network))


def test_everything_is_denied_but_what_is_allowed():
    assert rules()[:2] == [["version", "1"], ["deny", "default"]]
    assert {rule[0] for rule in rules()[2:]} == {"allow", "deny"}


def test_only_the_ground_and_the_private_folder_can_be_changed():
    changing = [rule for rule in rules() if rule[0] == "allow" and "file-write*" in rule]

    assert [rule[-1] for rule in changing] == [["subpath", ["param", '"WRITE0"']], ["subpath", ["param", '"WRITE1"']]]


def test_the_home_is_not_read_and_credentials_are_denied_after_what_allows_their_folder():
    found = rules()
    reading = [rule for rule in found if rule[0] == "allow" and "file-read*" in rule]
    places = [place[1] for rule in reading for place in rule if place[0] == "subpath"]

    assert not any(str(place).startswith(('"/Users', '"/private/tmp', '"/private/var/folders')) for place in places)
    denied = next(rule for rule in found if rule[:2] == ["deny", "file-read*"])
    assert found.index(denied) > max(found.index(rule) for rule in reading if ["subpath", '"/Library"'] in rule)
    assert ["subpath", '"/Library/Keychains"'] in denied


@each("network", [True, False])
def test_network_is_allowed_on_request_only_and_unix_sockets_never(network):
    found = [
        rule for rule in rules(network=network) if any("network" in str(word) or "socket" in str(word) for word in rule)
    ]

    assert bool(found) == network
    assert not any(rule == ["allow", "network*"] for rule in found)
    unix = [place for rule in found for place in rule if place[0] in ("literal", "subpath", "path")]
    assert unix == ([["literal", '"/private/var/run/mDNSResponder"']] if network else [])


def test_the_command_line_names_folders_as_parameters_and_no_name_is_a_rule():
    argv = seatbelt.wrap(["make", "a b"], readable=["/r"], writable=[GROUND, "/t"], network=False, cpu_s=7, file_mib=1)

    assert argv[0] == "/usr/bin/sandbox-exec"
    assert argv[1] == "-p"
    assert GROUND not in argv[2]
    assert argv[3:9] == ["-D", "READ0=/r", "-D", f"WRITE0={GROUND}", "-D", "WRITE1=/t"]


def test_the_program_gets_its_arguments_and_its_limits():
    argv = seatbelt.wrap(
        ["sh", "-c", 'echo "$1|$2"; ulimit -c; ulimit -f; ulimit -t', "x", "a b", "$(id)"],
        readable=[], writable=["/g"], network=False, cpu_s=7, file_mib=1,
    )  # fmt: skip

    done = subprocess.run(argv[argv.index("/bin/sh") :], capture_output=True, text=True, check=True)

    assert done.stdout == "a b|$(id)\n0\n2048\n7\n"
