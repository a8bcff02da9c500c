"""Writes pairs of mathematical answers, each with what sympy says of them: the same value (1) or not (0), as lines of JSON.

    python test/golden/make_math_answers.py 5000 > pairs.jsonl
    node tools/check_math_answers.mjs pairs.jsonl

Numbers, fractions, percents, decimals, roots, expressions in x and y, tuples, intervals and sets, in plain and in LaTeX notation.
Half of the pairs are two ways to write one value, half are of values near each other.
"""
import json
import random
import sys

import sympy

x, y = sympy.symbols('x y')
draw = random.Random(1)


def number():
    return sympy.Rational(draw.randint(-60, 60), draw.choice([1, 1, 1, 2, 3, 4, 5, 8, 10, 25]))


def root():
    return number() + draw.choice([1, -1, 2, sympy.Rational(1, 3)]) * sympy.sqrt(draw.randint(2, 30))


def expression():
    of = sum(number() * x ** draw.randint(0, 3) * y ** draw.randint(0, 2) for _ in range(draw.randint(1, 3)))
    kind = draw.randrange(4)
    if kind == 0:
        return of * (x + draw.randint(1, 5))
    if kind == 1:
        return of / (x + draw.randint(1, 5))
    if kind == 2:
        return (x + draw.randint(-5, 5)) ** 2 + of
    return of


def plain(value):
    return str(value).replace('**', '^')


def latex(value):
    return sympy.latex(value)


def decimal(value):
    return str(float(value)) if value.is_Rational and (1000000 % value.q) == 0 and abs(value) < 1000 else plain(value)


def percent(value):
    hundred = value * 100
    return f'{plain(hundred)}%' if hundred.is_Integer else plain(value)


def ways(value):
    if value.is_Rational:
        return [plain, latex, decimal, percent, lambda v: f'\\boxed{{{latex(v)}}}', lambda v: f'${plain(v)}$']
    if value.free_symbols:
        forms = [sympy.expand, sympy.factor, sympy.together, lambda v: v]
        return [lambda v, form=form, write=write: write(form(v)) for form in forms for write in (plain, latex)]
    return [plain, latex, lambda v: plain(sympy.expand(v)), lambda v: latex(sympy.together(v))]


def written(value):
    return draw.choice(ways(value))(value)


def other(value):
    return value + draw.choice([1, -1, sympy.Rational(1, 2), value if value != 0 else 2, -2 * value if value != 0 else 3])


def is_same(a, b):
    return sympy.simplify(a - b) == 0


def single():
    value = draw.choice([number, number, root, expression])()
    second = value if draw.random() < 0.5 else other(value)
    return written(value), written(second), is_same(value, second)


def several():
    values = [number() for _ in range(draw.randint(2, 4))]
    seconds = list(values)
    if draw.random() < 0.3:
        place = draw.randrange(len(seconds))
        seconds[place] = other(seconds[place])
    if draw.random() < 0.4:
        draw.shuffle(seconds)
    join = lambda all_of, opened, closed: opened + ', '.join(written_part(v) for v in all_of) + closed
    kind = draw.randrange(3)
    if kind == 0:
        return join(values, '\\{', '\\}'), join(seconds, '{', '}'), set(values) == set(seconds)
    if kind == 1:
        return join(values, '(', ')'), join(seconds, '\\left(', '\\right)'), values == seconds
    return join(values, '', ''), join(seconds, '', ''), sorted(values) == sorted(seconds)


def written_part(value):
    return draw.choice([plain, latex, decimal])(value)


def interval():
    low, high = sorted([number(), number()])
    ends = [draw.choice('[('), draw.choice('])')]
    others = [draw.choice('[('), draw.choice('])')] if draw.random() < 0.4 else list(ends)
    second = other(high) if draw.random() < 0.3 else high
    text = lambda pair, top: f'{pair[0]}{written_part(low)}, {written_part(top)}{pair[1]}'
    return text(ends, high), text(others, second), ends == others and high == second


for _ in range(int(sys.argv[1])):
    one, two, same = draw.choice([single, single, single, several, interval])()
    print(json.dumps([one, two, int(same)]))
