/** Tests of the core look names up among its own, and the command has no more parts than it has by itself. */

import { CORE_PARTS } from '../../src/cli/core_parts.ts';
import { useParts } from '../../src/cli/parts.ts';
import { CORE } from '../../src/core_registries.ts';
import { useLists } from './lists.ts';

useParts(CORE_PARTS);
useLists(CORE);
