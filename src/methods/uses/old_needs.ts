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

/** What a method asked of a run before `uses`. @deprecated say it in `uses` */
export interface OldNeeds {
  readonly parameterSets?: readonly ParameterSet[];
  readonly distributions?: true;
  readonly refDistributions?: true;
  readonly sampled?: readonly string[];
  readonly proximal?: true;
  readonly ledger?: true | 'history';
  readonly twins?: true;
  readonly categories?: true;
  readonly greedy?: true;
  readonly steps?: true;
  readonly feedback?: 'needed' | 'wanted';
  readonly answers?: true;
  readonly hints?: true;
  readonly shown?: number;
  readonly prompts?: number;
  readonly words?: Readonly<Record<string, string>>;
  readonly texts?: readonly string[];
  readonly replies?: number;
  readonly behindCompletions?: true;
  readonly demonstrations?: true;
}

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
  const given = <Value>(value: Value | undefined, use: (value: Value) => readonly Use[]): readonly Use[] =>
    value === undefined ? [] : use(value);
  return [
    ...(needs.parameterSets ?? []).map(parameterSet),
    ...given(needs.distributions, () => [distributions]),
    ...given(needs.refDistributions, () => [refDistributions]),
    ...given(needs.proximal, () => [proximalLogprobs]),
    ...given(needs.ledger, (keeps) => [ledger({ history: keeps === 'history' })]),
    ...given(needs.twins, () => [twinPrompts]),
    ...given(needs.categories, () => [taskChoice]),
    ...given(needs.greedy, () => [greedyRewards]),
    ...given(needs.steps, () => [solutionSteps]),
    ...given(needs.feedback, (how) => [feedback({ required: how === 'needed' })]),
    ...given(needs.answers, () => [rightAnswers]),
    ...given(needs.hints, () => [answerBeginnings]),
    ...given(needs.shown, (count) => [shownTexts(count)]),
    ...given(needs.prompts, (count) => [furtherPrompts(count)]),
    ...given(needs.words, (said) => [words(said)]),
    ...(needs.texts ?? []).map(writtenText),
    ...given(needs.replies, (count) => [replies(count)]),
    ...given(needs.behindCompletions, () => [wordsBehind]),
    ...given(needs.demonstrations, () => [demonstrations]),
  ];
}
