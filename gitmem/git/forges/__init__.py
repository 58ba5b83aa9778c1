"""Forges: which one a job runs on, and a client of their REST APIs."""
