import { z } from 'zod';
import { key } from '../../options/keys.ts';
import { integer } from '../../options/schemas.ts';
import { method } from '../method.ts';
import type { RolloutStrategy } from '../points.ts';
import type { RolloutGroup } from '../records.ts';
import { TYPICAL_DEAD_SHARE } from '../work.ts';

const maxRounds = integer({ min: 1, max: 100, example: 2 })
  .default(2)
  .describe('At most this many further rounds of sampling.');
const mapping = z.discriminatedUnion(
  'name',
  [z.strictObject({ name: z.literal('none') }), z.strictObject({ name: z.literal('refill'), max_rounds: maxRounds })],
  { error: 'not a way to refill; use none or refill' },
);
const dynamicSampling = z.union([z.enum(['none', 'refill']), mapping], {
  error: 'must be none, refill, or refill with 1 to 100 max_rounds; for example {name: refill, max_rounds: 2}',
});

/** Dynamic sampling, §3.2 of the paper. Metrics include all drawn groups. */
export const refill = method({
  id: 'refill',
  about: {
    does: 'Replaces groups without signal by groups of further prompts.',
    names: ['dynamic sampling', 'DAPO'],
    formula: 'samples again until n groups are live, at most max_rounds times',
    source: '2503.14476',
    certainty: 'paper',
  },
  against: ['few-live-groups'],
  options: { maxRounds: key('max_rounds', maxRounds) },
  switchedOnBy: {
    key: key(
      'dynamic_sampling',
      dynamicSampling
        .default('none')
        .describe('none, or refill: replace groups without signal, for at most max_rounds (2) further rollouts.'),
    ),
    on(value): { readonly max_rounds: number } | undefined {
      const written = value as z.output<typeof dynamicSampling>; // the key's own schema has read it
      if (written === 'none' || written === 'refill')
        return written === 'none' ? undefined : { max_rounds: maxRounds.parse(undefined) };
      return written.name === 'none' ? undefined : { max_rounds: written.max_rounds };
    },
    off: { name: 'none' },
    written: (options) => (typeof options.max_rounds === 'number' ? { name: 'refill', ...options } : undefined),
  },
  work: ({ maxRounds: rounds }) => ({
    groups: Array.from({ length: 1 + rounds }, (_, round) => TYPICAL_DEAD_SHARE ** round).reduce((a, b) => a + b),
  }),
  create: ({ maxRounds: rounds }, { batch: { promptsPerStep } }): RolloutStrategy => {
    let deadShare = 0; // of the round before, whichever batch it was of: what is expected decides no bit
    return {
      async rollOut(requests, next, tools) {
        const groups: RolloutGroup[] = [];
        let toSample = requests;
        for (let round = 0; ; round++) {
          if (round < rounds) tools.expect(Math.ceil(deadShare * toSample.length));
          const sampled = await next(toSample);
          groups.push(...sampled);
          deadShare = sampled.filter(({ dead }) => dead).length / Math.max(1, sampled.length);
          const missing = promptsPerStep - groups.filter(({ dead }) => !dead).length;
          if (missing <= 0 || round === rounds) return groups;
          toSample = await tools.draw(missing);
        }
      },
      select: (groups) => groups.filter(({ dead }) => !dead).slice(0, promptsPerStep),
      dropsDead: true,
    };
  },
});
