"""Links to memories of other repositories. Recall does not load this module."""

from __future__ import annotations

from gitmem.document.elsewhere import SEPARATOR, parse_elsewhere
from gitmem.index.catalog.state import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.catalog import Catalog


def list_required_elsewhere(catalog: Catalog) -> list[tuple[str, str]]:
    """Return each live memory that requires a memory of another repository, with the reference to that, sorted."""
    rows = catalog.rows(
        "SELECT m.key, l.target FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'requires'"
        f" AND {LIVE} AND instr(l.target, '{SEPARATOR}')"
        " AND l.target NOT IN (SELECT key FROM memory UNION SELECT target FROM link WHERE relation = 'produces')"
        " ORDER BY m.key, l.target"
    )
    return [(key, target) for key, target in rows if parse_elsewhere(target)]
