# SPDX-License-Identifier: Apache-2.0
"""The coefficients of src/transformer/kernels/tanh.cc: tanh(x) = x P(x^2) / Q(x^2) for |x| <= END.

P and Q of degree 4 make the largest relative error least (Lawson's reweighted least squares on the linear form P - f Q,
divided by the Q before), all coefficients positive, so that no sum loses bits. Both are rounded to f32.

usage: tanh.py     prints the coefficients and the largest relative errors; takes 5 s
"""
import mpmath
import numpy as np

DEGREE = 4
END = 9.02  # 1 - tanh(9.02) < 2^-25
POINTS = 400


def points():
    """Chebyshev points of x in (0, END)."""
    return [END * mpmath.sin(mpmath.pi * (2 * i + 1) / (4 * POINTS)) for i in range(POINTS)]


def value(coefficients, u):
    return mpmath.polyval(coefficients[::-1], u)


def fitted():
    """Coefficients of powers of u = (x / END)^2, lowest first, and the largest relative error."""
    x = points()
    u = [(each / END) ** 2 for each in x]
    f = [mpmath.tanh(each) / each for each in x]
    weights, before, best = [mpmath.mpf(1)] * POINTS, [mpmath.mpf(1)] * POINTS, (mpmath.inf, None, None)
    for _ in range(25):
        rows, wanted = mpmath.matrix(POINTS, 2 * DEGREE + 1), mpmath.matrix(POINTS, 1)
        for i in range(POINTS):
            scale = mpmath.sqrt(weights[i]) / (f[i] * before[i])
            for power in range(DEGREE + 1):
                rows[i, power] = scale * u[i] ** power
            for power in range(1, DEGREE + 1):
                rows[i, DEGREE + power] = -scale * f[i] * u[i] ** power
            wanted[i] = scale * f[i]
        solution = mpmath.lu_solve(rows.T * rows, rows.T * wanted)
        p, q = list(solution[:DEGREE + 1]), [mpmath.mpf(1)] + list(solution[DEGREE + 1:])
        before = [value(q, each) for each in u]
        errors = [abs(value(p, u[i]) / (f[i] * before[i]) - 1) for i in range(POINTS)]
        if max(errors) < best[0]:
            best = (max(errors), p, q)
        weights = [weight * error for weight, error in zip(weights, errors)]
        total = sum(weights) / POINTS
        weights = [weight / total for weight in weights]
    return best


def main():
    mpmath.mp.prec = 160
    error, p, q = fitted()
    in_x = lambda coefficients: [np.float32(c / mpmath.mpf(END) ** (2 * i)) for i, c in enumerate(coefficients)]
    p, q = in_x(p), in_x(q)
    for name, coefficients in (("P", p), ("Q", q)):
        print(name, ", ".join(float(c).hex() for c in coefficients))
    x = np.linspace(1e-6, END, 1_000_001)
    stored = x * np.polyval(np.float64(p[::-1]), x * x) / np.polyval(np.float64(q[::-1]), x * x) / np.tanh(x) - 1
    print(f"largest relative error: fitted 2^{float(mpmath.log(error, 2)):.2f}, "
          f"coefficients in f32 2^{np.log2(np.abs(stored).max()):.2f}")


if __name__ == "__main__":
    main()
