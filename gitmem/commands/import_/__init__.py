"""Where memories come from besides those who write them: files of other systems, and our own exports."""
