"""Find memories by words: engines find candidates, and one scorer ranks them.

``engine`` defines the protocol of an engine, ``fts`` is the one inside the catalog's SQLite file, and ``recall.score``
ranks the candidates of any engine. Modules are imported by their own names: this one loads nothing.
"""
