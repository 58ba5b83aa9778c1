"""Text to memory and back: parsing, checking, writing and editing one memory file. No file is touched here.

``parse`` reads a file, ``format`` writes a new one, ``edit`` changes fields of one in place, ``fields`` holds the types
of the known fields and their values, ``spec`` tells what a memory's check is and hashes it. Below them lie ``split``
(where the frontmatter ends), ``flat`` (the quick reader), ``strict`` (the complete one), ``scalars`` (what a plain word
means) and ``extent`` (which lines a field takes up).
"""
