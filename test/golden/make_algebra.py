"""Writes 2,000 pairs of expressions in x, each with what sympy says of them: the same function (1) or not (0).

    python test/golden/make_algebra.py > test/golden/algebra/pairs.txt
"""
import random
from fractions import Fraction

import sympy

x = sympy.Symbol('x')
draw = random.Random(0)


def text(depth):
    kind = draw.randrange(8)
    if depth == 0 or kind < 2:
        return draw.choice(['x', 'x', str(draw.randint(1, 9))])
    if kind < 4:
        return f'({text(depth - 1)}{draw.choice("+-")}{text(depth - 1)})'
    if kind < 6:
        return f'{text(depth - 1)}*{text(depth - 1)}'
    if kind == 6:
        return f'({text(depth - 1)})^{draw.randint(2, 3)}'
    return f'({text(depth - 1)})/({text(depth - 1)})'


def value(one):
    return sympy.sympify(one.replace('^', '**'), locals={'x': x}, rational=True)


def written(expression):
    return str(expression).replace('**', '^').replace(' ', '')


def asked(one):
    """Raises ZeroDivisionError where a part divides by zero, of which sympy makes 1/zoo = 0."""
    eval(one.replace('^', '**'), {'x': Fraction(123457, 1009)})


lines = []
while len(lines) < 2000:
    one = text(3)
    try:
        asked(one)
        of = value(one)
        if of.has(sympy.zoo, sympy.nan, sympy.oo):
            continue
        way = draw.choice([sympy.expand, sympy.factor, sympy.together, sympy.apart])
        two = written(way(of) if draw.random() < 0.6 else way(of + draw.choice([1, x, -x, 1 / x, of])))
        other = value(two)
    except (ZeroDivisionError, TypeError, sympy.PolynomialError):
        continue
    if max(len(one), len(two)) > 40 or any(sign not in '0123456789x+-*/^()' for sign in two):
        continue
    lines.append(f'{one} {two} {int(sympy.simplify(of - other) == 0)}')
print('\n'.join(lines))
