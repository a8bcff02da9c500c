/** Commands that tests run in their own process have all that the package has. */
import { EVERYTHING } from '../../packages/commands/everything.ts';
import { useParts } from '../../src/cli/parts.ts';

useParts(EVERYTHING);
