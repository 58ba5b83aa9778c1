"""The catalog: a SQLite file under the common git directory, derived from the store; it can be deleted at any time."""
