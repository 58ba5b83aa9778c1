"""SHA-256 and SHA-1 without ``hashlib``, which loads OpenSSL: 2.6 ms of CPU (measured), and most commands need one."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha1, sha256
elif sys.version_info >= (3, 12):
    from _sha1 import sha1

    from _sha2 import sha256
else:
    from _sha1 import sha1
    from _sha256 import sha256

__all__ = ["sha1", "sha256"]
