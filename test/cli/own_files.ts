/** Files of a user, as texts: the reward and the tasks that the pages write. */
import { blockOf } from '../support/page_blocks.ts';

/** rewards/brief.ts. */
export const BRIEF = blockOf('docs/rewards.md', '// rewards/brief.ts');
/** tasks/addition.ts. */
export const ADDITION = blockOf('docs/own_task.md', '/** Addition:');
/** tasks/sums.ts. */
export const SUMS = blockOf('docs/own_task.md', '/** Sums:');
/** tasks/shift.ts. */
export const SHIFT = blockOf('docs/tutorial.md', '// tasks/shift.ts');
