"""Files that state something: settings, manifests, lock files, targets, definitions. Each format has a pure reader."""
