"""Read the YAML of a frontmatter: ``flat`` quickly, ``strict`` completely, ``scalars`` says what a plain word means."""
