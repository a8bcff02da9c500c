/** `rewards check`: what is said of rewards that are wrong, and of such that teach nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { RewardBatch, RewardFunction } from '../../../src/rewards/reward_function.ts';
import { BRIEF } from '../../../test/cli/own_files.ts';
import { printed } from '../../../test/cli/printed.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { createTask } from '../../../test/support/tasks.ts';
import { checkRewardCommand } from '../../commands/own_files/check_reward.ts';
import { checkReward, type RewardCheck } from '../../commands/own_files/reward_check.ts';
import { tryReward } from '../check/made_up_answers.ts';

eachInOwnFolder();
afterEach(() => {
  process.exitCode = undefined;
});

const tasks = createTask({ name: 'chain_sum' });

const rewardOf = (score: (batch: RewardBatch) => unknown): RewardFunction => ({
  name: 'mine',
  score: score as RewardFunction['score'], // what a file gives is not typed
});
const check = (score: (batch: RewardBatch) => unknown): Promise<RewardCheck> => checkReward(rewardOf(score), tasks);
const each =
  (of: (batch: RewardBatch, i: number) => unknown) =>
  (batch: RewardBatch): unknown[] =>
    batch.completions.map((_, i) => of(batch, i));
const right = ({ verdicts }: RewardBatch, i: number): number => (verdicts[i].score === 1 ? 1 : 0);

describe('a reward is found wrong', () => {
  let calls = 0;
  it.each<[string, (batch: RewardBatch) => unknown, string]>([
    [
      'that gives too few values',
      ({ completions }) => completions.slice(1).map(() => 1),
      'gave 39 values for 40 completions before step 1 — give one value per completion',
    ],
    ['that gives one value alone', () => 1, 'gave 1 before step 1 — give a list of 40 values'],
    ['that gives NaN', each((_, i) => (i === 3 ? Number.NaN : i)), 'gave NaN for completion 4 of 40 before step 1 ("'],
    [
      'that gives Infinity',
      each((_, i) => (i === 3 ? Number.POSITIVE_INFINITY : i)),
      'gave Infinity for completion 4 of 40',
    ],
    ['that gives texts', each(() => '1'), 'gave "1" for completion 1 of 40 before step 1'],
    [
      'that throws on an empty answer',
      each(({ completions }, i) => completions[i][0].length),
      "failed before step 1: TypeError: Cannot read properties of undefined (reading 'length')",
    ],
    [
      'that writes into its batch',
      (batch) => (batch.completions as string[]).sort().map((_, i) => i),
      'failed before step 1: TypeError: Cannot assign to read only property',
    ],
    [
      'that gives something else when it is asked again',
      each(() => calls++),
      'gives 0 once and 40 when it is asked again, for "',
    ],
    [
      'that logs something else when it is asked again',
      each(({ logMetric }, i) => {
        logMetric?.('calls', calls++);
        return i;
      }),
      'logs something else when it is asked again — let it depend on its batch alone',
    ],
    [
      'that logs too few values',
      ({ logExtra }) => logExtra?.('tone', []),
      'failed before step 1: RangeError: logExtra("tone") is given 0 values for 40 completions; give one each',
    ],
    [
      'that cannot score a batch of one',
      ({ completions }) => completions.map((text) => text.length / (completions.length - 1)),
      'gave Infinity for completion 1 of 1',
    ],
    [
      'whose schedule does not hold to the end',
      each(({ trainerState }, i) => i / (trainerState.progress < 0.5 ? 1 : 0)),
      'gave NaN for completion 1 of 40',
    ],
  ])('%s', async (_, score, says) => {
    const { findings } = await check(score);
    expect(findings.join('\n')).toContain(says);
  });

  it('that does not go with the task', async () => {
    const refusing = { ...rewardOf(each(right)), refuses: () => 'its problems have no column grades; add it' };
    const { findings } = await checkReward(refusing, tasks);
    expect(findings).toEqual(['cannot be used on chain_sum: its problems have no column grades; add it.']);
  });
});

describe('a reward is warned of', () => {
  it.each<[string, (batch: RewardBatch) => unknown, string]>([
    [
      'that always pays the same',
      each(() => 0.5),
      'always pays 0.5, whatever the answer is: without a difference there is no gradient',
    ],
    ['that never applies', each(() => null), 'gives null for every answer: it never applies'],
    [
      'that pays all answers to a problem the same',
      each(({ groupOf }, i) => groupOf[i]),
      'pays all answers to a problem the same',
    ],
    [
      'that pays length alone',
      each(({ completionTokens }, i) => -completionTokens[i].length),
      'pays an empty answer more than a right one (',
    ],
    [
      'that pays for an answer to another problem',
      each(({ completions }, i) => (completions[i] === '' ? 0 : 1)),
      'pays a wrong answer as much as a right one (1 and 1 on average)',
    ],
  ])('%s', async (_, score, says) => {
    const { findings, warnings } = await check(score);
    expect(findings).toEqual([]);
    expect(warnings.join('\n')).toContain(says);
  });
});

it('a reward that keeps its contract is neither, and what it pays is told by the kind of the answer', async () => {
  const { findings, warnings, pays, examples, msPerCompletion } = await check(
    each((batch, i) => (batch.finishReasons[i] === 'length' ? null : right(batch, i))),
  );
  expect([findings, warnings]).toEqual([[], []]);
  expect(pays.map(({ kind, mean, nulls }) => [kind, mean, nulls])).toEqual([
    ['right', 1, 0],
    ['wrong', 0, 0],
    ['empty', 0, 0],
    ['random', 0, 0],
    ['cut', undefined, 8],
  ]);
  expect(examples[0]).toMatchObject({ kind: 'right', value: 1 });
  expect(msPerCompletion).toBeGreaterThan(0);
});

it('before step 1 a reward is asked once, about one problem', async () => {
  const asked: number[] = [];
  const flaws = await tryReward(
    rewardOf(({ completions }) => {
      asked.push(completions.length);
      return [1];
    }),
    tasks,
  );
  expect(asked).toEqual([5]);
  expect(flaws).toEqual([
    'reward "mine" gave 1 values for 5 completions before step 1 — give one value per completion, in their order.',
  ]);
});

it('the command prints what a file pays, and ends with 1 where it is wrong', async () => {
  mkdirSync('rewards');
  writeFileSync('rewards/brief.ts', BRIEF);
  const text = await printed(() => checkRewardCommand('./rewards/brief.ts', { task: 'chain_sum' }));
  expect(text).toMatch(/^pays on chain_sum .*\n {2}right +0\.\d+ /);
  expect(text).toMatch(/brief keeps what a reward keeps; [\d.]+ µs per completion in a batch of 40\n$/);
  expect(process.exitCode).toBeUndefined();
  const logging = BRIEF.replace(
    'score: ({ completionTokens',
    'score: ({ logExtra, logMetric, completions, completionTokens',
  );
  const calls = "{ logExtra?.('text', completions); logMetric?.('most', 1); return completionTokens";
  writeFileSync('rewards/logs.ts', logging.replace(/=>\s+completionTokens/, `=> ${calls}`).replace('),\n};', ') }};'));
  expect(await printed(() => checkRewardCommand('./rewards/logs.ts', { task: 'chain_sum' }))).toContain(
    '\nlogs  completions.jsonl: "text"; metrics.jsonl: "most"\n',
  );
  writeFileSync('rewards/drawn.mjs', 'export default { score: ({ completions }) => completions.map(Math.random) };');
  expect(await printed(() => checkRewardCommand('{name: ./rewards/drawn.mjs}', { task: 'gcd', json: true }))).toMatch(
    /"findings":\["gives [\d.]+ once and [\d.]+ when it is asked again/,
  );
  expect(process.exitCode).toBe(1);
});
