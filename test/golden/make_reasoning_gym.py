"""Fixtures for test/data/reasoning_gym.test.ts: problems and answers of reasoning-gym, in the identities of our tasks.

    python make_reasoning_gym.py

50 problems each. An answer is changed in notation only, where the two differ (`True` to `yes`, spaces between cells).
Answers are checked with sympy, networkx, or by computing them anew where that is short, so that a difference shows whose
mistake it is.
"""

import json
import math
import re
from importlib.metadata import version
from pathlib import Path

import networkx
import reasoning_gym
import sympy

OUT = Path(__file__).parent / "reasoning_gym"
COUNT = 50
SEED = 42


def yes(answer):
    return {"True": "yes", "False": "no"}[answer]


def rows(matrix):
    return ["".join(str(cell) for cell in row) for row in matrix]


def unary(expression):
    """Whether a sign stands where our grammar has a number or a bracket."""
    return re.search(r"(^|[(*/+-]) *-", expression) is not None


def spaced_out(text):
    return text.replace(" ", "")


# Our task: (theirs, its config, metadata -> identity or None where ours asks no such problem, answer -> ours)
TASKS = {
    "gcd": ("gcd", {}, lambda m: {"numbers": m["numbers"]}, str),
    "lcm": ("lcm", {}, lambda m: {"numbers": m["numbers"]}, str),
    "chain_sum": ("chain_sum", {}, lambda m: {"text": spaced_out(m["expression"])}, str),
    "basic_arithmetic": (
        "basic_arithmetic",
        {"allow_negation": False},
        lambda m: None if unary(m["expression"]) else {"text": spaced_out(m["expression"])},
        str,
    ),
    "products": (
        "products",
        {"min_terms": 2, "max_terms": 2},
        lambda m: dict(zip("ab", map(int, m["expression"].split(" * ")))),
        str,
    ),
    "count_bits": ("count_bits", {}, lambda m: {"number": m["number"]}, str),
    "base_conversion": (
        "base_conversion",
        {"max_base": 16},
        lambda m: {"value": m["decimal_value"], "from": m["source_base"], "to": m["target_base"]},
        str,
    ),
    "number_sorting": (
        "number_sorting",
        {"min_decimals": 0, "max_decimals": 0},
        lambda m: {
            "direction": "up" if m["direction"] == "ascending" else "down",
            "numbers": [int(float(n)) for n in m["original_numbers"]],
        },
        lambda a: a.replace("'", '"'),
    ),
    "word_sorting": (
        "word_sorting",
        {},
        lambda m: {"direction": "up" if m["direction"] == "ascending" else "down", "words": m["transformed_words"]},
        str,
    ),
    "word_sequence_reversal": ("word_sequence_reversal", {}, lambda m: {"words": m["words"]}, str),
    "prime_factorization": (
        "prime_factorization",
        {},
        lambda m: {"number": m["number"]},
        lambda a: a.replace(" × ", " "),
    ),
    "fraction_simplification": (
        "fraction_simplification",
        {"styles": ["plain", "latex_frac", "latex_dfrac"]},
        lambda m: {"top": m["numerator"], "bottom": m["denominator"]},
        str,
    ),
    "letter_counting": (
        "letter_counting",
        {},
        lambda m: {"letter": m["target_letter"], "word": "".join(m["span"]).lower()},
        str,
    ),
    "spiral_matrix": ("spiral_matrix", {"max_n": 6}, lambda m: {"rows": rows(m["matrix"])}, spaced_out),
    "rotate_matrix": (
        "rotate_matrix",
        {"max_n": 6},
        lambda m: {"turns": m["num_rotations"], "rows": rows(m["matrix"])},
        str,
    ),
    "binary_matrix": ("binary_matrix", {"max_n": 6}, lambda m: {"rows": rows(m["matrix"])}, str),
    "rotten_oranges": (
        "rotten_oranges",
        {"min_n": 3, "max_n": 6},
        lambda m: {"rows": rows(m["matrix"])},
        lambda a: "none" if a == "-1" else a,
    ),
    "largest_island": (
        "largest_island",
        {"min_rows": 5, "max_rows": 6, "min_cols": 5, "max_cols": 6},
        lambda m: {"rows": rows(m["grid"])},
        str,
    ),
    "isomorphic_strings": (
        "isomorphic_strings",
        {},
        lambda m: {"one": m["words"][0], "other": m["words"][1]},
        yes,
    ),
    "ransom_note": ("ransom_note", {}, lambda m: {"note": m["ransom_note"], "text": m["magazine"]}, yes),
    "palindrome_generation": ("palindrome_generation", {}, lambda m: {"letters": "".join(m["letters"])}, str),
    "binary_alternation": (
        "binary_alternation",
        {},
        lambda m: {"bits": m["string"]},
        lambda a: "none" if a == "-1" else a,
    ),
    "puzzle24": ("puzzle24", {}, lambda m: {"numbers": m["numbers"]}, str),
    "countdown": (
        "countdown",
        {"min_numbers": 3, "max_numbers": 4},
        lambda m: {"numbers": m["numbers"], "target": m["target"]},
        str,
    ),
    "mini_sudoku": (
        "mini_sudoku",
        {},
        lambda m: {"rows": [row.replace("0", "_") for row in rows(m["puzzle"])]},
        str,
    ),
    "count_primes": ("count_primes", {}, lambda m: {"from": m["start"], "to": m["end"]}, str),
    "kakurasu": (
        "kakurasu",
        {},
        lambda m: {"rows": m["row_sums"], "columns": m["col_sums"], "solution": rows(m["solution"])}
        if m["n_rows"] == m["n_cols"]
        else None,
        str,
    ),
    "number_format": (
        "number_format",
        {"max_delta": 1000},
        lambda m: {
            "asked": "max" if m["size"] == "largest" else "min",
            "numbers": [plain(n) for n in m["formatted_candidates"]],
        },
        str,
    ),
}


def plain(text):
    """A number of any of reasoning-gym's formats in decimals, exactly."""
    return format(sympy.Rational(text.replace(",", "")).p / sympy.Rational(text.replace(",", "")).q, "f")


def island(matrix):
    graph = networkx.grid_2d_graph(len(matrix), len(matrix[0]))
    land = [place for place in graph if matrix[place[0]][place[1]] == "1"]
    return max((len(part) for part in networkx.connected_components(graph.subgraph(land))), default=0)


# Computed anew: (identity, answer in our notation) -> whether it is right.
CHECKS = {
    "gcd": lambda i, a: math.gcd(*i["numbers"]) == int(a),
    "lcm": lambda i, a: math.lcm(*i["numbers"]) == int(a),
    "chain_sum": lambda i, a: sympy.sympify(i["text"]) == sympy.sympify(a),
    "basic_arithmetic": lambda i, a: sympy.sympify(i["text"]) == sympy.sympify(a),
    "prime_factorization": lambda i, a: sympy.factorint(i["number"])
    == {int(p): a.split().count(p) for p in set(a.split())},
    "count_primes": lambda i, a: len(list(sympy.primerange(i["from"], i["to"] + 1))) == int(a),
    "largest_island": lambda i, a: island(i["rows"]) == int(a),
    "letter_counting": lambda i, a: i["word"].count(i["letter"]) == int(a),
    # Its answers went through a float: 520021372.17 became 520021372.16999996.
    "number_format": lambda i, a: {"max": max, "min": min}[i["asked"]](map(sympy.Rational, i["numbers"])) == sympy.Rational(a),
}


def main():
    OUT.mkdir(exist_ok=True)
    versions = {name: version(name) for name in ("reasoning-gym", "sympy", "networkx")}
    for task, (theirs, config, identity_of, answer_of) in TASKS.items():
        data = reasoning_gym.create_dataset(theirs, size=40 * COUNT, seed=SEED, **config)
        problems = []
        for entry in data:
            identity = identity_of(entry["metadata"])
            if identity is None:
                continue
            if len(problems) == COUNT:
                break
            answer = answer_of(entry["answer"])
            check = CHECKS.get(task)
            is_right = check is None or check(identity, answer)
            problems.append({"identity": identity, "answer": answer, **({} if is_right else {"wrong": True})})
        text = json.dumps({"versions": versions, "task": task, "problems": problems}, default=int, separators=(",", ":"))
        (OUT / f"{task}.json").write_text(text + "\n")
        wrong = sum("wrong" in problem for problem in problems)
        print(f"{task}: {len(text):,} bytes, {wrong} wrong")


if __name__ == "__main__":
    main()
