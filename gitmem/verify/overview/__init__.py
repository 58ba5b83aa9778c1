"""What is found of the facts, and how the store stands: for reports, pages and listings."""
