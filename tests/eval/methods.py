"""Small methods as papers implement them, each with calls that tell a right one from a wrong one.

Read as text by the tests of the researcher and of the mutant.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

Vector = list[float]
Matrix = list[list[float]]


def exponential_average(values: Vector, decay: float) -> Vector:
    average = values[0]
    smoothed = [average]
    for value in values[1:]:
        average = decay * average + (1 - decay) * value
        smoothed.append(average)
    correction = 1 - decay ** len(values)
    smoothed[-1] = smoothed[-1] / correction
    return smoothed


def normalise_rows(matrix: Matrix, scale: float) -> Matrix:
    result = []
    for row in matrix:
        norm = math.sqrt(sum(entry**2 for entry in row))
        if norm > 0:
            result.append([scale * entry / norm for entry in row])
        else:
            result.append([0.0 for entry in row])
    return result


def kernel_density(points: Vector, grid: Vector, width: float) -> Vector:
    count = len(points)
    factor = 1 / (count * width * math.sqrt(2 * math.pi))
    densities = []
    for place in grid:
        total = 0.0
        for point in points:
            distance = (place - point) / width
            total += math.exp(-0.5 * distance**2)
        densities.append(factor * total)
    return densities


def euler_path(start: float, rate: float, steps: int, size: float) -> Vector:
    path = [start]
    state = start
    for step in range(steps):
        drift = rate * state * (1 - state)
        forcing = math.sin(step * size)
        state = state + size * (drift + 0.5 * forcing)
        path.append(state)
    return path


def quantile(values: Vector, level: float) -> float:
    ordered = sorted(values)
    position = level * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    weight = position - below
    return (1 - weight) * ordered[below] + weight * ordered[above]


def trimmed_mean(values: Vector, share: float) -> float:
    if share < 0 or share >= 0.5:
        raise ValueError("the share must be at least 0 and below one half")
    ordered = sorted(values)
    cut = int(len(ordered) * share)
    kept = ordered[cut : len(ordered) - cut]
    total = sum(kept)
    return total / len(kept)


def power_iteration(matrix: Matrix, start: Vector, rounds: int) -> float:
    vector = list(start)
    value = 0.0
    for _ in range(rounds):
        image = [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]
        norm = max(abs(entry) for entry in image)
        vector = [entry / norm for entry in image]
        value = norm
    return value


def ridge_slope(inputs: Vector, outputs: Vector, penalty: float) -> tuple[float, float]:
    count = len(inputs)
    mean_x = sum(inputs) / count
    mean_y = sum(outputs) / count
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(inputs, outputs, strict=True))
    spread = sum((x - mean_x) ** 2 for x in inputs)
    slope = covariance / (spread + penalty)
    intercept = mean_y - slope * mean_x
    return slope, intercept


def conformal_radius(scores: Vector, miscoverage: float, scale: float) -> float:
    count = len(scores)
    rank = math.ceil((count + 1) * (1 - miscoverage))
    if rank > count:
        return math.inf
    ordered = sorted(scores)
    radius = ordered[rank - 1]
    return scale * radius


def entropy(weights: Vector, base: float) -> float:
    total = sum(weights)
    result = 0.0
    for weight in weights:
        share = weight / total
        if share > 0:
            result -= share * math.log(share)
    return result / math.log(base)


def running_variance(values: Vector, ddof: int) -> float:
    count = 0
    mean = 0.0
    spread = 0.0
    for value in values:
        count += 1
        step = value - mean
        mean += step / count
        spread += step * (value - mean)
    return spread / (count - ddof)


def shortest_paths(weights: Matrix, source: int) -> Vector:
    size = len(weights)
    distance = [math.inf] * size
    distance[source] = 0.0
    for _ in range(size - 1):
        for start in range(size):
            for end in range(size):
                length = distance[start] + weights[start][end]
                if length < distance[end]:
                    distance[end] = length
    return distance


def clip_gradient(gradient: Vector, limit: float, floor: float) -> Vector:
    norm = math.sqrt(sum(entry * entry for entry in gradient))
    clipped = list(gradient)
    if norm > limit:
        factor = limit / norm
        clipped = [factor * entry for entry in gradient]
    elif norm < floor and norm > 0:
        clipped = [entry * floor / norm for entry in gradient]
    return clipped


def autocorrelation(series: Vector, lags: int) -> Vector:
    count = len(series)
    mean = sum(series) / count
    centred = [value - mean for value in series]
    variance = sum(value**2 for value in centred) / count
    result = []
    for lag in range(1, lags + 1):
        products = [centred[i] * centred[i - lag] for i in range(lag, count)]
        result.append(sum(products) / (count * variance))
    return result


def attention(query: Vector, keys: Matrix, values: Vector, heat: float) -> float:
    size = len(query)
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
    scaled = [score / (heat * math.sqrt(size)) for score in scores]
    peak = max(scaled)
    weights = [math.exp(score - peak) for score in scaled]
    total = sum(weights)
    return sum(w * v for w, v in zip(weights, values, strict=True)) / total


def bisect_root(low: float, high: float, target: float, rounds: int) -> float:
    for _ in range(rounds):
        middle = (low + high) / 2
        value = middle**3 - 2 * middle
        if value > target:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def discounted_returns(rewards: Vector, discount: float, final: float) -> Vector:
    running = final
    returns: Vector = []
    for reward in reversed(rewards):
        running = reward + discount * running
        returns.append(running)
    returns.reverse()
    baseline = sum(returns) / len(returns)
    return [value - baseline for value in returns]


def mixture_step(data: Vector, means: Vector, weights: Vector, width: float) -> Vector:
    updated = []
    for mean, weight in zip(means, weights, strict=True):
        top = 0.0
        bottom = 0.0
        for point in data:
            share = weight * math.exp(-((point - mean) ** 2) / (2 * width**2))
            top += share * point
            bottom += share
        updated.append(top / bottom)
    return updated


CASES: dict[Callable[..., Any], Sequence[tuple[Any, ...]]] = {
    exponential_average: [([1.0, 2.0, 4.0], 0.5), ([3.0, 1.0], 0.9), ([2.0, 0.0, 5.0, 1.0], 0.3)],
    normalise_rows: [([[3.0, 4.0]], 2.0), ([[0.0, 0.0], [1.0, 2.0]], 1.5), ([[5.0, -2.0]], 3.0)],
    kernel_density: [([0.0, 1.0], [0.5], 0.7), ([2.0, 3.0, 5.0], [1.0, 4.0], 1.3)],
    euler_path: [(0.2, 1.5, 4, 0.1), (0.9, 0.5, 3, 0.5), (0.4, 2.0, 2, 0.25)],
    quantile: [([3.0, 1.0, 2.0], 0.5), ([5.0, 9.0, 1.0, 4.0], 0.9), ([2.0, 8.0], 1.0)],
    trimmed_mean: [([1.0, 9.0, 2.0, 3.0, 50.0], 0.2), ([4.0, 1.0], 0.0), ([1.0], 0.7)],
    power_iteration: [([[2.0, 1.0], [1.0, 3.0]], [1.0, 0.5], 4), ([[4.0]], [2.0], 1)],
    ridge_slope: [([0.0, 1.0, 3.0], [1.0, 2.0, 7.0], 0.5), ([2.0, 5.0], [4.0, -1.0], 2.0)],
    conformal_radius: [([3.0, 1.0, 2.0, 7.0], 0.4, 2.0), ([1.0, 5.0], 0.05, 1.0)],
    entropy: [([1.0, 1.0, 2.0], 2.0), ([5.0, 0.0, 1.0], 3.0), ([0.2, 0.7], 10.0)],
    running_variance: [([1.0, 4.0, 2.0, 8.0], 1), ([3.0, 5.0], 0), ([2.0, 2.5, 9.0], 1)],
    shortest_paths: [([[0.0, 4.0, 1.0], [2.0, 0.0, 7.0], [9.0, 2.0, 0.0]], 0)],
    clip_gradient: [([3.0, 4.0], 2.0, 0.5), ([0.1, 0.1], 5.0, 1.0), ([1.0, 1.0], 9.0, 0.5)],
    autocorrelation: [([1.0, 3.0, 2.0, 5.0, 4.0], 2), ([2.0, 7.0, 1.0, 9.0], 1)],
    attention: [([1.0, 2.0], [[0.5, 1.0], [2.0, 0.1]], [3.0, 7.0], 1.5)],
    bisect_root: [(0.0, 3.0, 4.0, 6), (1.0, 2.0, 1.5, 4), (-1.0, 2.0, 0.5, 3)],
    discounted_returns: [([1.0, 0.0, 2.0], 0.9, 4.0), ([3.0, 5.0], 0.5, 0.0)],
    mixture_step: [([0.0, 1.0, 4.0], [0.5, 3.0], [0.3, 0.7], 1.2)],
}
