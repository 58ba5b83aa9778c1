"""What a text asks of its reader that no memory should: pure, and only looked for where somebody reviews."""
