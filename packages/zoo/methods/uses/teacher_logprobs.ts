/**
 * [tokens] log-probs under the reference and the prompt of a teacher, which sees more of the problem; those of the
 * sampler where a token was put in. Off-policy rollouts have none, nor those that are trained under a prompt of their own.
 */
import type { Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import type { TeacherTools } from '../../../../src/methods/support/rollouts/teacher.ts';
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Figure, figure } from './figure.ts';

type TeacherPrompt = (group: RolloutGroup, rollout: Rollout, tools: TeacherTools) => Int32Array | undefined;

/** Log-probs under a reference that sees more. @param promptOf  what the teacher reads; undefined where it would know no more. Of several of a stage the first is taken */
export function teacherLogprobs(promptOf: TeacherPrompt): Figure<Float32Array> {
  return figure<Float32Array>({
    id: 'teacherLogprobs',
    says: 'a scoring pass of what was sampled, before it is credited: log-probs under a reference that sees more',
    implies: [reference],
    async compute(members, tools) {
      const taught = members.flatMap(({ group, rollout }, i) => {
        const { prompt, tokens, labels, logprobs, inLoss, isOffPolicy } = rollout;
        const isOwn = inLoss !== false && !isOffPolicy && prompt === undefined;
        const prefix = isOwn ? promptOf(group, rollout, tools) : undefined;
        return prefix === undefined ? [] : [{ prefix, tokens, labels, givenLogprobs: logprobs, i }];
      });
      const scores = await tools.score(taught, { set: 'reference' });
      const found: (Float32Array | undefined)[] = members.map(() => undefined);
      taught.forEach(({ i }, k) => {
        found[i] = scores[k].logprobs;
      });
      return found;
    },
  });
}
