/** Files of a user, as texts: the reward and the task that CONTRIBUTING.md writes. */
import { blockOf } from '../support/page_blocks.ts';

/** rewards/brief.ts. */
export const BRIEF = blockOf('CONTRIBUTING.md', '// rewards/brief.ts');
/** tasks/addition.ts. */
export const ADDITION = blockOf('CONTRIBUTING.md', '/** Addition:');
/** tasks/product.ts. */
export const PRODUCT = blockOf('CONTRIBUTING.md', '// tasks/product.ts');
