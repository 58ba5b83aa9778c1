"""Find memories by words: engines bring candidates, one scorer ranks them.

``engine`` says what an engine is, ``fts`` is the one inside the catalog's SQLite file, ``score`` ranks what any of them
brought. Modules are imported by their own names: this one loads nothing.
"""
