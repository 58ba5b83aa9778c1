"""What a check read: what strace saw of it, and what it did not declare."""
