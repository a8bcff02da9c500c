"""Pairs of expressions, labelled by sympy 1.14: python3 math_pairs.py > math_pairs.json"""
import json, random
import sympy as s
rng = random.Random(7)
x, y = s.symbols("x y")
def leaf():
    return rng.choice([s.Integer(rng.randint(1, 9)), x, y, s.sqrt(rng.choice([2, 3, 8, 12, s.Rational(1, 2)])), s.Rational(rng.randint(1, 9), rng.randint(2, 9))])
def text(e):
    return str(e).replace("**", "^")
def grow(d):
    if d == 0:
        v = leaf(); return v, "(" + text(v) + ")"
    (a, ta), (b, tb) = grow(d - 1), grow(rng.randint(0, d - 1))
    op = rng.choice("++--**/")
    if op == "/" and s.simplify(b) == 0: op = "+"
    return ({"+": a + b, "-": a - b, "*": a * b, "/": a / b}[op], f"({ta} {op} {tb})")
out = []
while len(out) < 700:
    a, ta = grow(rng.randint(1, 2))
    kind = rng.randint(0, 3)
    if kind == 0: b = s.expand(a)
    elif kind == 1: b = s.factor(a)
    elif kind == 2: b = s.together(a)
    else: b = a + rng.choice([1, x, s.sqrt(2), s.Rational(1, 7)]) * rng.choice([1, -1, 0])
    tb = text(b)
    # roots of letters and fractional powers are not of the grammar
    import re
    if re.search(r"sqrt\([^)]*[xy]|\^\(-?\d+/", tb + ta) or len(ta) > 110 or len(tb) > 110: continue
    same = s.simplify(s.radsimp(a - b)) == 0
    out.append([ta, tb, int(bool(same))])
print("[" + ",\n".join(json.dumps(p) for p in out) + "]")
