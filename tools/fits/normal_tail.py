# SPDX-License-Identifier: Apache-2.0
"""The coefficients of src/transformer/kernels/activations.cc: Phi(-x) = exp(-x^2 / 2) t Q(t), t = 1 / (1 + p x), x >= 0.

Phi is the normal distribution. Q is fitted on x in [0, END] so that its largest relative error is least (Lawson's
reweighted least squares in Chebyshev polynomials), p is the best of a search, and both are rounded to f32.

usage: normal_tail.py     prints p, Q's coefficients in f32 and the largest relative errors; takes 20 s
"""
import mpmath
import numpy as np

DEGREE = 7
END = 8.0  # Phi(-8) < 2^-50: beyond, no product with x shows
POINTS = 800


def tail(x):
    """Phi(-x) exp(x^2 / 2)."""
    return float(mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) / 2 * mpmath.exp(mpmath.mpf(x) ** 2 / 2))


def points(p, count):
    """Chebyshev points of t between those of END and 0, and what Q should be there."""
    least = 1 / (1 + p * END)
    t = least + (1 - least) * 0.5 * (1 - np.cos(np.pi * (np.arange(count) + 0.5) / count))
    return t, np.array([tail(x) for x in (1 / t - 1) / p]) / t


def fitted(t, wanted):
    """Coefficients of powers of t, lowest first, and the largest relative error."""
    rows = np.polynomial.chebyshev.chebvander(2 * t - 1, DEGREE) / wanted[:, None]
    weights, best = np.ones(len(t)), (np.inf, None)
    for _ in range(150):
        root = np.sqrt(weights)
        solution, *_ = np.linalg.lstsq(rows * root[:, None], root, rcond=None)
        error = np.abs(rows @ solution - 1)
        if error.max() < best[0]:
            best = (error.max(), solution)
        weights *= error / error.max() + 1e-3
        weights /= weights.sum()
    powers = np.polynomial.Chebyshev(best[1], domain=[0, 1]).convert(kind=np.polynomial.Polynomial).coef
    return powers, best[0]


def main():
    p = min(np.arange(0.2, 0.5, 0.01), key=lambda candidate: fitted(*points(candidate, 200))[1])
    p = float(np.float32(p))
    powers, error = fitted(*points(p, POINTS))
    rounded = powers.astype(np.float32)
    t, wanted = points(p, 4 * POINTS)
    stored = np.abs(np.polynomial.polynomial.polyval(t, rounded.astype(np.float64)) / wanted - 1).max()
    print(f"p = {p.hex()}")
    for power, coefficient in enumerate(rounded):
        print(f"t^{power}: {float(coefficient).hex()}  {coefficient:.9g}")
    print(f"largest relative error: fitted 2^{np.log2(error):.2f}, coefficients in f32 2^{np.log2(stored):.2f}")


if __name__ == "__main__":
    main()
