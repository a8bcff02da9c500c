/** What each output of a forward pass is, by name. */
import { distributions } from './distributions.ts';
import { hidden } from './hidden.ts';
import type { OutputName } from './names.ts';
import type { Output } from './output.ts';

export const OUTPUTS: Readonly<Record<OutputName, Output>> = { distributions, hidden };
