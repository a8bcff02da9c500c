/**
 * A completion as turns. Its tokens, log-probs and labels are one array each; a turn is a view of the tokens, so that
 * turns take no memory, and per-token code need not know them.
 */
import { POLICY_TURN } from '../../../data/environment.ts';
import { TOKEN } from '../../../token_kinds.ts';
import type { Turn, VerifiedCompletion } from '../../records.ts';

/** The turns of any completion; one turn of the policy if it has no list. */
export function turnsOf({
  tokens,
  text,
  turns,
}: Pick<VerifiedCompletion, 'tokens' | 'text' | 'turns'>): readonly Turn[] {
  return turns ?? [{ tokens, label: POLICY_TURN, text }];
}

/** Tokens of each turn of the policy, with the one that ended it. */
export function policyTurns(completion: Parameters<typeof turnsOf>[0]): readonly Int32Array[] {
  if (completion.turns === undefined) return [completion.tokens];
  return turnsOf(completion).flatMap(({ tokens, label }) => (label === POLICY_TURN ? [tokens] : []));
}

/** The number of tokens in the policy's turns: the length of a completion without the answers between them. */
export function ownLength(completion: Parameters<typeof turnsOf>[0]): number {
  if (completion.turns === undefined) return completion.tokens.length;
  return policyTurns(completion).reduce((sum, { length }) => sum + length, 0);
}

/** The tokens of the policy's turns, one after the other. */
export function ownTokens(completion: Parameters<typeof turnsOf>[0]): Int32Array {
  if (completion.turns === undefined) return completion.tokens;
  return Int32Array.from(policyTurns(completion).flatMap((tokens) => [...tokens]));
}

/** A turn without its tokens. */
export interface TurnRecord extends Omit<Turn, 'tokens'> {
  readonly length: number;
}

/** Consecutive turns over these tokens, and their joined text. */
export function turnsOver(
  tokens: Int32Array,
  turns: readonly TurnRecord[],
): Required<Pick<VerifiedCompletion, 'turns' | 'text'>> {
  let begin = 0;
  return {
    turns: turns.map(({ length, ...said }) => {
      const end = begin + length;
      const turn = { tokens: tokens.subarray(begin, end), ...said };
      begin = end;
      return turn;
    }),
    text: turns.map(({ text }) => text).join(''),
  };
}

/** What is wrong with the turns of a completion; undefined: nothing. */
export function turnsFlaw({
  tokens,
  labels,
  text,
  turns,
}: Pick<VerifiedCompletion, 'tokens' | 'labels' | 'text' | 'turns'>): string | undefined {
  if (turns === undefined) return undefined;
  let begin = 0;
  for (const { tokens: own, label } of turns) {
    const end = begin + own.length;
    if (own.some((id, i) => id !== tokens[begin + i])) return `turns of other tokens than those of their completion`;
    const carriesLoss =
      label !== POLICY_TURN && !(labels?.subarray(begin, end).every((kind) => kind === TOKEN.given) ?? false);
    if (carriesLoss && own.length > 0) return `a turn of ${label} whose tokens carry a loss`;
    begin = end;
  }
  if (begin !== tokens.length) return `turns of ${begin} tokens in a completion of ${tokens.length}`;
  if (turns.map((turn) => turn.text).join('') !== text) return 'turns of another text than that of their completion';
  return undefined;
}
