/** What parts of the loss are told of a whole optimizer step before its first micro-batch, and what that costs. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { Method } from '../../src/methods/method.ts';
import { method } from '../../src/methods/method.ts';
import type { LossSequence, TokenWeight } from '../../src/methods/points.ts';
import type { CreditedGroup } from '../../src/methods/records.ts';
import { type Answer, answered, credit, nudge, reinforced, update } from './step_parts.ts';

const LIVE: readonly Answer[] = [
  { text: 'ab', reward: 1 },
  { text: 'abcde', reward: 0 },
  { text: '', reward: 0.5 },
  { text: 'zyx', reward: 0.25 },
];
const DEAD: readonly Answer[] = LIVE.map(({ text }) => ({ text, reward: 1 }));
const GROUPS = [LIVE, DEAD, LIVE];

type Heard =
  | { readonly of: 'begin'; readonly groups: readonly CreditedGroup[] }
  | { readonly of: 'observe' | 'weigh'; readonly sequences: readonly LossSequence[] };

interface Step {
  readonly run: TrainingRun;
  readonly groups: readonly CreditedGroup[];
  readonly heard: readonly Heard[];
  /** What was scored beside the forward passes. */
  readonly scored: readonly string[];
}

/** One update of a run in which a part listens. */
async function step(onPolicy: boolean, keys: Readonly<Record<string, unknown>>): Promise<Step> {
  const heard: Heard[] = [];
  const listens: Method<unknown> = method({
    id: 'listens',
    about: { does: 'Listens.', formula: '1', source: 'own', certainty: 'own' },
    options: {},
    create: (): TokenWeight => ({
      coupling: 'batch',
      begin: (groups) => heard.push({ of: 'begin', groups }),
      observe: (sequences) => heard.push({ of: 'observe', sequences }),
      weigh: (sequences) => heard.push({ of: 'weigh', sequences }),
    }),
  });
  const run = await reinforced(
    { token_weights: ['./listens.ts'], learning_rate: 1e-30, ...keys },
    { methods: { './listens.ts': listens } },
  );
  const groups = await credit(run, await answered(run, GROUPS));
  if (!onPolicy) await nudge(run, 0.1);
  const scored: string[] = [];
  const { policy } = run.engine;
  const score = policy.score.bind(policy);
  policy.score = (batch, temperature, which = 'policy') => {
    scored.push(which);
    return score(batch, temperature, which);
  };
  await update(run, groups, { onPolicy });
  return { run, groups, heard, scored };
}

const sequencesOf = (heard: readonly Heard[], of: 'observe' | 'weigh'): LossSequence[] =>
  heard.flatMap((each) => (each.of === of ? each.sequences : []));

describe.each([
  { onPolicy: true, micro: 4, scorings: 0 },
  { onPolicy: true, micro: 12, scorings: 0 },
  { onPolicy: false, micro: 12, scorings: 0 },
  { onPolicy: false, micro: 4, scorings: 2 },
])('a step that is on-policy: $onPolicy, in micro-batches of $micro', ({ onPolicy, micro, scorings }) => {
  const keys = { per_device_train_batch_size: micro };

  it('is begun with all of its groups, observed once, and then weighed', async () => {
    const { heard, groups } = await step(onPolicy, keys);
    const [begun] = heard;
    expect(begun.of === 'begin' && begun.groups).toEqual(groups);
    expect(heard.map(({ of }) => of)).toEqual(['begin', 'observe', ...(micro === 4 ? ['weigh', 'weigh'] : ['weigh'])]);
  });

  it('is observed as it is weighed, number for number', async () => {
    const { heard, groups } = await step(onPolicy, keys);
    const [observed, weighed] = [sequencesOf(heard, 'observe'), sequencesOf(heard, 'weigh')];
    expect(observed.map(({ rollout }) => rollout)).toEqual([groups[0], groups[2]].flatMap(({ rollouts }) => rollouts));
    observed.forEach((sequence, i) => {
      for (const of of ['logprobs', 'oldLogprobs', 'entropies', 'advantages', 'coefficients'] as const) {
        expect(sequence[of]).toEqual(weighed[i][of]);
      }
      expect(sequence.rollout).toBe(weighed[i].rollout);
      const moved = sequence.logprobs.some((logprob, t) => logprob !== sequence.oldLogprobs[t]);
      expect(moved).toBe(!onPolicy);
    });
  });

  it(`is scored ${scorings} times for that, and by the reference as often as without`, async () => {
    expect((await step(onPolicy, keys)).scored).toEqual(Array(scorings).fill('policy'));
    const { scored } = await step(onPolicy, { ...keys, beta: 0.1 });
    // A dead group is in the update now: the KL acts on it.
    const micros = GROUPS.length * (4 / micro);
    expect(scored.filter((which) => which === 'reference')).toHaveLength(micros);
    expect(scored.filter((which) => which === 'policy')).toHaveLength(scorings === 0 ? 0 : micros);
  });
});
