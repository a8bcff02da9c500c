/** The policy's own term is nothing: the loss is that of the loss terms alone, and rewards are only measured. */
import { type LossTerm, method } from '../kit.ts';

export const termsOnly = method({
  id: 'terms-only',
  about: {
    does: 'Learns nothing from rewards, so that loss terms such as teacher-kl are the whole loss.',
    formula: '0',
    source: 'own',
    certainty: 'own',
    when: 'To distil a teacher without rewards; with no loss terms nothing is learned.',
  },
  warn: (_, { lossTerms }) =>
    lossTerms.length === 0 ? 'no loss term is there, so nothing is learned; add loss_terms: [teacher-kl]' : undefined,
  create: (): LossTerm => ({ coupling: 'token', add() {} }),
});
