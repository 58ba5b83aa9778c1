"""Home folders and the work tree's own path are removed from a text, and nothing else."""

from __future__ import annotations

from support.each import each

from gitmem.text.home_paths import shorten


@each(
    ("text", "short"),
    [
        ("see /srv/ana/shop/src/a.py:3", "see src/a.py:3"),
        ("cd /srv/ana/shop && make", "cd . && make"),
        ("/srv/ana/shopping and /srv/anatole", "~/shopping and /srv/anatole"),
        ("open /srv/ana/.config/x", "open ~/.config/x"),
        ('File "/home/bob/x.py", line 3', 'File "~/x.py", line 3'),
        ("/Users/bob.b/x and C:\\Users\\bob\\x", "~/x and ~\\x"),
        ("/root/x, https://example.org/home/bob/x", "~/x, https://example.org/home/bob/x"),
        ("no path", "no path"),
    ],
)
def test_paths_of_a_person_are_shortened(text: str, short: str) -> None:
    assert shorten(text, top="/srv/ana/shop", home="/srv/ana") == short
