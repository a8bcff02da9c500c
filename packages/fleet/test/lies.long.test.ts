/** A worker that serves a run truly and then lies, as every kind of liar does: the run goes back, and ends with the bits of one machine. */
import { beforeAll, expect, it } from 'vitest';
import { smallConfig } from '../../../test/support/small_runs.ts';
import type { WorkerBus } from '../bus.ts';
import { decodeResult, decodeTask, encodeResult, type FleetResult, type FleetTask } from '../protocol.ts';
import { honest, lagging, type WorkerFault } from './support/faulty_bus.ts';
import { type KeptRun, type TestFleet, trainPastLies } from './support/fleets.ts';

const YAML = smallConfig('eval_strategy: steps\neval_steps: 4\nnum_generations_eval: 2', 8).replace(
  'eval_strategy: "no"\n',
  '',
);

let alone: KeptRun;
beforeAll(async () => {
  alone = await trainPastLies(YAML);
});

/** The default share of checks, at every twentieth group; what a first answer is proven by is its first group. */
function sharedOut(): () => number {
  let drawn = 0;
  return () => (++drawn % 20 === 0 ? 0.01 : 0.06);
}

async function trained(fleet: Partial<TestFleet>): Promise<readonly string[]> {
  const { said, ...run } = await trainPastLies(YAML, {
    ...{ workers: [], joinMs: 0, verifyShare: 0.05, random: sharedOut() },
    ...fleet,
  });
  const { said: _, ...own } = alone;
  expect(run).toEqual(own);
  return said;
}

type Completions = FleetResult['completions'];
/** Sends something else than the truth. */
type Lie = (result: FleetResult, bytes: Uint8Array) => FleetResult | Uint8Array<ArrayBuffer>;

/** Answers the first task truly, and lies from then on. */
function turning(lie: Lie): WorkerFault {
  return (bus) => {
    const { next } = honest(bus);
    let task: FleetTask;
    let answers = 0;
    return {
      ...bus,
      async next(run, wait) {
        const bytes = await next(run, wait);
        if (bytes instanceof Uint8Array) task = decodeTask(bytes);
        return bytes;
      },
      answer(run, bytes) {
        if (answers++ === 0) return bus.answer(run, bytes);
        const told = lie(decodeResult(bytes, task, 2 ** 20), bytes);
        return bus.answer(run, told instanceof Uint8Array ? told : encodeResult(told));
      },
    };
  };
}

/** Changes the first completion of each answer. */
const inFirst =
  (change: (first: Completions[number][number]) => object): Lie =>
  ({ completions: [[first, ...others], ...groups], ...result }) => ({
    ...result,
    completions: [[{ ...first, ...change(first) }, ...others], ...groups],
  });
const shifted = (values: Float32Array, by: number): Float32Array => values.map((old, i) => (i === 0 ? old + by : old));
let kept: Completions | undefined;

const LIES: readonly (readonly [string, Lie])[] = [
  ['another token', inFirst(({ tokens }) => ({ tokens: tokens.map((t, i) => (i ? t : 1 - Math.min(t, 1))) }))],
  [
    'the best completion in the place of each',
    (result) => {
      const completions = result.completions.map(([first, ...others]) => [first, ...others.map(() => first)]);
      return { ...result, completions };
    },
  ],
  ['another log-prob', inFirst(({ logprobs }) => ({ logprobs: shifted(logprobs, 1e-6) }))],
  ['another entropy', inFirst(({ entropies }) => ({ entropies: shifted(entropies, 1e-3) }))],
  ['NaN', inFirst(({ logprobs }) => ({ logprobs: shifted(logprobs, Number.NaN) }))],
  [
    'tokens too many',
    inFirst(({ tokens, logprobs, entropies, keptLogMass }) => ({
      tokens: Int32Array.of(...tokens, 1, 1),
      ...{ logprobs: Float32Array.of(...logprobs, 0, 0), entropies: Float32Array.of(...entropies, 0, 0) },
      keptLogMass: Float32Array.of(...keptLogMass, 0, 0),
    })),
  ],
  ['another end', inFirst(({ finishReason }) => ({ finishReason: finishReason === 'eos' ? 'length' : 'eos' }))],
  [
    'what it has answered before',
    (result) => {
      kept ??= result.completions;
      return {
        ...result,
        completions: result.completions.map((own, i) => (kept?.[i]?.length === own.length ? kept[i] : own)),
      };
    },
  ],
];

it.each(LIES)('%s, and the run goes back, to the same bits', async (_, lie) => {
  kept = undefined;
  const said = await trained({ workers: [turning(lie)] });
  expect(said.filter((line) => /^fleet: worker w0 \(\w+\) is shut out/.test(line))).toHaveLength(1);
  expect(said.filter((line) => /^fleet: the run (starts over|goes back)/.test(line))).toHaveLength(1);
});

it('older weights, and it is shut out before any of it is used', async () => {
  const said = await trained({ workers: [lagging] });
  expect(said.join('\n')).toMatch(/w0 \(\w+\) is shut out/);
});

it('names that are not its own are taken from nobody', async () => {
  const inNameOf = (worker: string): WorkerFault => turning((result) => ({ ...result, worker }));
  const said = await trained({ workers: [inNameOf('00'.repeat(16)), inNameOf('11'.repeat(16)), honest] });
  expect(said.join('\n')).not.toMatch(/w2 \(\w+\) is shut out/);
});

it.each<[string, (bus: WorkerBus, run: string, bytes: Uint8Array) => Promise<Uint8Array | undefined>]>([
  ['that answers nothing', async () => undefined],
  ['that answers what is no message', (bus, run) => bus.answer(run, new Uint8Array(2 ** 20 - 100).fill(7))],
  [
    'of another protocol',
    (bus, run, bytes) =>
      bus.answer(
        run,
        bytes.map((byte, i) => (i === 0 ? byte + 1 : byte)),
      ),
  ],
])('a worker %s costs one lease, and is named', async (_, answer) => {
  let now = 0;
  let tasks = 0;
  /** Time goes on for the first task that it takes, and for no other: a run that waits again waits for ever. */
  const silent: WorkerFault = (bus) => {
    const { next } = honest(bus);
    return {
      ...bus,
      async next(run, wait) {
        const bytes = await next(run, wait);
        if (bytes instanceof Uint8Array && tasks++ === 0) setTimeout(() => (now += 10_001), 0);
        return bytes;
      },
      answer: (run, bytes) => answer(bus, run, bytes),
    };
  };
  const said = await trained({ workers: [silent], clock: () => now });
  expect(tasks).toBeGreaterThan(0);
  expect(said.filter((line) => /w0 \(\w+\) has answered nothing while a task waited/.test(line))).toHaveLength(1);
});
