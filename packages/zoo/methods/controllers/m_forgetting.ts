import { type Controller, meanOf, method } from '../kit.ts';

/** Tasks that are evaluated and hardly asked show what training on the others costs. */
export const mForgetting = method({
  id: 'm-forgetting',
  about: {
    does: 'Measures how far each task is below its best held-out accuracy; changes nothing.',
    names: ['forgetting'],
    formula:
      'F_k = max over evaluations of accuracy_k − accuracy_k now; forgotten: mean over tasks, worst: the largest',
    source: 'own',
    certainty: 'own',
    when: 'For several tasks, to see whether learning one costs another.',
  },
  onlyMeasures: true,
  create: (): Controller => {
    let best = new Map<string, number>();
    let forgotten: readonly number[] = [];
    return {
      async afterStep(_, { metric }) {
        // What the last evaluation found is said with every step: an evaluation has no place for it.
        if (forgotten.length === 0) return;
        metric('forgotten', meanOf(forgotten));
        metric('worst', Math.max(...forgotten));
      },
      async afterEvaluation({ accuracy, byTask = {} }) {
        const tasks = Object.entries(byTask);
        const now: [string, number][] =
          tasks.length === 0 ? [['', accuracy.mean]] : tasks.map(([task, part]) => [task, part.accuracy.mean]);
        for (const [task, mean] of now) best.set(task, Math.max(mean, best.get(task) ?? 0));
        forgotten = now.map(([task, mean]) => (best.get(task) ?? mean) - mean);
      },
      state: () => ({ best: [...best], forgotten: [...forgotten] }),
      restore(state) {
        const kept = state as { readonly best: [string, number][]; readonly forgotten: number[] }; // written by `state`
        best = new Map(kept.best);
        forgotten = kept.forgotten;
      },
    };
  },
});
