"""Models: what answers an agent's messages."""
