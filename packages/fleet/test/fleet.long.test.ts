/** A run whose completions other workers sample is the run of one machine, to the bit, whatever happens to messages and workers. */
import { beforeAll, describe, expect, it } from 'vitest';
import { budget, fewOf } from '../../../test/support/budget.ts';
import { smallConfig } from '../../../test/support/small_runs.ts';
import type { WorkerBus } from '../bus.ts';
import { encodeResult, type FleetResult, type SampledCompletion } from '../protocol.ts';
import { forgetful, honest, lagging, liar, lossy, slow, vanishing, type WorkerFault } from './support/faulty_bus.ts';
import { type TestFleet, type Trained, trainSmall } from './support/fleets.ts';

const YAML = smallConfig(
  'dynamic_sampling: {name: refill, max_rounds: 1}\nbeta: 0.01\nnum_iterations: 2\nnum_generations_eval: 2',
);

let alone: Trained;
beforeAll(async () => {
  alone = await trainSmall(YAML);
});

/** Runs of one machine by their config: several fleets are compared with each. */
const own = new Map<string, ReturnType<typeof trainSmall>>();
async function ownRun(yaml: string): Promise<Omit<Trained, 'said'>> {
  const running = own.get(yaml) ?? trainSmall(yaml);
  own.set(yaml, running);
  const { said: _, ...run } = await running;
  return run;
}

/** Trains with a fleet, and compares all that was sampled with the run of one machine. */
async function trained(fleet: TestFleet): Promise<Trained> {
  const { figures, said, ...run } = await trainSmall(YAML, fleet);
  expect({ ...run, said: [] }).toEqual(alone);
  return { ...run, figures, said };
}

it.each([1, 3])('%i workers sample all that one machine samples', async (count) => {
  const { figures } = await trained({ workers: Array.from({ length: count }, () => honest) });
  expect(figures).toMatchObject({ groupsHere: 0, refused: 0, workers: count });
  expect(figures?.groupsThere).toBeGreaterThan(0);
});

it('weights that are sent whole are the same weights', async () => {
  const { figures } = await trained({ workers: [honest], isNear: true });
  expect(figures).toMatchObject({ groupsHere: 0, refused: 0 });
});

it('without a worker the learner samples by itself', async () => {
  const { figures, said } = await trained({ workers: [], joinMs: 0 });
  expect(figures).toMatchObject({ groupsThere: 0, workers: 0 });
  expect(said).toContain('fleet: no worker is there; the learner samples by itself until one joins');
});

it('token controls are sampled by the learner, and it says so', async () => {
  const yaml = smallConfig('token_controls: [repetition-stop]');
  const { figures: _, said, ...run } = await trainSmall(yaml, { workers: [honest] });
  expect({ ...run, said: [] }).toEqual(await trainSmall(yaml));
  expect(said.join('\n')).toMatch(/token control reads each token/);
});

it.each([
  ['guess_number', '{name: guess_number, max: 9, numbers: 5, turns: 3}', 'dynamic_sampling: refill'],
  ['frozen_lake', '{name: frozen_lake, slip: 20}', 'beta: 0.01'],
])('the turns of %s are sampled by workers, and answered by the learner', async (_, task, line) => {
  const yaml = smallConfig(`${line}\nnum_generations_eval: 2`)
    .replace(/task: .*/, `task: ${task}`)
    .replace(/reward_funcs: .*/, 'reward_funcs: [byLength]');
  const { figures, said, ...run } = await trainSmall(yaml, { workers: [honest, lossy(7)], verifyShare: 0.2 });
  expect(run).toEqual(await ownRun(yaml));
  expect(figures).toMatchObject({ groupsHere: 0, refused: 0 });
  expect(figures?.continued).toBeGreaterThan(0);
  // The worker of the turn before is gone or gets no offer; or the server loses offers with all else that it has.
  for (const learner of [vanishing, forgetful(11)]) {
    const {
      figures: ___,
      said: ____,
      ...faulty
    } = await trainSmall(yaml, {
      workers: [honest, honest],
      learner,
      hurry: 100,
    });
    expect(faulty).toEqual(await ownRun(yaml));
  }
});

describe('groups that a refill will draw', () => {
  const lines = 'dynamic_sampling: {name: refill, max_rounds: 4}\nnum_generations_eval: 2';
  const refill = smallConfig(lines, 6).replace('num_generations: 4', 'num_generations: 2'); // so that many groups are dead
  /** Workers whose messages are lost may not be there when a batch is given out; then nothing is sampled ahead. */
  const faults: readonly (readonly [string, number, TestFleet])[] = [
    ['nothing is lost', 1, { workers: [honest, honest] }],
    [
      'messages and the server’s memory are lost',
      0,
      { workers: [honest, lossy(3), slow], learner: forgetful(4), hurry: 100, verifyShare: 0.3 },
    ],
  ];
  it.each(faults)('are sampled ahead, with the bits of one machine, where %s', async (_, least, fleet) => {
    const { figures, said: __, ...run } = await trainSmall(refill, fleet);
    expect(run).toEqual(await ownRun(refill));
    expect(figures?.ahead).toBeGreaterThanOrEqual(least);
  });
});

describe('sampling ahead', () => {
  const stale = [
    'staleness: 1\nbeta: 0.01\nvllm_importance_sampling_correction: true\nvllm_importance_sampling_mode: token_truncate',
    'staleness: 2\ndynamic_sampling: {name: refill, max_rounds: 1}\nadvantage_estimator: sas\ncredit_steps: [self-certainty]',
    'staleness: 1\nnum_iterations: 2\nprompt_source: [{name: prioritized}]',
    'staleness: 1\nloss_terms: [sft-replay]',
  ];
  it.each(stale.slice(0, budget({ quick: 2, all: 2, release: stale.length })))(
    'gives the bits of one machine: %s',
    async (lines) => {
      const yaml = smallConfig(lines, 6);
      const {
        figures,
        said: _,
        ...run
      } = await trainSmall(yaml, {
        workers: [honest, lossy(5)],
        learner: forgetful(6),
        verifyShare: 0.3,
        hurry: 100,
      });
      expect(run).toEqual(await ownRun(yaml));
      expect(figures?.checked).toBeGreaterThan(0);
    },
  );
});

describe('faults', () => {
  const seeds = Array.from({ length: budget({ quick: 2, all: 2, release: 30 }) }, (_, i) => i);
  it.each(seeds)('messages lost, doubled, delayed and reordered, a server that forgets, by seed %i', async (seed) => {
    const workers = [lossy(seed), seed % 3 === 0 ? slow : lossy(seed + 100)];
    const hurry = seed % 2 === 0 ? 100 : 1000; // so that leases of ten seconds last a tenth of one, or are too short
    await trained({ workers, learner: forgetful(seed), hurry, verifyShare: 0.2 });
  });
});

/** The result with its first completion changed. */
const changed = (
  result: FleetResult,
  change: (first: SampledCompletion) => Partial<SampledCompletion>,
): FleetResult => {
  const [[first, ...others], ...groups] = result.completions;
  return { ...result, completions: [[{ ...first, ...change(first) }, ...others], ...groups] };
};
const withFirst = (values: Float32Array, value: number): Float32Array =>
  values.map((old, i) => (i === 0 ? value : old));

describe('a liar', () => {
  let older: FleetResult['completions'] | undefined;
  const lies: readonly (readonly [string, WorkerFault])[] = [
    [
      'changes a token',
      liar((result) =>
        changed(result, ({ tokens }) => ({ tokens: tokens.map((t, i) => (i ? t : 1 - Math.min(t, 1))) })),
      ),
    ],
    [
      'changes a log-prob by a bit',
      liar((result) =>
        changed(result, ({ logprobs }) => ({ logprobs: withFirst(logprobs, logprobs[0] * (1 + 2 ** -22)) })),
      ),
    ],
    [
      'gives NaN',
      liar((result) => changed(result, ({ entropies }) => ({ entropies: withFirst(entropies, Number.NaN) }))),
    ],
    [
      'gives the best of many in the place of each',
      liar((result) => ({
        ...result,
        completions: result.completions.map((group) => {
          const longest = group.reduce((best, one) => (one.tokens.length > best.tokens.length ? one : best));
          return group.map(() => longest);
        }),
      })),
    ],
    [
      'leaves a completion out',
      liar((result) => ({ ...result, completions: [result.completions[0].slice(1), ...result.completions.slice(1)] })),
    ],
    [
      'gives a token that is none',
      liar((result) => changed(result, ({ tokens }) => ({ tokens: tokens.map(() => 2 ** 19) }))),
    ],
    ['sends more than a message holds', liar(() => new Uint8Array(2 ** 21).fill(1))],
    ['sends bytes too many', liar((result) => Uint8Array.from([...encodeResult(result), 0]))],
    [
      'answers by what it has sampled before',
      liar((result, { requests }) => {
        older ??= result.completions;
        const isLike =
          older.length >= result.completions.length &&
          requests.every(({ rollouts }, i) => rollouts.length === older?.[i].length);
        return isLike
          ? { ...result, completions: older.slice(0, requests.length) }
          : changed(result, () => ({ finishReason: 'stop' }));
      }),
    ],
    ['samples by older weights', lagging],
  ];
  it.each(fewOf(lies, { quick: 3, all: 6 }))('that %s is shut out, and none of it is trained on', async (_, lying) => {
    const { figures, said } = await trained({ workers: [lying, honest], verifyShare: 1, hurry: 10 });
    expect(figures?.refused).toBeGreaterThan(0);
    const shutOut = said.find((line) => line.includes('is shut out'));
    if (shutOut !== undefined) expect(shutOut).toMatch(/none of its tasks|of its tasks were used/);
  });

  it.each<readonly [string, (bus: WorkerBus, run: string, answer: Uint8Array) => Promise<unknown>]>([
    ['floods', (bus, run, answer) => Promise.all(Array.from({ length: 40 }, () => bus.answer(run, answer)))],
    [
      'answers tasks that were never given',
      (bus, run, answer) =>
        bus.answer(
          run,
          answer.map((byte, at) => (at === 6 ? 9 : byte)),
        ), // the number's last byte
    ],
  ])('that %s is passed over, and changes nothing', async (_, misbehave) => {
    const fault: WorkerFault = (bus) => ({
      ...honest(bus),
      async answer(run, answer) {
        await misbehave(bus, run, answer);
        return bus.answer(run, answer);
      },
    });
    const { figures } = await trained({ workers: [fault, honest], verifyShare: 0.1, hurry: 10 });
    expect(figures).toMatchObject({ refused: 0 });
    expect(figures?.doubled).toBeGreaterThan(0);
  });
});
