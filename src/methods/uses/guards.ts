/** Environments' guards check each action of a rollout. */
import { states } from './states.ts';
import type { Use } from './use.ts';

export const guards: Use = { id: 'guards', implies: [states('guard')] };
