import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const courseScheduleCard = taskCard({
  name: 'course_schedule',
  does: 'Tell whether all courses can be taken, each after those that it needs.',
  example: ['plan fa ab ae fd fc ef>', 'no'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: {
    courses: integer({ min: 4, max: 20, example: 6 }).default(6).describe('How many courses.'),
  },
  levels: [{ courses: 4 }, {}, { courses: 10 }, { courses: 20 }],
  attributes: { courses: [4, 6, 10, 20] },
});

export type CourseScheduleKnobs = KnobsOf<typeof courseScheduleCard>;
