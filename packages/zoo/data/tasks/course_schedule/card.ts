/** What course_schedule is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  courses: integer({ min: 4, max: 20, example: 6 }).default(6).describe('How many courses.'),
});

export type CourseScheduleKnobs = Values<typeof KNOBS>;

export const courseScheduleCard = {
  name: 'course_schedule',
  does: 'Tell whether all courses can be taken, each after those that it needs.',
  example: ['plan fa ab ae fd fc ef>', 'no'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: KNOBS,
  levels: [{ courses: 4 }, {}, { courses: 10 }, { courses: 20 }],
  attributes: { courses: [4, 6, 10, 20] },
} satisfies TaskCard<CourseScheduleKnobs>;
