import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const microTokenMean = method({
  id: 'micro-token-mean',
  about: {
    does: 'Each token of a micro-batch counts the same, then the micro-batches: it depends on how a batch is cut.',
    names: ['BNPO'],
    formula: 'c = 1/(n·N_micro)',
    source: 'own',
    certainty: 'own',
  },
  note(_, __, { batch }) {
    const { completionsPerStep, optimizerStepsPerGeneration, completionsPerMicroBatch: micro } = batch;
    if (micro !== undefined && micro < completionsPerStep / optimizerStepsPerGeneration) return undefined;
    return 'a step that fits into one micro-batch is averaged as by token-mean; set a smaller per_device_train_batch_size, or loss_type: dapo';
  },
  create:
    (): Aggregation =>
    (_, { microBatches, microLossTokens }) =>
      1 / (microBatches * Math.max(1, microLossTokens)),
});
