/** How much likelier the policy finds one reply than another to a question about its own answer. */
import { followUpTokens } from '../../data/prompts/follow_up.ts';
import type { TaskItem } from '../../data/task.ts';
import type { EvaluationFigure } from '../../methods/points.ts';
import type { VerifiedCompletion } from '../../methods/records.ts';
import { wordTokens } from '../../text/control_words.ts';
import type { Engine } from '../engine.ts';

/**
 * Two short sequences are scored for each answer; nothing is sampled.
 *
 * @param completions  [items][samples]
 * @returns [items][samples] p(first reply) / (p(first) + p(second)); undefined for an episode of several turns
 */
export async function affirmations(
  { tasks, generator }: Pick<Engine, 'tasks' | 'generator'>,
  items: readonly TaskItem[],
  completions: readonly (readonly VerifiedCompletion[])[],
  { question, replies }: NonNullable<EvaluationFigure['asks']>,
): Promise<(number | undefined)[][]> {
  const words = replies.map((reply) => wordTokens(tasks.codec, reply));
  const sequences = completions.flatMap((own, i) =>
    own.flatMap((completion) => {
      if (completion.turns !== undefined) return [];
      const { tokens, finishReason } = completion;
      const answer = finishReason === 'eos' ? tokens.subarray(0, -1) : tokens;
      const prefix = followUpTokens(tasks, items[i], [[answer, question]]);
      return words.map((word) => ({ prefix, tokens: word }));
    }),
  );
  const scores = await generator.score(sequences, { temperature: 1 });
  const sums = scores.map(({ logprobs }) => logprobs.reduce((sum, logprob) => sum + logprob, 0));
  let next = 0;
  return completions.map((itemCompletions) =>
    itemCompletions.map((completion) => {
      if (completion.turns !== undefined) return undefined;
      const [yes, no] = [sums[next++], sums[next++]];
      return 1 / (1 + Math.exp(no - yes));
    }),
  );
}
