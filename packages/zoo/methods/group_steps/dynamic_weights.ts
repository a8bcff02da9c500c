/** The other half of RECAP's mixture beside `mixture-dynamic`; the form is ours. */
import { rewardLabel } from '../../../../src/rewards/module_file.ts';
import { type GroupStep, integer, type Json, keys, meanOf, method, number } from '../kit.ts';
import { Movements } from '../support/prompts/movement.ts';
import { mapRollouts } from '../support/rewards/reward_parts.ts';

interface Kept {
  /** Step of the stage that the sums are of. */
  step: number;
  /** [rewards] what was paid since. */
  paid: number[][];
}

export const dynamicWeights = method({
  id: 'dynamic-weights',
  about: {
    does: 'Weighs each reward by how much it still moves or swings.',
    names: ['RECAP'],
    formula:
      'R = Σ_k n·weight_k·softmax_k((|R̄_new − R̄_old| + std R/|R̄|)/T)·R_k, divided so that the weights keep their sum',
    source: 'own',
    certainty: 'own',
    when: 'For several rewards of which some have saturated; it pays movement, whether or not it is progress.',
  },
  options: keys({
    temperature: number({ above: 0, example: 1 })
      .default(1)
      .describe('How much more movement it takes to count e times as much.'),
    window: integer({ min: 2, max: 1000, example: 8 }).default(8).describe('Steps that are looked back on.'),
  }),
  pays: { does: 'makes' },
  create: ({ temperature, window }, { rewards }): GroupStep => {
    const movements = new Movements(window);
    const labels = rewards.map((reward, k) => `${k}|${rewardLabel(reward)}`);
    const kept: Kept = { step: 0, paid: rewards.map(() => []) };
    const settle = (step: number): void => {
      kept.paid.forEach((paid, k) => {
        if (paid.length > 0) movements.add(labels[k], meanOf(paid));
      });
      Object.assign(kept, { step, paid: rewards.map(() => []) });
    };
    return {
      scope: 'group',
      apply(groups, { step, metric }) {
        if (step !== kept.step) settle(step);
        const raw = movements.shares(labels, temperature).map((share, k) => share * rewards[k].weight);
        const [sum, own] = [raw, rewards.map(({ weight }) => weight)].map((all) =>
          all.reduce((total, one) => total + one, 0),
        );
        const weights = raw.map((weight, k) => (sum === 0 ? rewards[k].weight : (weight * own) / sum));
        rewards.forEach((reward, k) => metric(`weight/${rewardLabel(reward)}`, weights[k]));
        for (const { rollouts } of groups) {
          for (const { rewardParts } of rollouts)
            rewardParts.forEach((part, k) => part !== null && kept.paid[k].push(part));
        }
        return mapRollouts(groups, (rollout) => {
          const { rewardParts } = rollout;
          if (rewardParts.every((part) => part === null)) return { ...rollout, reward: null };
          return {
            ...rollout,
            reward: rewardParts.reduce<number>((total, part, k) => total + weights[k] * (part ?? 0), 0),
          };
        });
      },
      state: () => ({ kept: structuredClone(kept), movements: movements.state() }) as unknown as Json,
      restore(state: Json) {
        const from = state as unknown as { kept: Kept; movements: Json }; // written by `state`
        Object.assign(kept, structuredClone(from.kept));
        movements.restore(from.movements);
      },
    };
  },
});
