/** What the calls of tools in an episode came to, where its environment knows it. */
import type { ToolCalls } from '../../../../../src/data/environment.ts';
import type { Rollout, Turn } from '../../../../../src/methods/records.ts';
import { ownTurns } from './paid_turns.ts';

/** Calls of a turn, or of an episode. */
export interface CallsUsed {
  readonly made: number;
  /** Facts that were open before, and are known after. */
  readonly solved: number;
  /** Facts that were open before. */
  readonly open: number;
}

/** Those of one turn; undefined where nothing is known. */
export function callsOfTurn({ before, after }: Pick<Turn, 'before' | 'after'>): CallsUsed | undefined {
  return between(before?.calls, after?.calls);
}

/** Those of all turns of the policy; undefined likewise. */
export function callsOfEpisode(rollout: Pick<Rollout, 'turns'>): CallsUsed | undefined {
  const own = ownTurns(rollout);
  return between(own[0]?.before?.calls, own.at(-1)?.after?.calls);
}

function between(start: ToolCalls | undefined, end: ToolCalls | undefined): CallsUsed | undefined {
  if (start === undefined || end === undefined) return undefined;
  return { made: end.made - start.made, solved: Math.max(0, start.open - end.open), open: start.open };
}
