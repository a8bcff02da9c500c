"""Writes math_notations.json: 587 pairs of a right answer and an answer of a policy in the notations of MATH and GSM8K, right and
wrong forms, and 90 right answers as MATH writes them.

    pip install sympy==1.14.0 math-verify==0.9.0 && pip install --no-deps trl==1.16.0
    PYTHONHASHSEED=0 python test/golden/make_math_notations.py > test/golden/math_notations.json
    node tools/check_math_answers.mjs test/golden/math_notations.json

Both texts of a pair are written by templates from values; the label is whether sympy finds these values equal, and the
verdicts of math-verify and of TRL's accuracy_reward are beside it. No label is written by hand. A unit may be left out on one side; two units must agree. The digits of a base are
compared with those without one.
"""
import json
import random
import re
from importlib.metadata import version

import sympy
from math_verify import parse, verify
from sympy import Rational, sqrt
from trl.rewards.accuracy_rewards import accuracy_reward

draw = random.Random(52)
x, y, n = sympy.symbols('x y n')


def whole(low=2, high=99):
    return sympy.Integer(draw.randint(low, high))


def fraction():
    while True:
        value = Rational(draw.randint(1, 30), draw.randint(2, 12))
        if value.q > 1:
            return value


def digit_fraction():
    while True:
        over, under = draw.randint(1, 9), draw.randint(2, 9)
        if sympy.gcd(over, under) == 1:
            return Rational(over, under)


def signed(text, value):
    return f'-{text(-value)}' if value < 0 else text(value)


frac = lambda v: signed(lambda w: f'\\frac{{{w.p}}}{{{w.q}}}' if w.q > 1 else str(w), v)
dfrac = lambda v: frac(v).replace('\\frac', '\\dfrac')
tfrac = lambda v: frac(v).replace('\\frac', '\\tfrac')
plain = str
power = lambda v: str(v).replace('**', '^')
latex = sympy.latex


def short_frac(v):
    return signed(lambda w: f'\\frac{w.p}{w.q}' if w.p < 10 and 1 < w.q < 10 else frac(w), v)


def half_short(v):
    return signed(lambda w: f'\\frac{w.p if w.p < 10 else "{%d}" % w.p}{{{w.q}}}' if w.q > 1 else str(w), v)


def mixed(v):
    return signed(lambda w: f'{w.p // w.q}\\frac{{{w.p % w.q}}}{{{w.q}}}' if w.p > w.q > 1 else frac(w), v)


def mixed_short(v):
    return mixed(v) if v.q > 9 or v.p % v.q > 9 else signed(lambda w: f'{w.p // w.q}\\frac{w.p % w.q}{w.q}' if w.p > w.q > 1 else frac(w), v)


def mixed_plain(v):
    return signed(lambda w: f'{w.p // w.q} {w.p % w.q}/{w.q}' if w.p > w.q > 1 else plain(w), v)


def product_of_mixed(v):
    """The value of 2·(1/3), as a reader of 2\\frac{1}{3} without a rule for mixed numbers has it."""
    return (v.p // v.q) * Rational(v.p % v.q, v.q)


def grouped(sep):
    return lambda v: f'{int(v):,}'.replace(',', sep)


def boxes(text):
    return draw.choice([
        lambda t: f'\\boxed{{{t}}}', lambda t: f'\\boxed {{{t}}}', lambda t: f'\\fbox{{{t}}}', lambda t: f'${t}$', lambda t: f'$${t}$$',
        lambda t: f'\\({t}\\)', lambda t: f'\\[{t}\\]', lambda t: f'$\\boxed{{{t}}}$', lambda t: f'{t}.', lambda t: f' {t} ',
    ])(text)


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(same(p, q) for p, q in zip(a, b))
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if isinstance(a, frozenset):
        return a == b
    if isinstance(a, sympy.Interval) or isinstance(a, sympy.Union):
        return a == b
    if isinstance(a, sympy.MatrixBase):
        return a.shape == b.shape and sympy.simplify(a - b) == sympy.zeros(*a.shape)
    return sympy.simplify(a - b) == 0


pairs, seen = [], set()


def add(kind, gold, answer, is_same):
    if (gold, answer) in seen or gold == answer:
        return
    seen.add((gold, answer))
    pairs.append({'kind': kind, 'gold': gold, 'answer': answer, 'same': int(is_same)})


def forms(kind, count, value, other, golds, answers):
    """Of `count` pairs every third is of another value."""
    start = len(pairs)
    while len(pairs) - start < count:
        a = value()
        b = other(a) if len(pairs) % 3 == 2 else a
        if isinstance(b, int):
            b = sympy.Integer(b)
        add(kind, draw.choice(golds)(a), draw.choice(answers)(b), same(a, b))


near = lambda v: v + draw.choice([1, -1, Rational(1, 2)])
near_whole = lambda v: v + draw.choice([1, -1, 10])

forms('fractions', 45, digit_fraction, lambda v: draw.choice([1 / v, v + 1, -v]) if v != 1 / v else v + 1,
      [frac, short_frac, dfrac, half_short], [frac, short_frac, dfrac, tfrac, half_short, plain])
mixed_value = lambda: draw.randint(2, 9) + draw.choice([Rational(p, q) for q in range(2, 9) for p in range(1, q) if sympy.gcd(p, q) == 1])
forms('mixed numbers', 45, mixed_value, lambda v: draw.choice([product_of_mixed(v), near(v), v.p // v.q]), [mixed, mixed_short, frac],
      [mixed, mixed_short, mixed_plain, frac, plain, dfrac])
forms('decimals', 24, lambda: Rational(draw.randint(1, 999), draw.choice([2, 4, 5, 8, 10, 20, 100])),
      lambda v: v + draw.choice([Rational(1, 100), Rational(1, 10 ** 7), -1]), [frac, lambda v: f'{float(v)}'], [plain, lambda v: f'{v.p / v.q:.9f}'.rstrip('0').rstrip('.'), dfrac])
forms('thousands', 30, lambda: sympy.Integer(draw.randint(10 ** 4, 10 ** 9)), near_whole, [plain, grouped(',')],
      [plain, grouped(','), grouped('{,}'), grouped('\\,'), grouped(',\\!')])
forms('long numbers', 24, lambda: sympy.Integer(draw.randint(10 ** 19, 10 ** 30)), near_whole, [plain], [grouped(','), boxes, lambda v: f'{v}.0', lambda v: f'x = {v}', grouped('{,}')])
forms('enclosures', 36, lambda: draw.choice([whole, fraction])(), near, [plain, frac], [lambda v: boxes(frac(v)), lambda v: boxes(plain(v)), lambda v: f'\\text{{{v}}}', lambda v: f'\\mathrm{{{v}}}', lambda v: f'\\left({frac(v)}\\right)'])

CURRENCY = [lambda v: f'\\${v}', lambda v: f'${v}', lambda v: f'{v} dollars', lambda v: f'{v}\\text{{ dollars}}', lambda v: f'\\${v}.00', lambda v: f'$\\${v}$']
forms('money', 30, whole, near_whole, [plain, CURRENCY[0], CURRENCY[2]], CURRENCY + [lambda v: f'#### {v}', lambda v: f'#### ${v}'])
UNITS = {'cm': ['\\text{ cm}', ' cm', '\\mathrm{cm}', '\\,\\text{cm}'], 'm': ['\\text{ m}', '\\text{ meters}', ' meters'], 'kg': [' kg', '\\text{ kg}', '\\text{ kilograms}'],
         'cm^2': ['\\text{ cm}^2', '\\text{ square centimeters}', ' square cm'], 'hour': [' hours', '\\text{ hours}'], 'mile': ['\\text{ miles}', ' miles'],
         'degree': ['^\\circ', '^{\\circ}', ' degrees', '\u00b0', '\\text{ degrees}']}


def unit_pair(is_same):
    unit = draw.choice(list(UNITS))
    value = draw.choice([whole, fraction])()
    other_unit, other = unit, value
    if not is_same:
        if draw.random() < 0.5:
            other = near(value)
        else:
            other_unit = draw.choice([u for u in UNITS if u != unit])
    text = lambda v, u: frac(v) + draw.choice(UNITS[u])
    gold = draw.choice([lambda: text(value, unit), lambda: text(value, unit), lambda: frac(value)])() if other_unit == unit else text(value, unit)
    answer = draw.choice([lambda: text(other, other_unit), lambda: frac(other)])() if other_unit == unit else text(other, other_unit)
    add('units', gold, answer, same(value, other) and unit == other_unit)


start = len(pairs)
while len(pairs) - start < 45:
    unit_pair(len(pairs) % 3 != 2)

forms('percentages', 15, lambda: whole(1, 99), lambda v: v + 1, [lambda v: f'{v}\\%', lambda v: f'{v}%'],
      [lambda v: f'{v}\\%', lambda v: f'{v}%', lambda v: f'${v}\\%$', lambda v: f'{v} percent', lambda v: frac(Rational(v, 100)), lambda v: f'{int(v) / 100}'])
forms('scientific', 15, lambda: whole(11, 99) * sympy.Integer(10) ** draw.randint(3, 9), lambda v: draw.choice([v * 10, v + 10]),
      [plain],
      [lambda v: f'{str(v)[0]}.{str(v)[1:].rstrip("0") or "0"} \\times 10^{{{len(str(v)) - 1}}}', lambda v: f'{str(v)[0]}.{str(v)[1:].rstrip("0") or "0"}e{len(str(v)) - 1}',
       lambda v: f'{str(v)[0]}.{str(v)[1:].rstrip("0") or "0"} \\cdot 10^{len(str(v)) - 1}' if len(str(v)) < 11 else plain(v)])

squarefree = [2, 3, 5, 6, 7, 10, 11, 13, 14, 15]


def root_value():
    return draw.randint(2, 9) * sqrt(draw.choice(squarefree)) / draw.choice([1, 1, 2, 3])


def short_root(v):
    return re.sub(r'\\sqrt\{(\d)\}', r'\\sqrt\1', latex(v))


def under_root(v):
    square = sympy.nsimplify(v ** 2)
    return f'\\sqrt{{{latex(square)}}}'


forms('roots', 36, root_value, lambda v: draw.choice([v + 1, v * 2, v / sqrt(3), sympy.nsimplify(sympy.N(v, 8), rational=True)]), [latex, short_root],
      [latex, short_root, under_root, power, lambda v: f'x = {latex(v)}'])
forms('cube roots', 15, lambda: draw.randint(2, 5) * sympy.cbrt(draw.choice([2, 3, 5, 7, 9])), lambda v: v + 1, [latex],
      [lambda v: f'\\sqrt[3]{{{sympy.nsimplify(v ** 3)}}}', lambda v: f'{sympy.nsimplify(v ** 3)}^{{1/3}}', lambda v: f'{sympy.nsimplify(v ** 3)}^{{\\frac{{1}}{{3}}}}'])
complexes = lambda: whole(1, 9) * draw.choice([1, -1]) + sympy.I * whole(2, 9) * draw.choice([1, -1])
forms('complex', 12, complexes, sympy.conjugate, [latex], [lambda v: power(v).replace('I', 'i').replace('*', ''), lambda v: f'z = {latex(v)}', lambda v: f'{sympy.im(v)}i + {sympy.re(v)}'.replace('+ -', '- ')])
forms('pi and e', 15, lambda: draw.choice([sympy.pi, sympy.E]) * fraction(), lambda v: v * draw.choice([2, Rational(1, 3), Rational(22, 21)]), [latex],
      [latex, lambda v: latex(v).replace('\\pi', '\u03c0'), lambda v: f'{frac(v / sympy.pi)}\\pi' if v.has(sympy.pi) else f'{frac(v / sympy.E)}e', lambda v: power(v).replace('E', 'e')])

polynomial = lambda: sum(draw.randint(-9, 9) * x ** k for k in range(3)) + x ** draw.randint(1, 3)
forms('expressions', 30, polynomial, lambda v: v + draw.choice([1, x, -2 * x]), [lambda v: latex(sympy.expand(v)), lambda v: latex(sympy.factor(v))],
      [lambda v: latex(sympy.factor(v)), lambda v: power(sympy.expand(v)), lambda v: f'y = {latex(v)}', lambda v: f'f(x) = {latex(sympy.expand(v))}'])
forms('powers', 12, lambda: 2 ** (n * draw.randint(1, 3) + draw.randint(1, 5)), lambda v: v * 2, [lambda v: latex(v)], [lambda v: latex(sympy.expand(v)), lambda v: latex(sympy.powsimp(v)).replace('2^{', '2^{ '), lambda v: power(v)])
functions = [(sympy.log(8), '3\\ln 2'), (sympy.log(12), '2\\ln 2+\\ln 3'), (sympy.log(25), '2\\ln(5)'), (sympy.log(9), '\\ln 9'), (sympy.sin(x), '\\sin x'), (sympy.cos(x), '\\cos(x)'), (sympy.sin(sympy.pi / 6), '\\sin\\frac{\\pi}{6}'),
             (sympy.cos(sympy.pi / 4), '\\cos 45^\\circ'), (sympy.tan(sympy.pi / 3), '\\tan\\left(\\frac{\\pi}{3}\\right)'), (sympy.log(8, 2), '\\log_2 8'), (sympy.log(81, 3), '\\log_{3}{81}'), (sympy.exp(2 * x), 'e^{2x}'), (sympy.asin(Rational(1, 2)), '\\arcsin\\frac12'),
             (sympy.tan(x), '\\frac{\\sin x}{\\cos x}'), (sympy.sin(x) ** 2, '\\sin^2 x'), (abs(x - 1), '|1-x|'), (sympy.floor(Rational(7, 2)), '\\lfloor 3.5 \\rfloor'), (sympy.log(1000, 10), '\\log 1000')]
ln = lambda v: latex(v, ln_notation=True)
for value, text in functions:
    add('functions', ln(value), text, True)
    if draw.random() < 0.5:
        other = draw.choice([value + 1, 2 * value, -value])
        add('functions', ln(other), text, same(value, other))
forms('factorials', 12, lambda: whole(3, 12), lambda v: v + 1, [lambda v: plain(sympy.factorial(v))], [lambda v: f'{v}!', lambda v: f'{v} \\cdot {v - 1}!', lambda v: f'{v}\\times{sympy.factorial(v - 1)}'])
choose = lambda: (whole(4, 12), whole(2, 4))
forms('binomials', 12, choose, lambda v: (v[0] + 1, v[1]), [lambda v: plain(sympy.binomial(*v))], [lambda v: f'\\binom{{{v[0]}}}{{{v[1]}}}', lambda v: f'\\dbinom{{{v[0]}}}{{{v[1]}}}', lambda v: f'\\frac{{{v[0]}!}}{{{v[1]}!{v[0] - v[1]}!}}'])
to_base = lambda v: (''.join(str(d) for d in sympy.ntheory.digits(v[0], v[1])[1:]), str(v[1]))
forms('bases', 18, lambda: to_base((int(whole(9, 200)), draw.randint(2, 9))), lambda v: draw.choice([(v[0], str(int(v[1]) % 8 + 2)), ('1' + v[0], v[1])]),
      [lambda v: f'{v[0]}_{v[1]}', lambda v: f'{v[0]}_{{{v[1]}}}'], [lambda v: f'{v[0]}_{v[1]}', lambda v: f'{v[0]}_{{{v[1]}}}', lambda v: f'{v[0]}_{{\\text{{{v[1]}}}}}'])

several = lambda: [draw.choice([whole, fraction])() for _ in range(draw.randint(2, 3))]
other_last = lambda v: v[:-1] + type(v)([v[-1] + draw.choice([1, -1])])
joined = lambda write, start, end: lambda v: start + ', '.join(write(e) for e in v) + end
forms('tuples', 21, lambda: tuple(several()), lambda v: draw.choice([other_last(v), v[::-1]]), [joined(frac, '(', ')')], [joined(frac, '\\left(', '\\right)'), joined(plain, '(', ')'), joined(short_frac, '(', ')'), joined(dfrac, '( ', ' )')])
changed = lambda v: frozenset(list(v)[1:] + [list(v)[0] + 1])
in_some_order = lambda v: draw.sample(sorted(v), len(v))
sets = lambda: frozenset(several() + [whole(100, 120)])
forms('sets', 18, sets, changed, [lambda v: joined(frac, '\\{', '\\}')(in_some_order(v)), lambda v: joined(frac, '\\left\\{', '\\right\\}')(in_some_order(v))],
      [lambda v: joined(plain, '\\{', '\\}')(in_some_order(v)), lambda v: joined(short_frac, '\\{', '\\}')(in_some_order(v))])
forms('several values', 21, sets, changed, [lambda v: joined(frac, '', '')(in_some_order(v))],
      [lambda v: joined(plain, '', '')(in_some_order(v)), lambda v: ' or '.join(frac(e) for e in in_some_order(v)), lambda v: ' \\text{ and } '.join(frac(e) for e in in_some_order(v)),
       lambda v: ', '.join(f'x = {frac(e)}' for e in in_some_order(v)), lambda v: joined(frac, '\\{', '\\}')(in_some_order(v)), lambda v: ' \\text{ or } '.join(f'x={frac(e)}' for e in in_some_order(v))])


def two_values():
    a, b = whole(1, 9), draw.randint(1, 5) * sqrt(draw.choice(squarefree))
    return frozenset([a + b, a - b])


def plus_minus(v):
    high, low = sorted(v, key=lambda e: -e.evalf())
    return f'{latex(sympy.simplify((high + low) / 2))} \\pm {latex(sympy.simplify((high - low) / 2))}'


forms('plus or minus', 15, two_values, lambda v: frozenset(e + 1 for e in v), [plus_minus], [lambda v: ', '.join(latex(e) for e in in_some_order(v)), lambda v: f'x = {plus_minus(v)}', lambda v: '\\{' + ', '.join(latex(e) for e in v) + '\\}'])


def interval():
    low = draw.choice([fraction(), whole(), -sympy.oo])
    high = draw.choice([low + whole(), sympy.oo]) if low != -sympy.oo else draw.choice([whole(), fraction()])
    return sympy.Interval(low, high, draw.random() < 0.5, draw.random() < 0.5)


end = lambda v: '\\infty' if v == sympy.oo else '-\\infty' if v == -sympy.oo else frac(v)


def brackets(v):
    return f'{"(" if v.left_open else "["}{end(v.start)}, {end(v.end)}{")" if v.right_open else "]"}'


def inequality(v):
    low, high = (draw.choice(['<', '\\lt']) if v.left_open else draw.choice(['\\le', '\\leq', '\u2264'])), ('<' if v.right_open else draw.choice(['\\le', '\\leq']))
    if v.end == sympy.oo:
        above = draw.choice(['\\ge', '\\geq'])
        return f'x {">" if v.left_open else above} {end(v.start)}'
    if v.start == -sympy.oo:
        return f'x {high} {end(v.end)}'
    return f'{end(v.start)} {low} x {high} {end(v.end)}'


def other_interval(v):
    if draw.random() < 0.5 and v.start != -sympy.oo:
        return sympy.Interval(v.start, v.end, not v.left_open, v.right_open)
    return sympy.Interval(v.start, v.end + 1, v.left_open, v.right_open) if v.end != sympy.oo else sympy.Interval(v.start + 1, v.end, v.left_open, True)


forms('intervals', 30, interval, other_interval, [brackets], [brackets, inequality, lambda v: f'x \\in {brackets(v)}', lambda v: brackets(v).replace('(', '\\left(').replace('[', '\\left[').replace(')', '\\right)').replace(']', '\\right]').replace('\\infty', '\u221e'), lambda v: f'${brackets(v)}$'])
unions = lambda: (lambda a, b, c: sympy.Union(sympy.Interval(-sympy.oo, a, True, draw.random() < 0.5), sympy.Interval(a + b, a + b + c, draw.random() < 0.5, True)))(*[whole(), whole(), whole()])
forms('unions', 12, unions, lambda v: sympy.Union(v.args[0], sympy.Interval(v.args[1].start, v.args[1].end + 1, v.args[1].left_open, True)), [lambda v: ' \\cup '.join(brackets(e) for e in v.args)],
      [lambda v: ' \\cup '.join(brackets(e) for e in reversed(v.args)), lambda v: '\u222a'.join(brackets(e) for e in v.args), lambda v: 'x \\in ' + ' \\cup '.join(brackets(e) for e in v.args), lambda v: ' \\text{ or } '.join(inequality(e) for e in v.args)])
matrices = lambda: sympy.Matrix(2, draw.choice([1, 2]), lambda i, j: draw.choice([whole, fraction])() * draw.choice([1, -1]))
matrix = lambda kind, write: lambda v: f'\\begin{{{kind}}} ' + ' \\\\ '.join(' & '.join(write(v[i, j]) for j in range(v.cols)) for i in range(v.rows)) + f' \\end{{{kind}}}'
forms('matrices', 18, matrices, lambda v: v + sympy.Matrix(v.rows, v.cols, lambda i, j: int(i == 0 and j == 0)), [matrix('pmatrix', frac)], [matrix('bmatrix', frac), matrix('pmatrix', short_frac), matrix('pmatrix', plain), lambda v: matrix('array', frac)(v).replace('\\begin{array}', '\\left(\\begin{array}{' + 'c' * v.cols + '}') + '\\right)'])
WORDS = ['Friday', 'even', 'Evelyn', 'circle', 'no solution', 'east', 'parabola', 'isosceles triangle']
forms('words', 12, lambda: draw.choice(WORDS), lambda v: draw.choice([w for w in WORDS if w != v]), [lambda v: f'\\text{{{v}}}'], [plain, lambda v: f'\\textbf{{{v}}}', lambda v: f'\\text{{{v.capitalize()}}}', lambda v: f'\\mathrm{{{v}}}'])
forms('letters', 9, lambda: draw.choice('ABCDE'), lambda v: draw.choice([w for w in 'ABCDE' if w != v]), [lambda v: f'\\text{{({v})}}', lambda v: f'\\textbf{{({v})}}', plain], [plain, lambda v: f'({v})', lambda v: f'\\text{{({v})}}', lambda v: f'\\text{{{v}}}'])
forms('names', 15, whole, near_whole, [plain, lambda v: f'x={v}'], [lambda v: f'x = {v}', lambda v: f'$x={v}$', lambda v: f'x = {v}.0', lambda v: f'\\boxed{{x={v}}}'])

GOLDS = [lambda: frac(-fraction()), lambda: latex(root_value()), lambda: mixed(mixed_value()), lambda: f'{whole()}^\\circ', lambda: f'\\${whole()}.{draw.randint(10, 99)}', lambda: f'{whole()}\\%',
         lambda: brackets(interval()), lambda: ' \\cup '.join(brackets(e) for e in unions().args), lambda: matrix('pmatrix', frac)(matrices()), lambda: plus_minus(two_values()), lambda: latex(polynomial()),
         lambda: f'{whole()}\\text{{ square units}}', lambda: f'{whole()}\\text{{ cm}}^2', lambda: f'{"".join(draw.choice("01") for _ in range(5))}1_2', lambda: joined(frac, '\\left(', '\\right)')(several()), lambda: joined(frac, '', '')(several()),
         lambda: f'\\text{{{draw.choice(WORDS)}}}', lambda: f'\\text{{({draw.choice("ABCDE")})}}', lambda: f'{whole()}!', lambda: f'{grouped(",")(whole(10 ** 4, 10 ** 7))}'.replace(',', ',\\!'),
         lambda: f'2^{{{draw.randint(20, 2020)}}}', lambda: latex(complexes()), lambda: f'{whole()}\\pi', lambda: f'\\frac{{{draw.randint(2, 9)}\\pi}}{{{draw.randint(2, 9)}}}', lambda: f'\\log_2 {whole()}', lambda: f'{whole()} \\sqrt[3]{{{whole()}}}',
         lambda: f'{draw.randint(2, 9)}:{draw.randint(2, 9)}', lambda: f'y = {latex(draw.randint(2, 9) * x + draw.randint(1, 9))}', lambda: f'x^2 + y^2 = {whole()}', lambda: f'.{whole()}', lambda: f'{whole()}\\text{{ inches}}', lambda: f'0.\\overline{{{whole(10)}}}', lambda: f'{latex(sympy.sin(x) ** 2)} + 1', lambda: f'n^{{{draw.randint(2, 5)}}} \\cdot 2^n']
golds, at = [], 0
while len(golds) < 90:
    gold = GOLDS[at % len(GOLDS)]()
    at += 1
    if gold not in golds:
        golds.append(gold)


def boxed(text):
    return text if 'boxed' in text or 'fbox' in text or text.startswith('####') else f'\\boxed{{{text}}}'


def verdict(pair):
    try:
        return int(bool(verify(parse(boxed(pair['gold'])), parse(boxed(pair['answer'])))))
    except Exception:
        return 0


def reward_of_trl(pair):
    [reward] = accuracy_reward([[{'content': boxed(pair['answer'])}]], [boxed(pair['gold'])])
    return int(reward == 1)


def thinned(all_pairs, count):
    """As many of each kind in proportion."""
    draw.shuffle(all_pairs)
    return sorted(all_pairs[:count], key=lambda pair: pair['kind'])


chosen = thinned(pairs, 587)
for pair in chosen:
    pair['math_verify'] = verdict(pair)
    pair['accuracy_reward'] = reward_of_trl(pair)
versions = {name: version(name) for name in ('sympy', 'math-verify', 'trl')}
lines = ',\n'.join(json.dumps(pair, ensure_ascii=False) for pair in chosen)
print(f'{{"versions": {json.dumps(versions)},\n"golds": {json.dumps(golds, ensure_ascii=False)},\n"pairs": [\n{lines}\n]}}')
