"""Intervals and tests for scores: numbers per task go in, intervals and probabilities come out.

Tasks of one paper are alike, so an interval over tasks is too narrow when papers differ; the
cluster bootstrap draws whole papers instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95
RESAMPLES = 10_000


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


def wilson(successes: float, total: float, *, confidence: float = CONFIDENCE) -> Interval:
    """The score interval of a proportion (Wilson 1927, JASA 22:209).

    `successes` may be fractional, as means over repeats are. Of nothing, nothing is known: 0 to 1.
    """
    if total <= 0:
        return Interval(0.0, 1.0)
    z = _quantile(confidence)
    share, weight = successes / total, z * z / total
    centre = share + weight / 2
    spread = math.sqrt(max(0.0, weight * (share * (1 - share) + weight / 4)))
    return Interval(
        max(0.0, (centre - spread) / (1 + weight)), min(1.0, (centre + spread) / (1 + weight))
    )


def cluster_bootstrap(
    values: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval | None:
    """The percentile interval of the mean of `values` when whole clusters are drawn again.

    The same for any order of the values, and for the same seed. None for fewer than two clusters,
    which say nothing about how clusters differ. (Field and Welsh 2007, JRSS B 69:369.)
    """
    import numpy as np

    grouped = _grouped(values, clusters)
    if len(grouped) < 2:
        return None
    sums = np.array([math.fsum(group) for group in grouped])
    sizes = np.array([len(group) for group in grouped])
    even = np.full(len(grouped), 1 / len(grouped))
    draws = np.random.default_rng(seed).multinomial(len(grouped), even, size=resamples)
    means = (draws @ sums) / (draws @ sizes)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided probability that two models differ this much by chance alone.

    In go the tasks that only one of the two solved (McNemar 1947, Psychometrika 12:153; the exact
    form is the sign test on those tasks). Without any, 1.
    """
    discordant = only_first + only_second
    tail = sum(math.comb(discordant, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << discordant))


def minimum_detectable_effect(
    pairs: int, discordant: float, *, power: float = 0.8, confidence: float = CONFIDENCE
) -> float | None:
    """The smallest difference between two models that `pairs` tasks show with the given power.

    `discordant` is the share of tasks that only one of them solves. None when no difference would
    be found, since a difference cannot exceed that share. It solves Connor's sample size for
    McNemar's test (1987, Biometrics 43:207) for the difference.
    """
    alpha, beta = _quantile(confidence), NormalDist().inv_cdf(power)
    below = pairs - alpha**2 + beta**2
    if pairs <= 0 or discordant <= 0 or below < 0:
        return None
    root = math.sqrt(pairs) * alpha + beta * math.sqrt(below)
    effect = math.sqrt(discordant) * root / (pairs + beta**2)
    return effect if effect <= discordant else None


def pass_at_k(repeats: int, correct: int, k: int) -> float:
    """The chance that one of `k` draws without return from `repeats` attempts is correct.

    The unbiased estimate of pass@k (Chen et al. 2021, arXiv 2107.03374).
    """
    if not 0 <= correct <= repeats or not 1 <= k <= repeats:
        raise ValueError(f"pass@{k} of {correct} correct in {repeats} attempts is not defined")
    return 1 - math.comb(repeats - correct, k) / math.comb(repeats, k)


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _grouped(values: Sequence[float], clusters: Sequence[str]) -> list[list[float]]:
    groups: dict[str, list[float]] = {name: [] for name in sorted(set(clusters))}
    for value, cluster in zip(values, clusters, strict=True):
        groups[cluster].append(value)
    return list(groups.values())
