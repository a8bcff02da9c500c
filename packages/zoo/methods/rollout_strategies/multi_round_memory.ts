/**
 * Wrong steps are forgotten. An answer that only finds a lemma is worth what the lemma is good for. After agents for
 * olympiad problems that keep a memory of lemmas (with arXiv:2512.10756); how much is kept is ours.
 */

import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { groupRows, integer, isRight, key, keys, meanOf, method, type Rollout, type RolloutStrategy } from '../kit.ts';
import { largestOf } from '../support/credit/group_size.ts';
import { type Chain, oneMore, paidByLast } from '../support/rollouts/chains.ts';
import { membersOf } from '../support/rollouts/request_members.ts';
import { furtherPrompts, shownTexts } from '../uses/room.ts';

export const multiRoundMemory = method({
  id: 'multi-round-memory',
  about: {
    does: 'Answers in rounds, each of which is shown the right steps of those before it.',
    names: ['lemma memory', 'Intern-S1-MO', 'long-horizon reasoning'],
    formula:
      'n = chains·memory_rounds; prompt_k ← problem and the last `lemmas` right steps of rounds 1..k−1; R of all rounds ← R of the last',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where steps of a solution can be checked one by one; without such verdicts there is nothing to remember.',
  },
  options: keys({
    memoryRounds: integer({ min: 1, max: 16, example: 2 })
      .default(2)
      .describe('Answers of a chain, all of them trained on; 1 samples plainly.'),
    mostLemmas: key(
      'lemmas',
      integer({ min: 1, max: 16, example: 2 })
        .default(2)
        .describe('Right steps that are remembered, at most: the newest.'),
    ),
  }),
  conflict: ({ memory_rounds: rounds }, _, { batch: { numGenerations } }) => {
    const each = largestOf(rounds);
    if (numGenerations % each === 0) return undefined;
    return `makes chains of ${each} answers, and groups are of ${numGenerations}; use a num_generations that ${each} divides`;
  },
  note: () => 'evaluations ask for an answer without a memory; what it gains is logged as multi-round-memory/gain',
  uses: ({ mostLemmas }, { batch: { numGenerations } }) => [
    solutionSteps,
    shownTexts(largestOf(mostLemmas)),
    furtherPrompts(numGenerations - 1),
  ],
  demonstrate: ({ item, attempt, answer, shown, ended }) => ({ prompt: shown(item, attempt), tokens: ended(answer) }),
  pays: { does: 'changes' },
  work: ({ memoryRounds }, { batch: { numGenerations } }, lengths) => ({
    rows:
      memoryRounds === 1 ? 0 : numGenerations * (1 - 1 / memoryRounds) * (groupRows(1, lengths) - lengths.completion),
  }),
  create: ({ memoryRounds, mostLemmas }): RolloutStrategy => ({
    async rollOut(requests, next, { shown, regroup, metric }) {
      if (memoryRounds === 1) return next(requests);
      const counts = requests.map(({ samples }) => Math.ceil(samples / memoryRounds));
      const first = await next(requests.map((request, i) => membersOf(request, 0, counts[i])));
      const groups = first.slice(0, requests.length);
      let chains = groups.map(({ rollouts }): Chain[] => rollouts.map((rollout) => [rollout]));
      const shownLemmas: number[] = [];
      for (let round = 1; round < memoryRounds; round++) {
        const asked = requests.flatMap((request, i) =>
          chains[i].map((chain) => {
            const lemmas = lemmasOf(chain, mostLemmas);
            shownLemmas.push(lemmas.length);
            const prompt = lemmas.length === 0 ? undefined : shown(request.item, ...lemmas);
            return oneMore(request, prompt, 'remembering');
          }),
        );
        const answered = [...(await next(asked))];
        chains = chains.map((own) =>
          own.map((chain): Chain => {
            const [group] = answered.splice(0, 1);
            return [...chain, group.rollouts[0]];
          }),
        );
      }
      const shareRight = (at: number): number =>
        meanOf(chains.flat().map((chain) => Number(isRight(chain.at(at) as Rollout))));
      metric('lemmas', meanOf(shownLemmas));
      metric('gain', shareRight(-1) - shareRight(0));
      return [
        ...groups.map((group, i) =>
          regroup(group, chains[i].flatMap((chain) => paidByLast(chain)).slice(0, requests[i].samples)),
        ),
        ...first.slice(requests.length),
      ];
    },
  }),
});

/** The newest different right steps of a chain, oldest first. */
function lemmasOf(chain: Chain, most: number): Int32Array[] {
  const found = new Map<string, Int32Array>();
  for (const { steps = [], tokens } of chain) {
    for (const { from, to, score } of steps) {
      const lemma = tokens.subarray(from, to);
      if (score === 1 && lemma.length > 0) found.set(lemma.join(), lemma);
    }
  }
  return [...found.values()].slice(-most);
}
