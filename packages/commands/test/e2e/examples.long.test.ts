/** The examples run as they are written, against what was built. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { blockOf } from '../../../../test/support/page_blocks.ts';
import { commandLine, temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

it('examples/tfjs.mjs: a policy of two dense layers learns to sort, and leaves no tensors behind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/tfjs.mjs', '150'], { cwd: ROOT });
  const lines = [...stdout.matchAll(/^step (\d+): (\d+) % of the samples sorted, (\d+) tensors$/gm)];
  expect(lines.map(([, step]) => step)).toEqual(['50', '100', '150']);
  const [sorted, tensors] = [2, 3].map((place) => lines.map((line) => Number(line[place])));
  expect(sorted.at(-1)).toBeGreaterThan(20);
  expect(new Set(tensors).size).toBe(1);
}, 120_000);

/** Runs a copy of the example, with its source changed. A Node that cannot strip types runs it through jiti. @returns what it prints */
async function grpoInOneFile(steps: number, change: (source: string) => string = (source) => source): Promise<string> {
  const folder = temporaryFolder();
  try {
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(ROOT, join(folder.path, 'node_modules/rlvr-train'));
    const file = join(folder.path, 'example.mts');
    writeFileSync(file, change(readFileSync(join(ROOT, 'examples/grpo_in_one_file.ts'), 'utf8')));
    const jiti = join(ROOT, 'node_modules/jiti/lib/jiti-cli.mjs');
    const args = [
      ...('typescript' in process.features && process.features.typescript ? [] : [jiti]),
      file,
      String(steps),
    ];
    return (await promisify(execFile)(process.execPath, args, { cwd: folder.path })).stdout;
  } finally {
    folder.remove();
  }
}

/** Greedy accuracy on held-out problems before and after training, in %. */
function accuracies(printed: string): readonly number[] {
  return [...printed.matchAll(/^(?:before|after): +([\d.]+) %/gm)].map(([, value]) => Number(value));
}

describe('examples/grpo_in_one_file.ts', () => {
  it('learns to sort, and the same seed prints the same run', async () => {
    const [printed, again] = [await grpoInOneFile(100), await grpoInOneFile(100)];
    const [before, after] = accuracies(printed);
    expect(before).toBeLessThan(1);
    expect(after).toBeGreaterThan(20);
    expect(again).toBe(printed);
  }, 120_000);

  it('a strong KL penalty holds the policy where it began', async () => {
    const strong = (source: string): string => source.replace('const BETA = 0;', 'const BETA = 5;');
    const [, after] = accuracies(await grpoInOneFile(100, strong));
    expect(after).toBeLessThan(1);
  }, 120_000);

  it('is short enough to be read first', () => {
    const source = readFileSync(join(ROOT, 'examples/grpo_in_one_file.ts'), 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(300);
  });
});

const LIBRARY = blockOf('README.md', 'import { closeEngine');

it('the example of the library in README.md learns, as it stands there, what it is asked at the end', async () => {
  const folder = temporaryFolder();
  try {
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(ROOT, join(folder.path, 'node_modules/rlvr-train'));
    writeFileSync(join(folder.path, 'example.mjs'), LIBRARY);
    const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder.path });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toBe('baseline 0 %');
    expect(lines.slice(-2)).toEqual(['final 80 %', '123 079']);
    expect(LIBRARY).toContain(`// ${lines.at(-1)}`);
  } finally {
    folder.remove();
  }
}, 180_000);

it('the reward and the method that the pages show plug into a run', async () => {
  const folder = temporaryFolder();
  try {
    for (const name of ['rewards', 'methods']) mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, 'rewards/brief.ts'), blockOf('docs/rewards.md', '// rewards/brief.ts'));
    writeFileSync(join(folder.path, 'methods/median.ts'), blockOf('docs/own_method.md', '// methods/median.ts'));
    const plugged = 'reward_funcs: [positions, ./rewards/brief.ts]\nadvantage_estimator: ./methods/median.ts\n';
    const size =
      'max_steps: 2\nnum_generations: 4\ngeneration_batch_size: 32\nnum_generations_eval: 1\neval_samples: 16\n';
    writeFileSync(join(folder.path, 'own.yaml'), `task: sort_digits\n${size}${plugged}`);
    const { code, stderr } = await commandLine(['--config', 'own.yaml', '--quiet'], undefined, { cwd: folder.path });
    expect(stderr).toContain('methods/median.ts');
    expect(code).toBe(0);
    const metrics = readFileSync(join(folder.path, 'runs/own/metrics.jsonl'), 'utf8');
    expect(metrics).toContain('"rewards/brief/mean"');
  } finally {
    folder.remove();
  }
}, 120_000);
