import { choice, flag } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const inFormCard = taskCard({
  name: 'in_form',
  does: 'Answer a problem of another task in a form: in sections, after reasoning, with a score of the own answer, or as several candidates.',
  example: ['3 7 2 = 13 ?', '<plan> 3 * 2 = 6 </plan> <answer> 3 * 2 = 6 , 6 + 7 = 13 </answer>'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: ['kept'],
  knobs: {
    of: ofKnob('countdown'),
    form: choice(['sections', 'reasoned', 'scored', 'candidates'])
      .default('sections')
      .describe(
        'What is written: a plan and the answer, each in tags (sections); the plan, a mark and the answer (reasoned); the answer, a mark and 1 or 0, whether it is right (scored); or up to four answers with marks between, the first of which counts (candidates). The mark is |, or the first of / \\ ~ # @ $ that the other task does not write.',
      ),
    restates: flag().default(false).describe('Sections alone: a section before the plan repeats the problem.'),
  },
  levels: [{ of: { task: 'countdown', level: 0 } }, {}, { form: 'reasoned' }, { restates: true }],
});

export type InFormKnobs = KnobsOf<typeof inFormCard>;
