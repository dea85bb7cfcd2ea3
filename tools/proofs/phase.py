# SPDX-License-Identifier: Apache-2.0
"""Proves the bounds that src/engine/tables/phase_waves.h states of the recipe `phase`, from the coefficients there.

Sollya certifies how far each polynomial is from its wave (supnorm); Gappa, how far the fixed-point evaluation is from
the polynomial, that every number is below 2^31 and not below 0, and every product below 2^62. The rest is added here:
x is off by half of its unit.

usage: phase.py     prints the bounds and fails where one does not hold; takes 1 s. Needs Sollya and Gappa.
       phase.py --fit     prints coefficients that Sollya finds (fpminimax)
"""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEADER = pathlib.Path(__file__).resolve().parents[2] / "src/engine/tables/phase_waves.h"
X, Z = 31, 32  # the units of x and z are 2^-31 and 2^-32
SINE_UNITS, COSINE_UNITS = (30, 31, 34, 38, 43), (31, 30, 32, 36, 41)
UNIT = 2.0**-31  # of S and C
HALF_X = math.pi / 2 * 2.0 ** -(X + 1)  # in radians

FIT = """
prec = 200!;
s = fpminimax(sin(pi/2*x), [|1,3,5,7,9|], [|30,31,34,38,43|], [1b-24;1/2], fixed, relative);
print(coeff(s,1)*2^30, -coeff(s,3)*2^31, coeff(s,5)*2^34, -coeff(s,7)*2^38, coeff(s,9)*2^43);
c = fpminimax(cos(pi/2*x), [|2,4,6,8|], [|30,32,36,41|], [1b-24;1/2], fixed, absolute, 1);
print(coeff(c,0)*2^31 - 1, -coeff(c,2)*2^30, coeff(c,4)*2^32, -coeff(c,6)*2^36, coeff(c,8)*2^41);
quit;
"""


def run(tool, text):
    if shutil.which(tool) is None:
        sys.exit(f"phase.py: {tool} must be installed")
    with tempfile.NamedTemporaryFile("w", suffix="." + tool) as script:
        script.write(text)
        script.flush()
        done = subprocess.run([tool, script.name], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"phase.py: {tool} must prove\n{text}\ngot\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def coefficients(name):
    """Those of the header, whose shifts must follow from the units."""
    found = re.search(name + r" = \{\{([\d, ]+)\},\s*\{([\d, ]+)\}\}", HEADER.read_text())
    values, shifts = ([int(each) for each in group.split(",")] for group in found.groups())
    units = SINE_UNITS if name == "phase_sine" else COSINE_UNITS
    assert shifts == [Z + units[i + 1] - units[i] for i in range(4)], (name, shifts)
    return values, units


def sollya(values, units, wave):
    """An upper bound on |polynomial - wave| over x in [0, 1/2], x in quarter turns."""
    first = 1 if wave == "sin" else 0
    terms = " + ".join(f"{(-1) ** i * value} * 2^-{unit} * x^{2 * i + first}"
                       for i, (value, unit) in enumerate(zip(values, units)))
    if wave == "cos":  # the last unit of c0 is there for the cuts: the bound is that of the whole polynomial
        terms += " + 2^-31"
    norm = f"sup(supnorm({terms}, {wave}(pi/2*x), [0;1/2], absolute, 1b-10))"
    said = run("sollya", f"prec = 200!; display = dyadic!;\nprint({norm});\nquit;\n")
    return dyadic(said)


def gappa(values, units, wave):
    """Bounds on what the evaluation adds to the polynomial, below and above."""
    lines = ["x = fixed<-31,dn>(any_x);", "zx = x * x;", "z = fixed<-32,dn>(zx);"]
    exact = made = f"{values[4]}b-{units[4]}"
    bounded = ["z in [0,0.25]"]
    for i in range(3, -1, -1):
        lines.append(f"p{i} = z * {made};")
        lines.append(f"t{i} = {values[i]}b-{units[i]} - fixed<-{units[i]},dn>(p{i});")
        lines.append(f"e{i} = {values[i]}b-{units[i]} - zx * {exact};")
        made, exact = f"t{i}", f"e{i}"
        bounded.append(f"t{i} in [0,{2**31 - 1}b-{units[i]}]")
        bounded.append(f"p{i} in [0,{2**62 - 1}b-{Z + units[i + 1]}]")
    if wave == "sin":
        lines += ["S = fixed<-31,dn>(x * t0);", "E = x * e0;"]
        bounded += ["S in [0,1]", f"x * t0 in [0,{2**62 - 1}b-{X + units[0]}]"]
    else:
        lines += ["S = t0;", "E = e0;"]
    goals = " /\\ ".join(bounded + ["S - E in ?"])
    said = run("gappa", "\n".join(lines) + "\n{ x in [0,0.5] -> " + goals + " }\n$ x in 64;\n")
    low, high = re.search(r"S - E in \[(\S+) .*?}, (\S+) ", said).groups()
    return dyadic(low), dyadic(high)


def dyadic(text):
    """3b-5 is 3 2^-5; a comment of Gappa's may follow."""
    number, exponent = re.match(r"(-?\d+)(?:b(-?\d+))?", text).groups()
    return int(number) * 2.0 ** int(exponent or 0)


def prove(name, wave, stated):
    values, units = coefficients(name)
    fit = sollya(values, units, wave)
    low, high = gappa(values, units, wave)
    by_x = HALF_X
    if wave == "cos":
        low, high = low - UNIT, high - UNIT
        by_x *= math.sqrt(0.5)  # the greatest slope of a cosine up to an eighth of a turn
    bound = (max(-low, high) + fit + by_x) / UNIT
    print(f"{wave}: polynomial {fit / UNIT:.3f}, evaluation {low / UNIT:.3f} to {high / UNIT:.3f}, x {by_x / UNIT:.3f}: "
          f"{bound:.3f} units of 2^-31, {stated} stated")
    if bound > stated:
        sys.exit(f"phase.py: the bound of {wave} must be at most the {stated} units stated, got {bound}")


def prove_small():
    """Below 2^(small_bits - 62) quarters a sine is a product of two floats: RN(X) is off by half a unit of 24 bits, RN(s)
    by half of 2^-23 times x, and a whole position below 2^31 moves the phase by 2^-34 turns."""
    bits = int(re.search(r"small_bits = (\d+)", HEADER.read_text()).group(1))
    by_x = math.pi / 2 * 2.0 ** (bits - 25 - 62)
    by_s = 2.0 ** (bits - 62) * 2.0**-24
    bound = (by_x + by_s + 2 * math.pi * 2.0**-34) / UNIT
    print(f"small sines with their position: {bound:.3f} units of 2^-31, 4 stated")
    if bound > 4:
        sys.exit(f"phase.py: the bound of small sines must be at most the 4 units stated, got {bound}")


def main():
    if sys.argv[1:] == ["--fit"]:
        print(run("sollya", FIT), end="")
        return
    prove("phase_sine", "sin", 2.0)
    prove("phase_cosine", "cos", 2.25)
    prove_small()


main()
