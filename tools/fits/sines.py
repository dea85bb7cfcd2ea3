# SPDX-License-Identifier: Apache-2.0
"""The coefficients of src/engine/tables/sines.h: sin x = x + x u S(u), cos x = 1 + u C(u), u = x^2, |x| <= pi / 4.

S and C of degree 5 make the largest error of sine and cosine least (Remez's exchange, in 60 digits); each coefficient is
then rounded to f64, which moves the error from one extreme to another.

usage: sines.py     prints the coefficients and the largest errors; takes 4 s
"""
import mpmath

DEGREE = 5
END = (mpmath.mp.pi / 4) ** 2
POINTS = 4000
mpmath.mp.dps = 60


def sine(u):
    """What S should be, and the weight of its error in the sine."""
    x = mpmath.sqrt(u)
    return (mpmath.sin(x) - x) / (x * u), x * u


def cosine(u):
    return (mpmath.cos(mpmath.sqrt(u)) - 1) / u, u


def value(coefficients, u):
    return mpmath.polyval(coefficients[::-1], u)


def errors(of, coefficients, points):
    return [(value(coefficients, u) - of(u)[0]) * of(u)[1] for u in points]


def extremes(found, count):
    """The indices of the largest error of each sign in turn, the `count` largest in a row."""
    runs = []
    for i, error in enumerate(found):
        if not runs or (found[runs[-1]] > 0) != (error > 0):
            runs.append(i)
        elif abs(error) > abs(found[runs[-1]]):
            runs[-1] = i
    while len(runs) > count:
        runs.pop(0 if abs(found[runs[0]]) < abs(found[runs[-1]]) else -1)
    return runs


def fitted(of):
    points = [END * mpmath.sin(mpmath.pi * (i + 1) / (2 * POINTS)) ** 2 for i in range(POINTS)]
    chosen = [points[int((i + 0.5) * POINTS / (DEGREE + 2))] for i in range(DEGREE + 2)]
    for _ in range(12):
        rows = mpmath.matrix(
            [[u**k for k in range(DEGREE + 1)] + [(-1) ** i / of(u)[1]] for i, u in enumerate(chosen)]
        )
        solution = mpmath.lu_solve(rows, mpmath.matrix([of(u)[0] for u in chosen]))
        coefficients = list(solution)[: DEGREE + 1]
        found = errors(of, coefficients, points)
        chosen = [points[i] for i in extremes(found, DEGREE + 2)]
    return coefficients, max(map(abs, found)), points


def main():
    for of in (sine, cosine):
        coefficients, error, points = fitted(of)
        stored = [float(c) for c in coefficients]
        rounded = max(map(abs, errors(of, [mpmath.mpf(c) for c in stored], points)))
        print(f"{of.__name__}: " + ", ".join(c.hex() for c in stored))
        print(f"largest error: fitted 2^{float(mpmath.log(error, 2)):.2f}, in f64 2^{float(mpmath.log(rounded, 2)):.2f}")


if __name__ == "__main__":
    main()
