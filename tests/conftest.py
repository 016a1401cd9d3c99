"""Settings for all tests."""

from hypothesis import settings

# Shared machines stall: how long one example takes says nothing about the code.
settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
