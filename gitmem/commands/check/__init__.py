"""Find the facts that a change makes false: judge those whose inputs it touches before and after the change."""
