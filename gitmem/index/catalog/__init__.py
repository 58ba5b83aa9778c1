"""The catalog: one SQLite file under the common git directory, derived from the store and deletable at any time."""
