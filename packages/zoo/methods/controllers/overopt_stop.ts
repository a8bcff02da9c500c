import { type Controller, integer, keys, method, number } from '../kit.ts';

export const overoptStop = method({
  id: 'overopt-stop',
  about: {
    does: 'Ends the stage where the reward rises while held-out accuracy falls.',
    formula: 'end where best accuracy − accuracy > accuracy_fall and reward > reward at the best, reward a moving mean',
    source: 'own',
    certainty: 'own',
    when: 'Where the reward is not the verdict and may be gamed; in vain where the verdict is what is paid.',
  },
  options: keys({
    accuracyFall: number({ above: 0, below: 1, example: 0.05 })
      .default(0.05)
      .describe('How far greedy accuracy may fall below its best.'),
    rewardSteps: integer({ min: 1, example: 20 })
      .default(20)
      .describe('Steps that the training reward is averaged over.'),
  }),
  create: ({ accuracyFall, rewardSteps }): Controller => {
    let recent: number[] = [];
    let best: { readonly accuracy: number; readonly reward: number | null } | undefined;
    const mean = (): number | null =>
      recent.length === 0 ? null : recent.reduce((sum, reward) => sum + reward, 0) / recent.length;
    return {
      async afterStep({ reward }) {
        if (typeof reward === 'number') recent = [...recent, reward].slice(-rewardSteps);
      },
      async afterEvaluation({ accuracy: { mean: accuracy } }, levers) {
        const reward = mean();
        if (best === undefined || accuracy >= best.accuracy) {
          best = { accuracy, reward };
          return;
        }
        const isPaid = reward !== null && best.reward !== null && reward > best.reward;
        if (isPaid && best.accuracy - accuracy > accuracyFall) {
          levers.endStage(
            `accuracy fell from ${best.accuracy.toPrecision(3)} to ${accuracy.toPrecision(3)} while the reward rose`,
          );
        }
      },
      state: () => ({ recent, best: best ?? null }),
      restore(state) {
        const kept = state as { readonly recent: number[]; readonly best: typeof best | null }; // written by `state`
        recent = kept.recent;
        best = kept.best ?? undefined;
      },
    };
  },
});
