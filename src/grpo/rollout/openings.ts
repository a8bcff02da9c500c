/** Openings of episodes that an expert plays before the policy: its actions and their answers, as given tokens. */
import { ENVIRONMENT_TURN, type EpisodeState, type EpisodeStep, EXPERT_TURN } from '../../data/environment.ts';
import { makeEach } from '../../data/repeat.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { TurnRecord } from '../../methods/support/rollouts/turns.ts';

/** Where the policy's first turn begins. */
export interface Opening {
  readonly at: EpisodeState;
  /** What was played before it. */
  readonly turns: TurnRecord[];
  readonly opening: Int32Array;
}

/** An action of the expert, and what it led to. */
interface Played {
  readonly action: string;
  readonly step: EpisodeStep;
}

/** How long openings are. */
export interface OpeningLimits {
  /** Share of the turns that the expert takes to the end of the episode, in [0, 1]; the last is left to the policy. */
  readonly share: number;
  /** Tokens of the whole episode. */
  readonly room: number;
}

/** [streams] the openings of episodes of one problem. */
export function playedOpenings(
  tasks: TaskSet,
  item: TaskItem,
  streams: readonly string[],
  limits: OpeningLimits,
): Opening[] {
  return makeEach(tasks.repeat, streams.length, (i) => openingOf(tasks, item, streams[i], limits));
}

function openingOf(
  { environment, codec }: TaskSet,
  item: TaskItem,
  stream: string,
  { share, room }: OpeningLimits,
): Opening {
  let at = environment.start(item, stream);
  const turns: TurnRecord[] = [];
  const tokens: number[] = [];
  const episode = share === 0 ? [] : expertEpisode(environment, item, at, stream);
  for (const { action, step } of episode.slice(0, Math.min(episode.length - 1, Math.floor(share * episode.length)))) {
    const { next, potential, observation = '', from = ENVIRONMENT_TURN } = step;
    const actionTokens = [...codec.encode(action), codec.eosTokenId];
    const answer = environment.observationTokens(item, step, 'eos');
    if (tokens.length + actionTokens.length + answer.length >= room) break;
    const progress = potential === undefined ? {} : { potential };
    turns.push({ length: actionTokens.length, label: EXPERT_TURN, text: action, ...progress });
    turns.push({ length: answer.length, label: from, text: spoken(observation) });
    tokens.push(...actionTokens, ...answer);
    at = next;
  }
  return { at, turns, opening: Int32Array.from(tokens) };
}

/** All turns of an expert, from where an episode is to its end. */
function expertEpisode(
  environment: TaskSet['environment'],
  item: TaskItem,
  from: EpisodeState,
  stream: string,
): Played[] {
  const played: Played[] = [];
  for (let at = from; ; ) {
    const action = environment.act('expert', item, at, stream);
    const step = environment.step(item, at, action, stream, { finishReason: 'eos' });
    played.push({ action, step });
    if (step.verdict !== undefined) return played;
    at = step.next;
  }
}

/** An observation on lines of its own, since the turns' texts are joined into the completion's. */
export function spoken(observation: string): string {
  return `\n${observation}\n`;
}
