/** How soon a share of checks finds a liar, that all checks let none of its groups through, and that no honest worker is accused. */
import { expect, it } from 'vitest';
import { type Generator, localGenerator } from '../../../src/grpo/generator.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import { Answers } from '../answers.ts';
import { encodeResult, type FleetTask, type SampledCompletion } from '../protocol.ts';
import { Tally } from '../tally.ts';
import { Trust } from '../trust/trust.ts';

const SHARE = 0.05;
const SETTINGS: FleetTask['settings'] = {
  ...{ sampling: { temperature: 1, topK: 0, topP: 1, minP: null }, samplingKey: [1, 2] },
  ...{ maxCompletionTokens: 1, stopIds: [] },
};
const completion = (logprob: number): SampledCompletion => ({
  tokens: Int32Array.of(3),
  ...{ logprobs: Float32Array.of(logprob), entropies: Float32Array.of(1), keptLogMass: Float32Array.of(0) },
  finishReason: 'length',
});
/** The truth is a function of the group's number. */
const truthOf = (rollout: number): number => -1 - (rollout % 7);
const local: Generator = {
  ...localGenerator(undefined as never, () => 0),
  sample: async (requests) => ({
    completions: requests.map(({ rollouts }) => rollouts.map(({ rollout }) => completion(truthOf(rollout)))),
    places: undefined,
  }),
};

/** A learner that trains on one group after another. */
class Learner {
  readonly accused: string[] = [];
  /** Seconds of its answers, as the lease follows from them. */
  readonly seconds: number[] = [];
  readonly #answers: Answers;
  /** Milliseconds. */
  now = 0;
  #task = 0;

  constructor(share: number, seed: number) {
    const rng = rngFor(`trust|${seed}`);
    this.#answers = new Answers({
      ...{ trust: new Trust(share, () => rng.float()), tally: new Tally(() => 0), say: () => undefined },
      ...{ clock: () => this.now, vocabSize: () => 10, nameOf: (worker) => worker },
      ...{
        onAnswer: (_task, _worker, seconds) => this.seconds.push(seconds),
        onRefused: () => undefined,
        onShutOut: (worker) => this.accused.push(worker),
      },
    });
  }

  /** @param lies  whether the worker changes the group @returns whether it is trained on */
  async train(worker: string, lies: boolean, seconds = 0): Promise<boolean> {
    const id = this.#task++;
    const requests = [{ prompt: Int32Array.of(1), rollouts: [{ rollout: id }] }];
    this.#answers.open({
      id,
      weights: { version: 0, sha256: 'ab'.repeat(32), bytes: 4 },
      settings: SETTINGS,
      requests,
    });
    const completions = [[completion(truthOf(id) - (lies ? 2 ** -20 : 0))]];
    this.now += 2000;
    this.#answers.hear(encodeResult({ task: id, worker, seconds, completions }));
    await this.#answers.look(local);
    const isTaken = this.#answers.of(id) !== undefined;
    if (!isTaken) await this.#answers.sampleHere(id, local);
    this.#answers.close([id], true);
    return isTaken;
  }
}

it('none of ten thousand honest groups is accused, whatever share is checked', async () => {
  const learner = new Learner(SHARE, 1);
  const workers = Array.from({ length: 8 }, (_, i) => String(i + 1).repeat(32));
  for (let group = 0; group < 10_000; group++)
    expect(await learner.train(workers[group % workers.length], false)).toBe(true);
  expect(learner.accused).toEqual([]);
});

it('with a share of 1 no group of a liar is trained on', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const learner = new Learner(1, seed);
    for (let group = 0; group < seed % 5; group++) await learner.train('a'.repeat(32), false);
    expect(await learner.train('a'.repeat(32), true)).toBe(false);
    expect(await learner.train('a'.repeat(32), true)).toBe(false);
    expect(learner.accused).toEqual(['a'.repeat(32)]);
  }
});

it('with a share of 5 % a liar that first proves itself is found after 1 / share groups in the mean', async () => {
  const liars = 400;
  let trainedOn = 0;
  for (let seed = 0; seed < liars; seed++) {
    const learner = new Learner(SHARE, seed);
    await learner.train('b'.repeat(32), false);
    while (await learner.train('b'.repeat(32), true)) trainedOn++;
  }
  // Geometric: 1 / share − 1 in the mean, with a standard error of about 1 over that many liars.
  expect(trainedOn / liars).toBeGreaterThan(1 / SHARE - 1 - 3);
  expect(trainedOn / liars).toBeLessThan(1 / SHARE - 1 + 3);
});

it('a liar from its first group on has none that is trained on', async () => {
  for (let seed = 0; seed < 50; seed++) expect(await new Learner(0, seed).train('c'.repeat(32), true)).toBe(false);
});

it('a task took no longer than it was out, whatever its worker says', async () => {
  const learner = new Learner(SHARE, 1);
  for (const said of [1, 9.9e5]) await learner.train('d'.repeat(32), false, said);
  expect(learner.seconds).toEqual([1, 2]);
});

it('each lie that is found late doubles the share, up to all', () => {
  const trust = new Trust(0.3, () => 0.9);
  trust.passed('e');
  expect(trust.groupsToCheck('e', 2, false)).toEqual([]);
  for (let lie = 0; lie < 2; lie++) trust.lookCloser();
  expect(trust.groupsToCheck('e', 2, false)).toEqual([0, 1]);
});
