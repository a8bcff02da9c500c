/** The first right completions of a stage are kept, one a problem. Costs a pass over them a step. */

import { TOKEN } from '../../../../src/token_kinds.ts';
import type { CreditedGroup, Json, LossTerm, ScoredText, TrainedText } from '../kit.ts';
import { BACKWARD, carriesLoss, FORWARD, integer, isRight, keys, meanOf, method } from '../kit.ts';

const ID = 'm-interference';

/** A right completion, with what is known of how likely it was. */
interface Kept {
  readonly key: string;
  readonly text: TrainedText;
  /** Log-prob of a token, on average: as it was kept, and at the step before. */
  first?: number;
  last?: number;
}

export const mInterference = method({
  id: ID,
  about: {
    does: 'Measures what each step does to the likelihood of solutions that the policy had found; changes nothing.',
    names: ['interference', 'forgetting of solutions'],
    formula:
      'ℓ_k(s) = mean_t log π_s of solution k before step s; loglik: mean_k ℓ_k(s), moved: mean_k ℓ_k(s) − ℓ_k(s − 1), since: the same to the step at which k was kept, harmed: share of k with ℓ_k(s) < ℓ_k(s − 1)',
    source: '2510.02230',
    certainty: 'after the paper',
    when: 'To see whether a step on some problems unlearns solutions of others; costs a pass over the kept solutions at each step.',
  },
  options: keys({
    solutions: integer({ min: 1, max: 4096, example: 32 }).default(32).describe('Solutions that are kept.'),
  }),
  holdsPolicy: false,
  work: ({ solutions }, _, { prompt, completion }) => ({
    stepRows: solutions * (FORWARD + BACKWARD) * (prompt + completion - 1),
  }),
  onlyMeasures: true,
  create: ({ solutions }): LossTerm => {
    let kept: Kept[] = [];
    /** Those of the step under way, in order, and how likely they are. */
    let found: number[] = [];
    return {
      coupling: 'token',
      device: {}, // it adds nothing to the rollouts' rows
      add() {},
      begin(groups) {
        for (const group of groups) keepOne(kept, group, solutions);
        found = [];
      },
      texts: () => kept.map(({ text }) => text),
      addTexts(texts) {
        found.push(...texts.map(meanLogprob));
      },
      afterUpdate() {
        if (found.length === 0) return undefined;
        const before = kept.map(({ last }) => last);
        found.forEach((value, k) => {
          kept[k].first ??= value;
          kept[k].last = value;
        });
        const moved = found.flatMap((value, k) => (before[k] === undefined ? [] : [value - Number(before[k])]));
        return {
          [`${ID}/solutions`]: kept.length,
          [`${ID}/loglik`]: meanOf(found),
          [`${ID}/since`]: meanOf(found.map((value, k) => value - (kept[k].first ?? value))),
          ...(moved.length > 0 && {
            [`${ID}/moved`]: meanOf(moved),
            [`${ID}/harmed`]: meanOf(moved.map((difference) => Number(difference < 0))),
          }),
        };
      },
      state: () => kept.map(asJson),
      restore(state) {
        kept = (state as unknown as ReturnType<typeof asJson>[]).map(fromJson); // written by `state`
      },
    };
  },
});

/** Keeps the first right completion of a problem that has none yet. */
function keepOne(kept: Kept[], group: CreditedGroup, most: number): void {
  if (kept.length >= most || kept.some(({ key }) => key === group.item.key)) return;
  const right = group.rollouts.find(
    (rollout) => isRight(rollout) && rollout.tokens.some((_, t) => carriesLoss(rollout, t)),
  );
  if (right === undefined) return;
  const { tokens, labels } = right;
  kept.push({ key: group.item.key, text: { prompt: group.prompt, tokens, labels } });
}

function meanLogprob({ logprobs, labels }: ScoredText): number {
  return meanOf(Array.from(logprobs).filter((_, t) => labels?.[t] !== TOKEN.given));
}

function asJson({ key, text, first, last }: Kept) {
  const { prompt, tokens, labels } = text;
  return {
    key,
    prompt: [...prompt],
    tokens: [...tokens],
    labels: labels === undefined ? null : [...labels],
    first: first ?? null,
    last: last ?? null,
  } satisfies Json;
}

function fromJson({ key, prompt, tokens, labels, first, last }: ReturnType<typeof asJson>): Kept {
  const text = { prompt: Int32Array.from(prompt), tokens: Int32Array.from(tokens) };
  return {
    key,
    text: { ...text, ...(labels !== null && { labels: Uint8Array.from(labels) }) },
    ...(first !== null && { first }),
    ...(last !== null && { last }),
  };
}
