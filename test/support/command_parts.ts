/** Tests look names up among all that the package has, and commands that they run in their own process have all its parts. */
import { EVERYTHING } from '../../packages/commands/everything.ts';
import { ZOO } from '../../packages/zoo/registries.ts';
import { useParts } from '../../src/cli/parts.ts';
import { useLists } from './lists.ts';

useParts(EVERYTHING);
useLists(ZOO);
