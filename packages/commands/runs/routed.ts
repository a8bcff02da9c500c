/**
 * Recorded completions sorted into data for other trainings, as ReAgent-V sorts scored answers: what is right becomes a
 * demonstration, the best and the worst of a divided group a preference, and a problem that is solved sometimes a prompt to train
 * on. A right completion that was written under help is one as well, of the problem as it is asked.
 */
import type { ReadCompletionLine } from '../../../src/run/logs/completions.ts';

/** Rows of three files, each once. */
export interface Routed {
  /** Right completions. */
  readonly sft: readonly { readonly prompt: string; readonly completion: string }[];
  /** The best and the worst of groups whose rewards differ. */
  readonly pairs: readonly { readonly prompt: string; readonly chosen: string; readonly rejected: string }[];
  /** Problems that some completions of a group solve and others do not, with the share that does. */
  readonly prompts: readonly { readonly prompt: string; readonly solve_rate: number }[];
}

interface Member {
  readonly completion: string;
  readonly isRight: boolean;
  readonly reward: number;
}

/** @param lines  of completions.jsonl, in order; those of a group follow each other */
export function routed(lines: Iterable<ReadCompletionLine>): Routed {
  const groups: { readonly key: string; readonly prompt: string; readonly members: Member[] }[] = [];
  for (const { step, group, prompt, completion, status, reward } of lines) {
    if (typeof prompt !== 'string' || typeof completion !== 'string' || typeof reward !== 'number') continue;
    const key = `${step}|${group}|${prompt}`;
    const last = groups[groups.length - 1];
    const open = last?.key === key ? last : { key, prompt, members: [] };
    if (open !== last) groups.push(open);
    open.members.push({ completion, reward, isRight: status === 'correct' });
  }
  const rates = new Map<string, { right: number; all: number }>();
  for (const { prompt, members } of groups) {
    const known = rates.get(prompt) ?? { right: 0, all: 0 };
    rates.set(prompt, {
      right: known.right + members.filter(({ isRight }) => isRight).length,
      all: known.all + members.length,
    });
  }
  return {
    sft: once(
      groups.flatMap(({ prompt, members }) =>
        members.flatMap(({ isRight, completion }) => (isRight ? [{ prompt, completion }] : [])),
      ),
    ),
    pairs: once(groups.flatMap(({ prompt, members }) => pairOf(prompt, members))),
    prompts: [...rates].flatMap(([prompt, { right, all }]) =>
      right > 0 && right < all ? [{ prompt, solve_rate: right / all }] : [],
    ),
  };
}

/** The first best and the first worst; none where all have the same reward. */
function pairOf(prompt: string, members: readonly Member[]): Routed['pairs'] {
  const best = members.reduce((a, b) => (b.reward > a.reward ? b : a));
  const worst = members.reduce((a, b) => (b.reward < a.reward ? b : a));
  if (best.reward === worst.reward || best.completion === worst.completion) return [];
  return [{ prompt, chosen: best.completion, rejected: worst.completion }];
}

function once<Row>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}
