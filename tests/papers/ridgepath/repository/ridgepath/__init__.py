"""Ridge paths from one decomposition."""

from ridgepath.path import RidgePath
from ridgepath.shrink import soft_threshold
