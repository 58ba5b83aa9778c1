"""The report as one web page that needs nothing but itself: what is true, what broke, and what rests on that."""
