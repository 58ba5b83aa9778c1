"""Which facts a change makes false: those whose inputs it touches, judged on the commits before and behind it."""
