/**
 * A task that is played over several turns, made of what only it knows: vocabulary, limits, a teacher, and a verifier that
 * plays a list of actions follow.
 *
 * As one text, an answer is the actions of an episode, a line each. So whatever is checked of a task's oracle and verifier
 * is checked of an environment too.
 */
import {
  type EnvironmentDefinition,
  mostEpisodeTokens,
  type PlayedEpisode,
  type TurnLimits,
} from '../../../src/data/environment.ts';
import { type AnyEnvironment, actionsOf, bindEnvironment, playEpisode, teacherAction } from '../../../src/data/play.ts';
import type { Knobs, TaskCard, TaskDefinition, TaskItem } from '../../../src/data/task.ts';
import { type Rng, rngFor } from '../../../src/kernels/philox.ts';
import type { Json } from '../../../src/options/json.ts';
import { truncated } from '../../../src/rewards/reject.ts';
import { characterTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import type { NearMisses } from './near_misses.ts';

type Kept = 'isFit' | 'enumerate' | 'frequency' | 'splitKey' | 'question' | 'parse' | 'columns' | 'trainKnobs';

/** What an environment says of itself. */
export interface EnvironmentTask<I extends Json, S extends Json, K extends Knobs>
  extends Pick<TaskDefinition<I, K>, 'generate' | 'key' | 'prompt' | 'chance'>,
    Partial<Pick<TaskDefinition<I, K>, Kept | 'family'>>,
    Omit<EnvironmentDefinition<I, S, K>, 'turnLimits' | 'toolNames' | 'inWords' | 'introduction'> {
  /** The characters of its prompts, actions and observations. */
  readonly characters: string;
  /** Most turns, and most characters of a prompt, an action, an observation, and a question. */
  longest(knobs: K): {
    readonly turns: number;
    readonly prompt: number;
    readonly action: number;
    readonly observation: number;
    readonly question?: number;
  };
  /** Actions, a line each, that look as if they won. */
  mutants?(identity: I, knobs: K, rng: Rng): NearMisses;
}

/** Chance in the verifier's own episodes: the same for all answers to a problem. */
export const VERIFIED = 'verified';

/** A definition of a card and of what only the environment knows. */
export function environmentTask<I extends Json, S extends Json, K extends Knobs>(
  card: TaskCard<K>,
  definition: EnvironmentTask<I, S, K>,
): TaskDefinition<I, K> {
  const { characters, longest, mutants, start, step, expert, random, teacher, chanceDecides, ...others } = definition;
  const { distance, milestones, compared, guard, calls, ...own } = others;
  const tokenizer = characterTokenizer({ name: card.name, tokens: [...new Set(characters.split(''))] });
  const turnLimits = (knobs: K): TurnLimits => {
    const { turns, action, observation } = longest(knobs);
    return { maxTurns: turns, actionTokens: action + 1, observationTokens: observation };
  };
  const rules = {
    start,
    step,
    expert,
    random,
    teacher,
    chanceDecides,
    distance,
    milestones,
    compared,
    guard,
    calls,
    turnLimits,
  };
  const environment = rules as unknown as AnyEnvironment; // it knows its own states and knobs
  const play = (identity: I, knobs: K, choose: Parameters<typeof playEpisode>[3]): PlayedEpisode => {
    const item = { identity, key: own.key(identity) } as unknown as TaskItem; // an environment reads nothing else of it
    return playEpisode(bindEnvironment(environment, card.name, knobs), item, VERIFIED, choose);
  };
  return {
    family: card.name,
    ...card,
    ...own,
    environment,
    oracle(identity, knobs) {
      const rng = rngFor(`oracle|${card.name}|${own.key(identity)}`);
      return actionsOf(play(identity, knobs, (state) => environment.expert(state, knobs, rng)));
    },
    demonstration: (identity, knobs, rng) =>
      actionsOf(play(identity, knobs, (state) => teacherAction(environment, state, knobs, rng))),
    mutants: (identity, knobs, rng) => [
      ...Object.entries(mutants?.(identity, knobs, rng) ?? {}).map(([name, text]) => ({ name, text, maxScore: 0.99 })),
      { name: 'nothing', text: '', maxScore: 0.99 },
    ],
    verify(identity, answer, knobs, { finishReason }) {
      if (finishReason === 'length') return truncated();
      const actions = answer.split('\n');
      return play(identity, knobs, (_, turn) => actions[turn]).verdict;
    },
    tokenizer: () => tokenizer,
    limits(knobs) {
      const { prompt, question } = longest(knobs);
      return {
        promptTokens: prompt,
        completionTokens: mostEpisodeTokens(turnLimits(knobs)),
        ...(question !== undefined && { questionCharacters: question }),
      };
    },
  };
}
