/** What corrupt_span is and which knobs it has. */
import { options, type Values } from '../../../options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({ of: ofKnob('countdown') });

export type CorruptSpanKnobs = Values<typeof KNOBS>;

export const corruptSpanCard = {
  name: 'corrupt_span',
  does: 'Find the piece that was replaced in an answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', '9'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: [],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<CorruptSpanKnobs>;
