"""Source code as text: where its definitions begin and end. Pure."""
