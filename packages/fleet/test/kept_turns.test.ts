/** What a worker keeps of episodes between their turns changes what a turn costs, and no bit of it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { localGenerator, type SampleRequest } from '../../../src/grpo/generator.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import type { Policy } from '../../../src/model/policy.ts';
import type { GenerationSettings } from '../../../src/model/sampling/generation.ts';
import { openPolicy } from '../../../test/support/policies.ts';
import { plainWasm } from '../../../test/support/small_runs.ts';
import { KeptTurns } from '../episodes/kept_turns.ts';
import type { FleetTask, SampledCompletion } from '../protocol.ts';

const SETTINGS: GenerationSettings = {
  sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
  samplingKey: [7, 8],
  maxCompletionTokens: 24,
  stopIds: [1, 2, 3, 4, 5],
  turnTokens: 5,
};
const WEIGHTS = { version: 1, sha256: 'a'.repeat(64), bytes: 4 };

let policy: Policy;
let turns: KeptTurns;
/** Rows that sampling has put into the cache. */
let rows = 0;
beforeAll(async () => {
  // Room for eight episodes: with more than that some are always given up.
  policy = await openPolicy(await plainWasm(), {}, { rows: 64, kvRows: 200, completions: 16, context: 40 });
  const { engine, slots } = policy;
  const { write } = engine;
  engine.write = (slot, values, at) => {
    if (slot === slots.inputs.kvRows) rows += (values as Int32Array).length;
    return write.call(engine, slot, values, at);
  };
});
beforeEach(() => {
  turns = new KeptTurns(policy);
  rows = 0;
});
afterAll(() => policy.close());

const task = (requests: readonly SampleRequest[], more: Partial<FleetTask> = {}): Omit<FleetTask, 'id'> => ({
  requests,
  settings: SETTINGS,
  weights: WEIGHTS,
  ...more,
});

/** What a generator that keeps nothing samples. */
async function afresh(requests: readonly SampleRequest[], settings = SETTINGS): Promise<SampledCompletion[][]> {
  const { completions } = await localGenerator(policy, () => 1).sample(requests, settings);
  return completions.map((own) => own.map(({ labels: _, ...completion }) => completion));
}

const PROMPT = Int32Array.of(9, 10, 11);
const first = (rollouts: readonly number[], prompt = PROMPT): SampleRequest => ({
  prompt,
  rollouts: rollouts.map((rollout) => ({ rollout, turn: 0 })),
});
/** The next turn of each, after two tokens of an answer. */
const next = ({ prompt, rollouts }: SampleRequest, sampled: readonly SampledCompletion[]): SampleRequest => ({
  prompt,
  rollouts: rollouts.map((own, i) => ({ ...own, tokens: Int32Array.of(...sampled[i].tokens, 20 + i, 30) })),
});

it('a turn goes on where the one before has ended: only what came since goes in', async () => {
  const begin = first([1, 2, 3]);
  const [one] = await turns.sample(task([begin]));
  const going = next(begin, one);
  rows = 0;
  const [two] = await turns.sample(task([going]));
  const added = rows;
  rows = 0;
  expect([two]).toEqual(await afresh([going]));
  expect(rows - added).toBe(PROMPT.length + one.reduce((sum, { tokens }) => sum + tokens.length - 1, 0));
  expect([one]).toEqual(await afresh([begin]));
});

it('the same task again, other tokens before a turn, other weights and other rules: sampled from the beginning', async () => {
  const begin = first([4, 5]);
  const [one] = await turns.sample(task([begin]));
  expect(await turns.sample(task([begin]))).toEqual([one]);
  const other = next(
    begin,
    one.map((completion) => ({ ...completion, tokens: completion.tokens.map(() => 33) })),
  );
  expect(await turns.sample(task([other]))).toEqual(await afresh([other]));
  const going = next(begin, one);
  await turns.sample(task([begin]));
  expect(await turns.sample(task([going], { weights: { ...WEIGHTS, sha256: 'b'.repeat(64) } }))).toEqual(
    await afresh([going]),
  );
  expect(turns.size).toBe(2);
  const settings = { ...SETTINGS, samplingKey: [7, 9] as const };
  expect(await turns.sample(task([going], { settings }))).toEqual(await afresh([going], settings));
});

it('the same episode twice in a task: one of the two is kept', async () => {
  const twice = [first([8]), first([8])];
  for (let time = 0; time < 5; time++) {
    expect(await turns.sample(task(twice))).toEqual(await afresh(twice));
    expect(turns.size).toBe(1);
  }
  const many = Array.from({ length: 7 }, (_, i) => first([20 + i]));
  await turns.sample(task(many));
  expect(turns.size).toBe(8); // there is room for all of them: no row is lost
});

it('what is no episode is sampled as ever, and what was kept is sampled on', async () => {
  const begin = first([6]);
  const [one] = await turns.sample(task([begin]));
  const { turnTokens: _, ...settings } = SETTINGS;
  expect(await turns.sample(task([first([7])], { settings }))).toEqual(await afresh([first([7])], settings));
  const going = next(begin, one);
  expect(await turns.sample(task([going]))).toEqual(await afresh([going]));
});

it('random tasks of more episodes than the cache has room for, in any order, twice, and cut into other parts', async () => {
  const rng = rngFor('kept turns');
  let episodes = Array.from({ length: 12 }, (_, i) => first([10 + i], Int32Array.of(9, 10 + (i % 3), 11)));
  for (let turn = 0; turn < 4; turn++) {
    const order = rng.shuffle([...episodes]);
    const done = new Map<SampleRequest, SampledCompletion[]>();
    while (order.length > 0) {
      const part = order.splice(0, rng.int(1, 5));
      const sampled = await turns.sample(task(part));
      expect(sampled).toEqual(await new KeptTurns(policy).sample(task(part)));
      expect(sampled).toEqual(await afresh(part));
      part.forEach((request, i) => {
        done.set(request, sampled[i]);
      });
      if (rng.float() < 0.3) order.push(...part); // a lease that was too short
    }
    expect(turns.size).toBeLessThanOrEqual(8);
    episodes = episodes
      .map((request) => next(request, done.get(request) ?? []))
      .filter(({ rollouts }) => rollouts.every(({ tokens = [] }) => tokens.length < 24));
  }
});
