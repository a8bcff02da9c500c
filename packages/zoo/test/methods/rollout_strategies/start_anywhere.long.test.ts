/** Episodes that an expert begins: how far he plays, that the policy goes on from his state, and that he carries no loss. */
import { describe, expect, it } from 'vitest';
import { samplingKey } from '../../../../../src/grpo/run.ts';
import { rolloutFlaw } from '../../../../../src/methods/support/rollouts/load_rollouts.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, reinforced, update } from '../../../../../test/grpo/step_parts.ts';

const PLAYED = {
  task: { name: 'frozen_lake', slip: 20 },
  num_generations: 16,
  generation_batch_size: 48,
};

async function begun(options: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) {
  const run = await reinforced({
    ...PLAYED,
    rollout_strategies: [{ name: 'start-anywhere', begun_share: 1, ...options }],
    ...more,
  });
  return { run, groups: (await collect(run)).groups };
}

describe('start-anywhere', () => {
  it.each([
    [0, 0],
    [0.5, 0.5],
    [1, 1],
  ])('an expert of n turns plays min(n − 1, ⌊%s·n⌋) of them, with the answers that he gets', async (share) => {
    const { run, groups } = await begun({ least_played: share, most_played: share });
    const { environment, codec } = run.engine.tasks;
    for (const [i, { item, rollouts }] of groups.entries()) {
      for (const [k, { turns = [], tokens, labels, text, ...rest }] of rollouts.entries()) {
        expect(rolloutFlaw({ turns, tokens, text, ...(labels && { labels }), ...rest })).toBeUndefined();
        // The same episode, played by the expert alone to its end.
        const stream = `${samplingKey(run.config.seed, 'rollout').join()}|${16 * i + k}`;
        const actions: string[] = [];
        const answers: string[] = [];
        for (let at = environment.start(item, stream); ; ) {
          actions.push(environment.act('expert', item, at, stream));
          const step = environment.step(item, at, actions.at(-1) ?? '', stream, { finishReason: 'eos' });
          if (step.verdict !== undefined) break;
          answers.push(`\n${step.observation}\n`);
          at = step.next;
        }
        const count = Math.min(actions.length - 1, Math.floor(share * actions.length));
        const own = turns.slice(0, 2 * count);
        expect(own.map(({ label }) => label)).toEqual(own.map((_, t) => (t % 2 === 0 ? 'expert' : 'environment')));
        expect(own.map((turn) => turn.text)).toEqual(own.map((_, t) => (t % 2 === 0 ? actions : answers)[t >> 1]));
        expect(turns[2 * count].label).toBe('policy');
        const given = own.reduce((sum, turn) => sum + turn.tokens.length, 0);
        expect([...(labels ?? [])].slice(0, given)).toEqual(Array(given).fill(TOKEN.given));
        expect(labels?.[given] ?? TOKEN.sampled).toBe(TOKEN.sampled);
        expect(codec.decode(tokens.subarray(0, given))).toBe(
          own.map(({ label, text: said }) => (label === 'expert' ? `${said}<eos>` : said.slice(1, -1))).join(''),
        );
      }
    }
  });

  it('samples what follows with the log-probs of the scorer, to the bit', async () => {
    const { run, groups } = await begun({});
    const { policy } = run.engine;
    let compared = 0;
    for (const { prompt, rollouts } of groups) {
      for (const { tokens, labels, logprobs } of rollouts) {
        const batch = packBatch([{ prompt, completions: [tokens], labels: [labels] }]);
        const scored = await policy.score(batch, 1);
        for (let row = 0; row < batch.lossRowCount; row++) {
          expect(scored.logprobs[row]).toBe(logprobs[batch.tokenOf[row]]);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
    const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
    expect(totals.logprobDifferenceMax).toBe(0);
  });

  it('begins the share of groups that is asked for, which are called so and are no visits of their problems', async () => {
    const none = await begun({ begun_share: 0 });
    expect(none.groups.flatMap(({ rollouts }) => rollouts).every(({ origin }) => origin === undefined)).toBe(true);
    const run = await reinforced({ ...PLAYED, rollout_strategies: ['start-anywhere'], generation_batch_size: 320 });
    const collected = await collect(run);
    const begins = collected.groups.filter(({ rollouts }) => rollouts.every(({ origin }) => origin === 'begun'));
    expect(begins.length).toBeGreaterThan(3);
    expect(begins.length).toBeLessThan(17);
    expect(collected.unaided).toHaveLength(20 - begins.length);
  });

  it('pays potential-shaping for what the policy gained, not for what the expert did', async () => {
    const shaping = { group_steps: ['potential-shaping'], advantage_estimator: 'turn-return' };
    const { groups } = await begun({ least_played: 1 }, { ...shaping, task: { name: 'form_state' } });
    const rollouts = groups.flatMap((group) => group.rollouts).filter(({ turns = [] }) => turns[0]?.label === 'expert');
    expect(rollouts.length).toBeGreaterThan(0);
    for (const { turns = [] } of rollouts) {
      const known = turns.flatMap(({ label, potential }) => (potential === undefined ? [] : [{ label, potential }]));
      const before = known.findLast(({ label }) => label === 'expert')?.potential ?? 0;
      const after = known.at(-1)?.potential ?? 0;
      const paid = turns.reduce((sum, { reward = 0 }) => sum + reward, 0);
      expect(paid).toBeCloseTo(after - before, 10);
    }
  });

  it('is refused to a task of one turn, and with shares the wrong way round', async () => {
    const rule = 'start-anywhere: tells the turns of an episode apart, and reverse_text is answered in one';
    await expect(reinforced({ rollout_strategies: ['start-anywhere'] })).rejects.toThrow(rule);
    await expect(begun({ least_played: 0.8, most_played: 0.5 })).rejects.toThrow('above most_played (0.5)');
  });
});
