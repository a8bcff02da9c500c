/**
 * A task that is asked again where the answer was wrong.
 *
 *   prompt      3 7 2 = 13 ?              as the inner task asks it
 *   action      7 * 2 = 14 , 14 - 3 = 11
 *   observation | …                       a mark, then what the inner task's `feedback` says; another mark where it could
 *                                         not be read. A pretrained model reads the verdict's reason
 *   won         with an answer of full score; else the verdict is that on the last attempt
 *   split       the inner task's
 *
 * The last attempt counts, not the best one: a policy is to end with its answer, and is not to be paid for one that it
 * has taken back.
 */
import {
  type EnvironmentDefinition,
  type EnvironmentStep,
  mostEpisodeTokens,
  type TurnLimits,
} from '../../../../src/data/environment.ts';
import { drawIdentity } from '../../../../src/data/split.ts';
import type { AnyTaskDefinition, Knobs, TaskCard, TaskDefinition } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { key } from '../../../../src/options/keys.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { characterTokenizer, wordTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { environmentTask } from '../environment_task.ts';
import { ATTEMPTS } from '../tasks/retry/card.ts';
import { Inner } from './inner.ts';

/** The inner problem, and the answers that it was given so far. */
type RetryState = { readonly of: Json; readonly given: number };

/** Draws of another problem, whose answer a player takes who knows the form of answers alone. */
const MOST_DRAWS = 20;
/** What a pretrained model reads where nothing is said of its answer. */
const AGAIN = 'Look at it again, and give your answer.';
/** Characters of what a pretrained model reads. */
const MOST_WORDS = 200;

/**
 * @param innerOf  the task that is asked, at its own knobs
 * @param inner  its definition
 */
export function retryTask(
  card: TaskCard<Knobs>,
  inner: AnyTaskDefinition,
  innerOf: (knobs: Knobs) => Inner,
): AnyTaskDefinition {
  const attemptsOf = ({ attempts }: Knobs): number => Number(attempts);
  const judge = (state: RetryState, answer: string, knobs: Knobs): Verdict =>
    inner.verify(state.of, answer, innerOf(knobs).knobs, { finishReason: 'eos', wantsFeedback: true });
  const stepping =
    (isInWords: boolean) =>
    (state: RetryState, action: string, knobs: Knobs): EnvironmentStep<RetryState> => {
      const answer = isInWords ? action.trim() : action;
      const verdict = judge(state, answer, knobs);
      const next = { ...state, given: state.given + 1 };
      const potential = verdict.score ?? 0;
      const saysNothing = knobs.says === 'nothing';
      const isDone = verdict.score === 1 && !saysNothing;
      if (isDone || next.given === attemptsOf(knobs)) return { state: next, verdict, potential };
      if (saysNothing) return { state: next, observation: isInWords ? AGAIN : innerOf(knobs).separator, potential };
      const observation = isInWords ? inWords(verdict) : inMarks(innerOf(knobs), state.of, answer, verdict);
      return { state: next, observation, potential };
    };
  const made = environmentTask<Json, RetryState, Knobs>(card, {
    family: inner.family,
    characters: '',
    ...pickOf(inner, innerOf),
    generate: (rng, knobs) => drawIdentity(inner, innerOf(knobs).knobs, rng),
    key: (identity) => inner.key(identity),
    prompt: (identity, knobs) => inner.prompt(identity, innerOf(knobs).knobs),
    start: (of) => ({ of, given: 0 }),
    step: stepping(false),
    expert: ({ of }, knobs) => inner.oracle(of, innerOf(knobs).knobs),
    teacher: ({ of }, knobs, rng) => inner.demonstration(of, innerOf(knobs).knobs, rng),
    random: (_, knobs, rng) => anotherAnswer(innerOf(knobs), rng),
    chance: (knobs) => 1 - (1 - inner.chance(innerOf(knobs).knobs)) ** attemptsOf(knobs),
    longest: (knobs) => {
      const { prompt, answer } = innerOf(knobs).limits();
      return { turns: attemptsOf(knobs), prompt, action: answer, observation: answer + 1 };
    },
  });
  const environment = made.environment as EnvironmentDefinition<Json, Json, Knobs>; // environmentTask gives one
  return {
    ...made,
    ...(inner.sandboxEngine && { sandboxEngine: inner.sandboxEngine }),
    environment: {
      ...environment,
      inWords: () => ({
        ...environment,
        step: stepping(true) as unknown as typeof environment.step,
        turnLimits: (knobs): TurnLimits => ({ ...environment.turnLimits(knobs), observationCharacters: MOST_WORDS }),
      }),
    },
    /** As one text, an answer is that of the last attempt. */
    oracle: (identity, knobs) => inner.oracle(identity, innerOf(knobs).knobs),
    demonstration: (identity, knobs, rng) => inner.demonstration(identity, innerOf(knobs).knobs, rng),
    mutants: (identity, knobs, rng) => inner.mutants(identity, innerOf(knobs).knobs, rng),
    verify: (identity, answer, knobs, context) => inner.verify(identity, answer, innerOf(knobs).knobs, context),
    tokenizer(knobs) {
      const { pieces, alphabet, separator, gap } = innerOf(knobs);
      const vocabulary = { name: `${card.name} of ${inner.name}`, tokens: [...alphabet, separator, gap] };
      return pieces === 'words' ? wordTokenizer(vocabulary) : characterTokenizer(vocabulary);
    },
    limits: (knobs) => ({
      ...inner.limits(innerOf(knobs).knobs),
      completionTokens: mostEpisodeTokens(environment.turnLimits(knobs)),
    }),
  };
}

/**
 * A task of your own, asked again where the answer was wrong; its knobs are its own, and `attempts`.
 *
 * ```ts
 * import { retried } from 'rlvr-train/tasks';
 * import addition from './addition.ts';
 * export default retried(addition);
 * ```
 *
 * @throws ConfigError where it is played in turns already
 */
export function retried<I extends Json, K extends Knobs>(definition: TaskDefinition<I, K>): TaskDefinition<I, Knobs> {
  const inner = definition as unknown as AnyTaskDefinition; // it knows its own problems
  requireOneTurn(inner, 'task');
  const { name, version, category, tier, levels } = inner;
  const card: TaskCard<Knobs> = {
    ...{ name: `${name}_retried`, version, category, tier, levels },
    knobs: { ...inner.knobs, attempts: key('attempts', ATTEMPTS) },
  };
  const inners = new Map<string, Inner>();
  const made = retryTask(card, inner, (knobs) => {
    const given = Object.entries(inner.knobs).map(([own, { yaml }]) => [yaml, knobs[own]] as const);
    const of = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const named = JSON.stringify(of);
    const known = inners.get(named) ?? new Inner(inner, { ...of, task: name });
    inners.set(named, known);
    return known;
  });
  return made as unknown as TaskDefinition<I, Knobs>; // of the same problems
}

/** @throws ConfigError where a task is played in turns already */
export function requireOneTurn({ name, environment }: AnyTaskDefinition, path: string): void {
  if (environment === undefined) return;
  const rule = 'it is played in turns already; name a task that is answered at once';
  throw new ConfigError('bad-option', `${path}: ${JSON.stringify(name)} — ${rule}.`, { path });
}

/** What a problem has besides, where the inner task has it. */
export function pickOf(
  { question, splitKey, enumerate, columns, frequency }: AnyTaskDefinition,
  innerOf: (knobs: Knobs) => Inner,
) {
  return {
    ...(question && { question: (identity: Json, knobs: Knobs) => question(identity, innerOf(knobs).knobs) }),
    ...(splitKey && { splitKey: (identity: Json) => splitKey(identity) }),
    ...(enumerate && { enumerate: (knobs: Knobs) => enumerate(innerOf(knobs).knobs) }),
    ...(columns && { columns: (identity: Json, knobs: Knobs) => columns(identity, innerOf(knobs).knobs) }),
    ...(frequency && { frequency: (identity: Json, knobs: Knobs) => frequency(identity, innerOf(knobs).knobs) }),
  };
}

function inWords({ reason, feedback }: Verdict): string {
  return `Wrong: ${feedback ?? reason}. Try again.`.slice(0, MOST_WORDS);
}

/** A mark for a wrong answer or one that cannot be read, and what the inner task says of it in its own notation. */
function inMarks(inner: Inner, of: Json, answer: string, { status, feedback }: Verdict): string {
  const { definition, knobs, separator, gap, alphabet } = inner;
  const said = inner.split(feedback ?? definition.feedback?.(of, answer, knobs) ?? '');
  const isWritten = said.every((piece) => alphabet.includes(piece));
  const mark = status === 'invalid' ? gap : separator;
  return inner.join([mark, ...(isWritten ? said.slice(0, inner.limits().answer) : [])]);
}

function anotherAnswer(inner: Inner, rng: Rng): string {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const problem = inner.draw(rng);
    if (problem !== null) return inner.join(problem.answer);
  }
  return '';
}
