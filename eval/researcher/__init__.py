"""Researchers: who gives feedback on a failed submission."""
