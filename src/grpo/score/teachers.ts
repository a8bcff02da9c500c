/**
 * What the reference says of a rollout's own tokens behind a prompt that shows more, for terms that learn from a teacher
 * that knows better; or what the policy says behind one that shows less. A scoring pass before the update's own, of the completions that have such a prompt.
 */
import type { Rollout, RolloutGroup } from '../../methods/records.ts';
import type { TeacherTools } from '../../methods/support/rollouts/teacher.ts';
import { type BatchLimits, groupByPrefix, packBatch, splitGroups, splitUnits } from '../../model/batch.ts';
import type { TrainingRun } from '../run.ts';
import type { StepScope } from '../step_scope.ts';
import { type GroupPart, groupParts } from '../update/group_parts.ts';
import type { ObjectiveBatch } from '../update/objective.ts';
import { maskedPrompt } from './masked_prompts.ts';

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
  const tools = teacherTools(run);
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

/** What the prompts of teachers are made with. */
export function teacherTools(run: TrainingRun): TeacherTools {
  const { tasks } = run;
  return {
    shown: (item, tokens) => tasks.shownTokens(item, tokens),
    masked: (item, share) => maskedPrompt(run, item, share),
    tokensOf: (text) => tasks.codec.encode(text),
  };
}

/** The groups with the log-probs of the teacher of a credit step, where one has a prompt for a rollout that was sampled as it is trained. */
export async function withTeacherLogprobs(
  run: TrainingRun,
  scope: StepScope,
  temperature: number,
  groups: readonly RolloutGroup[],
  capacity: Required<BatchLimits>,
): Promise<readonly RolloutGroup[]> {
  const step = scope.methods.creditSteps.find(({ part }) => part.teacherPrompt !== undefined);
  const tools = teacherTools(run);
  /** Of a group, or of a part of one that is too large for a batch. */
  const taughtOf = ({ whole, ...group }: GroupPart<RolloutGroup>) =>
    group.rollouts.flatMap((rollout) => {
      const isOwn = rollout.inLoss !== false && !rollout.isOffPolicy && rollout.prompt === undefined;
      const prefix = isOwn ? step?.part.teacherPrompt?.(whole ?? group, rollout, tools) : undefined;
      return prefix === undefined ? [] : [{ prefix, tokens: rollout.tokens, labels: rollout.labels, rollout }];
    });
  const parts = groups
    .flatMap((group) => groupParts(group, capacity.completions))
    .map(taughtOf)
    .filter(({ length }) => length > 0);
  const found = new Map<Rollout, Float32Array>();
  for (const micro of splitUnits(parts, groupByPrefix, capacity)) {
    const batch = packBatch(micro.flatMap(groupByPrefix));
    const { logprobs } = await run.policy.score(batch, temperature, 'reference');
    const own = micro.flat();
    // Of a token that was put in its own, so that the two do not differ.
    for (const { rollout } of own) found.set(rollout, Float32Array.from(rollout.logprobs));
    logprobs.forEach((value, row) => {
      (found.get(own[batch.completionOf[row]].rollout) as Float32Array)[batch.tokenOf[row]] = value;
    });
  }
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const teacherLogprobs = found.get(rollout);
      return teacherLogprobs === undefined ? rollout : { ...rollout, teacherLogprobs };
    }),
  }));
}
