/** Hints: whether the policy comes to do without them. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { percent } from '../../../src/format.ts';

/** Share of the groups from which on most of what is learned is learned with help. */
const MOST = 0.5;
/** Batches in a row: what helps is to be seen by then. */
const FOR_BATCHES = 40;

const hintsStay: Diagnostic = {
  code: 'hints-stay',
  level: 'warning',
  after: 'batch',
  reads: ['helped'],
  appliesTo: 'hints',
  patience: FOR_BATCHES,
  look({ batches }) {
    const { helped = 0 } = batches.at(-1) ?? {};
    if (helped < MOST) return undefined;
    return {
      seen: `${percent(helped)} of the groups needed a hint or an answer, and most did for ${FOR_BATCHES} batches`,
      why: 'The policy learns to continue from help, and evaluations give it none',
      remedy:
        'Train as if without the hint (trained: unhinted), give shorter hints, or begin with an easier level or a longer sft stage',
    };
  },
};

export const HINT_DIAGNOSTICS: readonly Diagnostic[] = [hintsStay];
