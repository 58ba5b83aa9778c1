"""Workers: verify the facts of the hub's repositories, as jobs of a queue in the hub's database."""
