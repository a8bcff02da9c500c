/**
 * Mistakes at the real command: exit code 1, one message on standard error, no stack, and nothing lost. The table of all
 * of them is `packages/commands/test/bad_input.long.test.ts`.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDITION, BRIEF } from '../../../../test/cli/own_files.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { commandLine, type Outcome, PROGRAM, readMetrics, readSummary, temporaryFolder } from './command_line.ts';

const BASE = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2}
max_steps: 6
num_generations: 4
generation_batch_size: 16
num_generations_eval: 1
learning_rate: 1e-2
save_seconds: 3600
`;

const folder = temporaryFolder();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

const type = (words: string, env?: Readonly<Record<string, string>>): Promise<Outcome> =>
  commandLine(words.split(' '), undefined, { cwd: folder.path, env });

beforeAll(async () => {
  write('good.yaml', `${BASE}reward_funcs: [positions]\n`);
  const outcome = await type('--config good.yaml --output good --set save_total_limit=1');
  expect(outcome.stderr).toBe('');
}, 120_000);

afterAll(() => folder.remove());

describe('the command', () => {
  const mistakes: readonly (readonly [string, string | RegExp])[] = /* biome-ignore format: a table */ [
      ['--config none.yaml',
        'none.yaml  no such file; check the path, or copy a shipped config: `configs ls` lists them.'],
      ['--config good.yaml --set sed=3', '--set  sed: 3 — unknown key; the nearest is seed.'],
      ['--config good.yaml --set num_generations=1',
        '--set  num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).'],
      ['--config broken.yaml',
        'broken.yaml:2  not valid YAML — "max_steps:3" has no space after its colon; write "max_steps: 3".'],
      ['--config good.yaml --resum',
        "error: unknown option '--resum' — did you mean --resume? (rlvr-train --help lists the commands and flags)"],
      ['--config good.yaml --threads 0',
        "error: option '--threads <number>' argument '0' is invalid. use a whole number of 1 or more. (rlvr-train --help lists the commands and flags)"],
      ['--config good.yaml --set generation_batch_size=4000000',
        /^[\d.]+ GiB of memory needed, .*\n {2}Lower generation_batch_size to \d+ \(needs [\d.]+ GiB\).*\.$/],
      ['--config good.yaml --output good', /^good {2}holds a finished run of sort_digits, seed 42; .*\n.*\n.*\n.*$/],
      ['--config good.yaml --output broken.yaml',
        /^\/.*broken\.yaml cannot be written: the file \/.*broken\.yaml is where a directory is needed \(EEXIST\)\./],
      ['--config good.yaml --output none --resume',
        'none  holds no run to resume (no fingerprint.json); give the --output of one, or start one without --resume.'],
      ['--config own.yaml --set reward_funcs=[./none.ts]', /^--set {2}reward_funcs: \.\/none\.ts — no such file \(.*\);/],
    ];
  it.each(fewOf(mistakes, { quick: 3, all: 6 }))(
    'refuses %s',
    async (words, says) => {
      write('broken.yaml', 'task: countdown\nmax_steps:3\nseed: 1\n');
      write('own.yaml', BASE);
      const before = readdirSync(folder.path, { recursive: true }).length;
      const { code, stdout, stderr } = await type(words);
      if (typeof says === 'string') expect(stderr).toBe(`${says}\n`);
      else expect(stderr.trimEnd()).toMatch(says);
      expect(code).toBe(1);
      expect(stderr + stdout).not.toMatch(/\n\s+at /);
      expect(readdirSync(folder.path, { recursive: true })).toHaveLength(before);
    },
    60_000,
  );

  it('refuses a run whose only checkpoint is damaged, and leaves it as it is', async () => {
    cpSync(join(folder.path, 'good'), join(folder.path, 'damaged'), { recursive: true });
    write('damaged/checkpoints/grpo-6/weights.safetensors', 'short');
    const { code, stderr } = await type('--config good.yaml --output damaged --resume');
    expect(stderr).toContain('checkpoints/grpo-6: weights.safetensors has 5 bytes, its manifest says ');
    expect(code).toBe(1);
    expect(readSummary(join(folder.path, 'damaged'))).toEqual(readSummary(join(folder.path, 'good')));
  }, 60_000);
});

describe("a user's file", () => {
  it('plugs in as docs/rewards.md writes it, in training, sampling and evaluation', async () => {
    write('rewards/brief.ts', BRIEF);
    write('tasks/addition.ts', ADDITION);
    const stages = `
task: {name: ./tasks/addition.ts, max: 99}
stages:
  - {stage: sft, max_steps: 20, per_device_train_batch_size: 32, learning_rate: 1e-2, eval_strategy: "no"}
  - stage: grpo
    max_steps: 2
    # Twenty steps teach no addition: lengths alone make groups differ.
    reward_funcs: [{name: ./rewards/brief.ts, weight: 0.1}, {name: soft_overlong, max_tokens: 5, cache: 5}]
`;
    write('addition.yaml', BASE.replace(/^task:.*\n/, '').replace('max_steps: 6\n', '') + stages);
    const trained = await type('--config addition.yaml --output addition');
    expect(trained.stderr).toBe(
      'runs code from tasks/addition.ts, with your rights\n' + 'runs code from rewards/brief.ts, with your rights\n',
    );
    expect(trained.code).toBe(0);
    expect(readMetrics(join(folder.path, 'addition')).findLast((line) => 'reward' in line)).toMatchObject({
      step: 2,
      'rewards/brief/mean': expect.any(Number),
    });
    const sampled = await commandLine(['sample', '--run', 'addition', '3+4=', '3x4='], undefined, { cwd: folder.path });
    expect(sampled.stdout).toMatch(/ {2}3\+4= /);
    expect(sampled.stderr).toMatch(/"x" in "3x4=".* write texts in the task's own form, as "\d+\+\d+="/);
    write('tasks/addition.ts', `${ADDITION}// changed\n`);
    const refused = await type('eval --run addition --json --samples 1');
    expect(refused.stderr).toContain(
      'has changed since this run was trained, and would run with your rights; look at it',
    );
    expect(refused.code).toBe(1);
    const evaluated = await type('eval --run addition --json --samples 1 --trust tasks');
    expect(evaluated.stderr).toContain('../tasks/addition.ts has changed since this run was trained\n');
    expect(JSON.parse(evaluated.stdout)).toHaveProperty('eval_accuracy');
    const resumed = await type('--config addition.yaml --output addition --resume');
    expect(resumed.stderr).toMatch(
      /\n {2}\.\.\/tasks\/addition\.ts has changed \(SHA-256 [0-9a-f]{8} → [0-9a-f]{8}\)\n/,
    );
    expect(resumed.code).toBe(1);
  }, 120_000);

  it('that fails in the middle of a run loses nothing: the command that it prints goes on to the same weights', async () => {
    write(
      'rewards/frail.ts',
      `import { accuracyReward } from 'rlvr-train/rewards';
       import type { RewardBatch } from 'rlvr-train';
       export default {
         name: 'frail',
         score: ({ verdicts, trainerState }: RewardBatch) => {
           if (accuracyReward.name === 'accuracy' && process.env.SERVER === 'down' && trainerState.step === 3) throw new Error('no server');
           return verdicts.map(({ parts }) => parts?.positions ?? 0);
         },
       };`,
    );
    write('frail.yaml', `${BASE}reward_funcs: [./rewards/frail.ts]\n`);
    await type('--config frail.yaml --output whole');
    const failed = await type('--config frail.yaml --output cut', { SERVER: 'down' });
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe(
      'runs code from rewards/frail.ts, with your rights\n' +
        'reward "frail" (rewards/frail.ts) failed in step 4: Error: no server (line 6) — correct it, or give null where it does not apply.\n' +
        'Everything up to grpo-3 is saved. When the file is corrected, resume with:\n' +
        `  node ${PROGRAM} --resume --output cut --force\n`,
    );
    const resumed = await type('--config cut/config.yaml --output cut --resume');
    expect(resumed.code).toBe(0);
    const [whole, cut] = ['whole', 'cut'].map((name) => join(folder.path, name)) as [string, string];
    expect(readSummary(cut).weightsSha256).toBe(readSummary(whole).weightsSha256);
    expect(readMetrics(cut)).toEqual(readMetrics(whole));
  }, 120_000);

  it.each([
    ['a reward', `${BASE}reward_timeout: 0.5\nreward_funcs: [./hangs.mjs]\n`, 'reward "hangs" (hangs.mjs)'],
    [
      'a task',
      BASE.replace('{name: sort_digits, digits: 3}', './hangs.ts').concat('reward_timeout: 0.5\n'),
      'task "addition" (hangs.ts): verify',
    ],
  ])(
    'that hangs ends the run: %s',
    async (_kind, yaml, who) => {
      // Not in the trial before step 1, which leaves nothing to resume.
      write(
        'hangs.mjs',
        `export default { name: 'hangs', score({ verdicts, trainerState }) {
          while (trainerState.step === 1);
          return verdicts.map(({ parts }) => parts?.positions ?? 0);
        } };`,
      );
      write('hangs.ts', ADDITION.replace('if (finishReason', 'while (/[=+]/.test(answer));\n    if (finishReason'));
      write('hangs.yaml', yaml);
      const output = `hung-${yaml.length}`;
      const { code, stderr } = await type(`--config hangs.yaml --output ${output}`);
      expect(stderr).toContain(`${who} gave nothing within 0.5 s`);
      expect(stderr).toContain(`node ${PROGRAM} --resume --output ${output} --force`);
      expect(code).toBe(1);
      expect(readFileSync(join(folder.path, output, 'config.yaml'), 'utf8')).toContain('hangs');
    },
    60_000,
  );
});
