"""Threads, progress and callbacks while a fit runs."""
