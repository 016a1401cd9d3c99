"""Walls: what isolates a room from the machine."""
