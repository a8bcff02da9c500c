/**
 * What is learned from a misread problem is noise. The copies are a group of a kind of their own, paid by the share of
 * operands that are right, and trained on. PEARL asks a checklist about a picture; here it is the operands of a prompt,
 * its digits or else its letters.
 */

import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type GroupRequest, groupRows, integer, keys, meanOf, method, number, type RolloutStrategy } from '../kit.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

const READ = '<read>';

export const prerequisiteGate = method({
  id: 'prerequisite-gate',
  about: {
    does: 'Trains on a problem only where the policy can copy the operands of its prompt.',
    names: ['PEARL', 'read-back', 'perception gate'],
    formula:
      'A ← A·1[mean accuracy of read_samples copies of the operands ≥ gate_threshold]; copies are groups of their own',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where failures may come from misreading the problem; in vain once the policy copies its operands reliably.',
  },
  options: keys({
    readSamples: integer({ min: 0, max: 64, example: 4 })
      .default(4)
      .describe('Copies of each problem, at most num_generations; 0 asks for none.'),
    gateThreshold: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Mean accuracy of the copies from which on the answers are trained on.'),
  }),
  uses: () => [words({ [READ]: 'Copy the numbers of the problem, in order.' }), replies(1)],
  work: ({ readSamples }, _, lengths) => ({ rows: 3 * groupRows(readSamples, lengths) }),
  create: ({ readSamples, gateThreshold }, { batch: { numGenerations } }): RolloutStrategy => ({
    async rollOut(requests, next, { followUp, metric }) {
      const groups = await next(requests);
      const samples = Math.min(readSamples, numGenerations);
      if (samples === 0) return groups;
      const asked = groups.map(({ item }): GroupRequest => {
        const due = operandsOf(item.prompt);
        const prompt = followUp(item, [new Int32Array(), READ]);
        return { item, samples, prompt, kind: 'read', judge: (text) => judgeCopy(text, due) };
      });
      const copies = await next(asked);
      const accuracies = copies.map(({ rollouts }) => meanOf(rollouts.map(({ verdict }) => verdict.score ?? 0)));
      const isShut = groups.map((_, i) => accuracies[i] < gateThreshold);
      metric('accuracy', meanOf(accuracies));
      metric('shut', meanOf(isShut.map(Number)));
      const gated = groups.map((group, i) =>
        isShut[i] ? { ...group, rollouts: group.rollouts.map((one) => ({ ...one, inLoss: false as const })) } : group,
      );
      return [...gated, ...copies];
    },
  }),
});

/** The digits of a text, or its letters where it has none. */
function operandsOf(text: string): readonly string[] {
  return text.match(/\d/g) ?? text.match(/\p{L}/gu) ?? [];
}

/** @param due  what is to be copied */
function judgeCopy(text: string, due: readonly string[]): Verdict {
  const said = operandsOf(text);
  const places = Math.max(due.length, said.length);
  const right = due.filter((operand, i) => said[i] === operand).length;
  const score = places === 0 ? 0 : right / places;
  if (score === 1) return { score, status: 'correct', reason: 'the operands' };
  return { score, status: 'incorrect', failure: 'wrong_value', reason: `${right} of ${places} operands` };
}
