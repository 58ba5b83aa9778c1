"""The report as one self-contained web page: facts that hold, facts that broke, and their dependents."""
