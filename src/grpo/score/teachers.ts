/**
 * Log-probs of a rollout's own tokens under the reference with a prompt that shows more, for terms that learn from a
 * better-informed teacher, or under the policy with a prompt that shows less. Completions with such a prompt are scored
 * in a pass before the update.
 */
import type { TeacherTools } from '../../methods/support/rollouts/teacher.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';
import type { ObjectiveBatch } from '../update/objective.ts';
import { maskedPrompt } from './masked_prompts.ts';

/** The micro-batch with [completions] distributions of the teacher, where a term asks for them. */
export async function withTeachers(engine: Engine, step: Step, micro: ObjectiveBatch): Promise<ObjectiveBatch> {
  const term = step.methods.lossTerms.find(({ part }) => part.teacherPrompt !== undefined);
  if (term?.part.teacherPrompt === undefined) return micro;
  const { teacherPrompt, teacher = 'reference' } = term.part;
  const tools = teacherTools(engine, step);
  const members = micro.groups.flatMap((group) => group.rollouts.map((rollout) => ({ group, rollout })));
  const taught = members.flatMap(({ group, rollout }, place) => {
    const prefix = rollout.inLoss === false ? undefined : teacherPrompt(group.whole ?? group, rollout, tools);
    return prefix === undefined ? [] : [{ prefix, tokens: rollout.tokens, labels: rollout.labels, place }];
  });
  const { temperature } = micro;
  const scores = await engine.generator.score(taught, { set: teacher, temperature, distributions: true });
  const teachers: (Float32Array | undefined)[] = members.map(() => undefined);
  taught.forEach(({ place }, k) => {
    teachers[place] = scores[k].distributions;
  });
  return { ...micro, teachers };
}

/** Tools that make teachers' prompts. */
export function teacherTools(engine: Engine, step: Step): TeacherTools {
  const { tasks } = engine;
  return {
    shown: (item, tokens) => tasks.shownTokens(item, tokens),
    masked: (item, share) => maskedPrompt(engine, step, item, share),
    tokensOf: (text) => tasks.codec.encode(text),
  };
}
