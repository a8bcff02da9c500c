/**
 * How methods said before 0.2 what they ask of a run: `needs` with a field for each. Files of users that still do so work
 * for one version, with a note (`options/find_old_spellings.ts`), but for figures, which are now read in another way.
 */
import { ConfigError } from '../../errors.ts';
import type { Method } from '../method.ts';
import type { ParameterSet } from '../parameter_sets.ts';
import { answerBeginnings, rightAnswers } from './answers.ts';
import { distributions, refDistributions } from './distributions.ts';
import { feedback } from './feedback.ts';
import { greedyRewards } from './greedy_rewards.ts';
import { ledger } from './ledger.ts';
import { parameterSet } from './parameter_sets.ts';
import { proximalLogprobs } from './proximal_logprobs.ts';
import { demonstrations, furtherPrompts, replies, shownTexts, wordsBehind } from './room.ts';
import { solutionSteps } from './solution_steps.ts';
import { taskChoice } from './task_choice.ts';
import { twinPrompts } from './twin_prompts.ts';
import type { Use } from './use.ts';
import { words, writtenText } from './words.ts';

/** What each field of it asks for. */
const USES = {
  parameterSets: (sets: readonly ParameterSet[]) => sets.map(parameterSet),
  distributions: () => [distributions],
  refDistributions: () => [refDistributions],
  proximal: () => [proximalLogprobs],
  ledger: (keeps: true | 'history') => [ledger({ history: keeps === 'history' })],
  twins: () => [twinPrompts],
  categories: () => [taskChoice],
  greedy: () => [greedyRewards],
  steps: () => [solutionSteps],
  feedback: (how: 'needed' | 'wanted') => [feedback({ required: how === 'needed' })],
  answers: () => [rightAnswers],
  hints: () => [answerBeginnings],
  shown: (count: number) => [shownTexts(count)],
  prompts: (count: number) => [furtherPrompts(count)],
  words: (said: Readonly<Record<string, string>>) => [words(said)],
  texts: (written: readonly string[]) => written.map(writtenText),
  replies: (count: number) => [replies(count)],
  behindCompletions: () => [wordsBehind],
  demonstrations: () => [demonstrations],
} as const satisfies Readonly<Record<string, (said: never) => readonly Use[]>>;

type Uses = typeof USES;

/** What a method asked of a run before `uses`. @deprecated say it in `uses` */
export type OldNeeds = {
  readonly [Name in keyof Uses]?: Uses[Name] extends (said: infer Said) => unknown
    ? unknown extends Said
      ? true
      : Said
    : never;
} & { readonly sampled?: readonly string[] };

/** The method with what its file says in `needs` among its uses. @param needs  as the file has it */
export function withOldNeeds(method: Method<unknown>, needs: unknown): Method<unknown> {
  if (typeof needs !== 'function') return method;
  const asked = needs as (...given: Parameters<NonNullable<Method<unknown>['uses']>>) => OldNeeds; // of 0.1
  return {
    ...method,
    uses: (options, stage) => [
      ...(method.uses?.(options, stage) ?? []),
      ...usesOfNeeds(method.id, asked(options, stage)),
    ],
  };
}

/** The same in uses. @throws ConfigError where it asks for figures */
export function usesOfNeeds(id: string, needs: OldNeeds): Use[] {
  const [figure] = needs.sampled ?? [];
  if (figure !== undefined) {
    const remedy = `write uses: () => [${figure}] in its place, and read ${figure}.of(rollout)`;
    const rule = 'asks for a figure in needs, which is called uses now';
    throw new ConfigError('old-needs', `${id}: ${rule}; ${remedy}; rlvr-train/methods has it.`, { method: id });
  }
  return Object.entries(USES).flatMap(([name, use]) => {
    const said = needs[name as keyof Uses];
    return said === undefined ? [] : use(said as never);
  });
}
