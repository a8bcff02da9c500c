/**
 * What the reference says of a rollout's own tokens behind a prompt that shows more, for terms that learn from a teacher
 * that knows better; or what the policy says behind one that shows less. A scoring pass before the update's own, of the completions that have such a prompt.
 */
import type { TeacherTools } from '../methods/teacher.ts';
import { type BatchLimits, groupByPrefix, packBatch, splitGroups } from '../model/batch.ts';
import { maskedPrompt } from './masked_prompts.ts';
import type { ObjectiveBatch } from './objective.ts';
import type { TrainingRun } from './run.ts';
import type { StepScope } from './step_scope.ts';

/** The micro-batch with [completions] distributions of the teacher, where a term asks for them. */
export async function withTeachers(
  run: TrainingRun,
  scope: StepScope,
  micro: ObjectiveBatch,
  capacity: BatchLimits,
): Promise<ObjectiveBatch> {
  const term = scope.methods.lossTerms.find(({ part }) => part.teacherPrompt !== undefined);
  if (term?.part.teacherPrompt === undefined) return micro;
  const { teacherPrompt, teacher = 'reference' } = term.part;
  const { tasks, policy } = run;
  const tools: TeacherTools = {
    shown: (item, tokens) => tasks.shownTokens(item, tokens),
    masked: (item, share) => maskedPrompt(run, item, share),
    tokensOf: (text) => tasks.codec.encode(text),
  };
  const members = micro.groups.flatMap((group) => group.rollouts.map((rollout, i) => ({ group, rollout, i })));
  const taught = members.flatMap(({ group, rollout, i }, place) => {
    const prefix = rollout.inLoss === false ? undefined : teacherPrompt(group.whole ?? group, rollout, tools);
    return prefix === undefined ? [] : [{ prefix, tokens: rollout.tokens, labels: rollout.labels, place, i }];
  });
  const width = tasks.codec.vocabSize;
  const teachers: (Float32Array | undefined)[] = members.map(() => undefined);
  let next = 0;
  for (const groups of splitGroups(groupByPrefix(taught), capacity)) {
    const batch = packBatch(groups);
    const { distributions = new Float32Array() } = await policy.score(batch, micro.temperature, teacher, {
      distributions: true,
    });
    const own = taught.slice(next, next + batch.completionCount);
    next += batch.completionCount;
    const found = own.map(({ tokens }) => new Float32Array(tokens.length * width));
    for (let row = 0; row < batch.lossRowCount; row++) {
      const values = distributions.subarray(row * width, (row + 1) * width);
      found[batch.completionOf[row]].set(values, batch.tokenOf[row] * width);
    }
    own.forEach(({ place }, k) => {
      teachers[place] = found[k];
    });
  }
  return { ...micro, teachers };
}
