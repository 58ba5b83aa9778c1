"""Confine a check on macOS: a profile for sandbox-exec(1), and the command line that applies it.

Pure: ``sandbox`` runs it. Written after the profiles that Apple ships (/System/Library/Sandbox/Profiles) and those that
Chromium and agent clients use. **Its authors have never run it on macOS**, so it is used only where the probe shows
that it confines. Its limitations: a process that leaves its process group outlives the check, and resource use is
limited only by a shell's ``ulimit``.

Sources: sandbox-exec(1), sandbox(7); chromium's sandbox/policy/mac/common.sb. In this language the last matching rule
decides.
"""

from __future__ import annotations

from gitmem.verify.sandbox.limits import MIB

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# An absolute path: a program of this name on PATH could be anything.
SANDBOX_EXEC = "/usr/bin/sandbox-exec"
# The system's programs and libraries, by their real paths: /etc and /var are links into /private.
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt",
    "/Applications/Xcode.app",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/db/xcode_select_link",
    "/private/var/select",
)
# Files there that only root can read, and credentials of the machine.
SECRETS = ("/Library/Keychains", "/private/etc/master.passwd", "/private/etc/ssh", "/private/etc/sudoers")
# Services that nearly every program looks up; none of them acts outside of the sandbox on its caller's behalf.
SERVICES = (
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.system.notification_center",
    "com.apple.system.logger",
    "com.apple.logd",
)
NETWORK_SERVICES = ("com.apple.dnssd.service", "com.apple.trustd.agent", "com.apple.SystemConfiguration.configd")
RULES = r"""(version 1)
(deny default)
(allow process-fork process-exec)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow file-read-metadata)
(allow file-read* (literal "/") (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read-data file-write-data (regex #"^/dev/fd/[0-9]+$"))
"""
# No UNIX sockets: one may belong to the Docker daemon or an ssh agent. Name resolution uses a daemon's socket.
NETWORK_RULES = """(allow system-socket)
(allow network-outbound (remote ip) (literal "/private/var/run/mDNSResponder"))
(allow network-bind network-inbound (local ip))
"""


def profile(readable: int, writable: int, *, network: bool) -> str:
    """Return the profile; folders are passed as parameters, so that a folder's name cannot add a rule.

    Args:
        readable: The number of folders that may be read besides the system's: ``READ0`` and so on.
        writable: The number of folders that may be changed: ``WRITE0`` and so on.
        network: Whether internet sockets are allowed.
    """
    read = [*(f'(subpath "{folder}")' for folder in SYSTEM), *(f'(subpath (param "READ{n}"))' for n in range(readable))]
    services = (*SERVICES, *(NETWORK_SERVICES if network else ()))
    rules = [
        "(allow mach-lookup " + " ".join(f'(global-name "{name}")' for name in services) + ")",
        f"(allow file-read* file-map-executable {' '.join(read)})",
        "(deny file-read* " + " ".join(f'(subpath "{secret}")' for secret in SECRETS) + ")",
        *(f'(allow file-read* file-write* file-map-executable (subpath (param "WRITE{n}")))' for n in range(writable)),
    ]
    return RULES + "\n".join(rules) + "\n" + (NETWORK_RULES if network else "")


def wrap(
    argv: Sequence[str], *, readable: Sequence[str], writable: Sequence[str], network: bool, cpu_s: int, file_mib: int
) -> list[str]:
    """Return the command line that runs a program confined.

    Args:
        argv: The program and its arguments.
        readable: Real paths that it may read besides the system's folders.
        writable: Real paths that it may change.
        network: Whether it may reach the internet.
        cpu_s: Processor seconds of one process.
        file_mib: The largest file, in MiB.
    """
    folders = [f"READ{n}={place}" for n, place in enumerate(readable)]
    folders += [f"WRITE{n}={place}" for n, place in enumerate(writable)]
    # sh(1), ulimit: files are counted in blocks of 512 bytes.
    limits = f'ulimit -c 0; ulimit -f {file_mib * MIB // 512}; ulimit -t {cpu_s}; exec "$@"'
    rules = profile(len(readable), len(writable), network=network)
    definitions = [word for folder in folders for word in ("-D", folder)]
    return [SANDBOX_EXEC, "-p", rules, *definitions, "/bin/sh", "-c", limits, "gitmem", *argv]
