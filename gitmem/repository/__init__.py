"""One opened repository: its own store, and the other stores that are read with it."""
