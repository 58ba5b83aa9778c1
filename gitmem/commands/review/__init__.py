"""What a change of the memory branch means, for a person: it reads git objects alone, and runs nothing."""
