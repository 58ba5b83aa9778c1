"""Results and the state of the facts, in the forms that reports, pages and listings are made of."""
