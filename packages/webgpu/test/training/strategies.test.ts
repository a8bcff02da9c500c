/** Hints that the prompt shows, drafts, branches and verdicts on a software adapter: each is scored to the bit as it was sampled. */
import { expect, it } from 'vitest';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { collect, credit, scoresOf, update } from '../../../../test/grpo/step_parts.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { tossed, withTossedRun } from '../../../../test/support/killed_runs.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const CHAINS: readonly (readonly [what: string, chain: string, origins: readonly string[]])[] = [
  [
    'hints and verdicts',
    '[{name: hint-resample, hint_in: prompt}, {name: self-verify, verify_share: 0.5}]',
    ['hinted', 'verify'],
  ],
  ['branches behind drafts', '[{name: draft-refine, drafts: 2}, {name: prefix-branch, branches: 1}]', ['refined']],
];

/** One adapter: the kernels are those that other tests ask on each, and its pipelines take seconds to compile. */
const [LABEL] = REQUIRED_ADAPTERS;

it.each(CHAINS)('strategies score what they sampled to the bit, and train on it: %s', async (_, chain, origins) => {
  const backend = await loadBackend(`webgpu:${LABEL}`);
  await withTossedRun(
    `rollout_strategies: ${chain}`,
    async (run) => {
      const { groups } = await collect(run);
      expect(groups.flatMap(({ rollouts }) => rollouts.map(({ origin }) => origin))).toEqual(
        expect.arrayContaining([...origins]),
      );
      for (const { prompt: asked, rollouts } of groups) {
        for (const { prompt = asked, tokens, logprobs, labels } of rollouts.slice(-2)) {
          const [scores] = await scoresOf(run, { prompt, completions: [tokens] });
          const isSampled = (_: number, t: number): boolean => labels?.[t] !== TOKEN.given;
          expect([...scores.logprobs].filter(isSampled)).toEqual([...logprobs].filter(isSampled));
        }
      }
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
    },
    { backend, verify: tossed(5) },
  );
});
