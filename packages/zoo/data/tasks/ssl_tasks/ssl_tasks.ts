/**
 * One of five things done to a right answer, each equally often; the letter after the problem says which.
 *
 *   A mask_fill   B reorder   C mcq_fim   D corrupt_span   E vmr
 */
import type { Derivation, Shown } from '../../derived/derived_task.ts';
import type { Inner } from '../../derived/inner.ts';
import { corruptSpan } from '../corrupt_span/corrupt_span.ts';
import { maskFill } from '../mask_fill/mask_fill.ts';
import { mcqFim } from '../mcq_fim/mcq_fim.ts';
import { reorder } from '../reorder/reorder.ts';
import { vmr } from '../vmr/vmr.ts';

const KINDS: readonly Derivation[] = [maskFill, reorder, mcqFim, corruptSpan, vmr];
/** Knobs of those that have some. */
const KNOBS = { masks: 2, options: 4, span: 2 };

const shownOf = ({ shown, ...asked }: Shown): Shown => ({
  ...asked,
  shown: shown.slice(2),
  ...(innerKept(asked.kept) !== undefined && { kept: innerKept(asked.kept) }),
});

const innerKept = (kept: Shown['kept']) => (kept as { readonly kept?: number } | undefined)?.kept;
const kindOf = (inner: Inner, { shown }: Shown): Derivation => KINDS[inner.labels(KINDS.length).indexOf(shown[0])];

export const sslTasks: Derivation = {
  question:
    'The letter between the marks says what is asked: the missing pieces, the right order, the letter of the missing text, the place of the spoiled piece, or the letter of the right answer.',
  draw(problem, inner, rng) {
    const kind = rng.int(0, KINDS.length - 1);
    const drawn = KINDS[kind].draw(problem, inner, rng, KNOBS);
    if (drawn === null) return null;
    const { shown, answer, kept } = drawn;
    return {
      shown: [inner.labels(KINDS.length)[kind], inner.separator, ...shown],
      answer,
      ...(kept !== undefined && { kept: { kept } }),
    };
  },
  judge: (problem, inner, asked, given) => kindOf(inner, asked).judge(problem, inner, shownOf(asked), given),
  guess: (problem, inner, asked, rng) => kindOf(inner, asked).guess(problem, inner, shownOf(asked), rng),
  further: (inner) => [...inner.labels(KINDS.length), ...KINDS.flatMap((kind) => kind.further(inner, KNOBS))],
  longest(answer) {
    const all = KINDS.map((kind) => kind.longest(answer, KNOBS));
    return {
      shown: 2 + Math.max(...all.map(({ shown }) => shown)),
      answer: Math.max(...all.map((one) => one.answer)),
    };
  },
};
