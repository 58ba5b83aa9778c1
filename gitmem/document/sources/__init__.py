"""Readers for files that state values: settings, manifests, lock files, targets, definitions. All are pure."""
