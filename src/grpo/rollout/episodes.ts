/**
 * Episodes: each turn of the policy goes to its problem's environment, whose answer follows it. An episode is one
 * completion with the tokens of all turns; those that the policy did not write are of kind `given`.
 */
import {
  type DistantEpisode,
  ENVIRONMENT_TURN,
  type EpisodeState,
  type EpisodeStep,
  POLICY_TURN,
} from '../../data/environment.ts';
import { makeEach } from '../../data/repeat.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { ConfigError } from '../../errors.ts';
import { type TurnRecord, turnsOver } from '../../methods/support/rollouts/turns.ts';
import type { EndedTurn, TurnAnswer, TurnControl } from '../../model/sampling/episodes.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { truncated } from '../../rewards/reject.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { SampleRequest } from '../generator.ts';
import { type OpeningLimits, playedOpenings, spoken } from './openings.ts';
import type { PlayedCompletion } from './played_completion.ts';
import type { Wants } from './wants.ts';

/** An episode under way. */
interface Episode {
  /** Names its random stream. */
  readonly stream: string;
  /** What was played before the policy's first turn. */
  readonly opening: Int32Array;
  at: EpisodeState;
  readonly turns: TurnRecord[];
  verdict: Verdict | undefined;
  /** Present if a remote environment answers its turns. */
  readonly distant: DistantEpisode | undefined;
}

/** The beginning of an episode whose environment keeps its state private. */
const UNOPENED = {
  opening: new Int32Array(),
  at: { state: null, turn: 0, illegal: 0 },
} satisfies Pick<Episode, 'opening' | 'at'>;

/** A turn as it was just played. */
export interface WatchedTurn extends Pick<TurnRecord, 'label' | 'text'> {
  /** Index of its request, and of its completion in it. */
  readonly request: number;
  readonly completion: number;
}

/** Everything besides the requests that episodes depend on. */
export interface EpisodeSettings {
  /** Keys the random draws, together with the rollout's number. */
  readonly samplingKey: readonly number[];
  /** [requests] what an expert plays before the policy does. */
  readonly openings: readonly OpeningLimits[];
  /** What steps are to say. */
  readonly wants: Wants;
  /** Version of the policy's weights. */
  readonly weightsVersion: number;
  /** Called with each turn as it is played; changes nothing. */
  readonly watch?: ((turn: WatchedTurn) => void) | undefined;
}

function withoutExpert({ name }: TaskSet): ConfigError {
  const rule = `a method lets an expert play the first turns, and ${name} is played elsewhere, where there is none`;
  return new ConfigError('no-expert', `task: ${rule}; leave the method out, or take another task.`);
}

/** A turn of an episode. */
interface Acted {
  readonly episode: Episode;
  readonly action: string;
  readonly length: number;
}

/** What it leads to. */
interface Taken extends Acted {
  readonly step: EpisodeStep;
}

/** The episodes of some requests: answers their turns, then returns how they ended. */
export class Episodes implements TurnControl {
  readonly turnTokens: readonly number[];
  readonly mostAtOnce?: number;
  readonly #tasks: TaskSet;
  readonly #items: readonly TaskItem[];
  readonly #wants: Wants;
  readonly #watch: EpisodeSettings['watch'];
  /** [requests][completions]; undefined where a problem is answered by one text. */
  readonly #episodes: readonly (readonly Episode[] | undefined)[];

  constructor(
    tasks: TaskSet,
    items: readonly TaskItem[],
    requests: readonly SampleRequest[],
    { samplingKey, openings, wants, weightsVersion, watch }: EpisodeSettings,
  ) {
    const { environment } = tasks;
    this.#tasks = tasks;
    this.#items = items;
    this.#wants = wants;
    this.#watch = watch;
    this.turnTokens = items.map((item) => environment.turnTokens(item));
    const limits = items.flatMap((item) => environment.distant(item)?.mostAtOnce ?? []);
    if (limits.length > 0) this.mostAtOnce = Math.min(...limits);
    this.#episodes = requests.map(({ rollouts }, i) => {
      const item = items[i];
      if (!environment.plays(item)) return undefined;
      const streams = rollouts.map(({ rollout }) => `${samplingKey.join()}|${rollout}`);
      const distant = environment.distant(item);
      if (distant !== undefined) {
        if (openings[i].share > 0) throw withoutExpert(tasks);
        return streams.map((stream): Episode => {
          const played = distant.play(item, stream, weightsVersion);
          return { stream, ...UNOPENED, turns: [], verdict: undefined, distant: played };
        });
      }
      const begun = playedOpenings(tasks, item, streams, openings[i]);
      return streams.map((stream, k): Episode => ({ stream, ...begun[k], verdict: undefined, distant: undefined }));
    });
  }

  /** The requests, with what was played before the policy's first turn. */
  begun(requests: readonly SampleRequest[]): readonly SampleRequest[] {
    return requests.map((request, i) => {
      const episodes = this.#episodes[i];
      if (episodes === undefined || episodes.every(({ opening }) => opening.length === 0)) return request;
      const rollouts = request.rollouts.map((rollout, k) => ({ ...rollout, tokens: episodes[k].opening }));
      return { ...request, rollouts };
    });
  }

  after(ended: readonly EndedTurn[]): readonly (TurnAnswer | Promise<TurnAnswer>)[] {
    const acted = ended.map((turn) => this.#act(turn));
    // Only computes the steps, since a call may be made twice; their results are stored afterwards.
    const taken = makeEach(this.#tasks.repeat, ended.length, (i) => this.#take(ended[i], acted[i]));
    return ended.map((turn, i) => this.#asked(turn, acted[i]) ?? this.#answer(turn, taken[i]));
  }

  /** The action of a turn; undefined for a problem with a single answer. */
  #act({ request, completion, tokens, begin, finishReason }: EndedTurn): Acted | undefined {
    const episode = this.#episodes[request]?.[completion];
    if (episode === undefined) return undefined;
    const newTokens = tokens.subarray(begin);
    const action = this.#tasks.codec.decode(finishReason === 'eos' ? newTokens.subarray(0, -1) : newTokens);
    return { episode, action, length: newTokens.length };
  }

  #take({ request, finishReason }: EndedTurn, acted: Acted | undefined): Taken | undefined {
    if (acted === undefined || acted.episode.distant !== undefined) return undefined;
    const { episode, action } = acted;
    const { environment } = this.#tasks;
    const step = environment.step(this.#items[request], episode.at, action, episode.stream, {
      finishReason,
      ...this.#wants,
    });
    return { ...acted, step };
  }

  /** What a distant environment answers; undefined where the turn is not for one. */
  #asked(sampled: EndedTurn, acted: Acted | undefined): Promise<TurnAnswer> | undefined {
    if (acted === undefined) return undefined;
    const { episode, action } = acted;
    const { finishReason } = sampled;
    const asked = episode.distant?.step(episode.at, action, { finishReason, sampled });
    return asked?.then((step) => this.#answer(sampled, { ...acted, step }));
  }

  #answer({ request, completion, finishReason }: EndedTurn, taken: Taken | undefined): TurnAnswer {
    if (taken === undefined) return 'stop';
    const { episode, action, length, step } = taken;
    const { next, verdict, observation = '', from = ENVIRONMENT_TURN } = step;
    const add = (turn: TurnRecord): void => {
      episode.turns.push(turn);
      this.#watch?.({ request, completion, label: turn.label, text: turn.text });
    };
    episode.at = next;
    episode.verdict = verdict;
    add({ length, label: POLICY_TURN, text: action, ...saidOf(step) });
    if (verdict !== undefined) return 'stop';
    const answer = this.#tasks.environment.observationTokens(this.#items[request], step, finishReason);
    add({ length: answer.length, label: from, text: spoken(observation) });
    return answer;
  }

  /** Closes the episodes. */
  async end(): Promise<void> {
    const all = this.#episodes.flatMap((group) => group ?? []);
    const ended = await Promise.allSettled(all.map(({ distant }) => distant?.end()));
    for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** The completions with turns and verdicts, if they were played; an episode that ran out of room is not won. */
  played(completions: readonly (readonly Completion[])[]): Completion[][] {
    return completions.map((group, request) =>
      group.map((completion, index): Completion | PlayedCompletion => {
        const episode = this.#episodes[request]?.[index];
        if (episode === undefined) return completion;
        const { turns, verdict = truncated() } = episode;
        // The answer to the last turn did not fit.
        const fitting = turns.at(-1)?.label === POLICY_TURN ? turns : turns.slice(0, -1);
        return { ...completion, ...turnsOver(completion.tokens, fitting), verdict };
      }),
    );
  }
}

/** What an environment reports of an action besides its answer. */
function saidOf({
  reward,
  potential,
  illegal,
  denied,
  before,
  after,
}: EpisodeStep): Omit<TurnRecord, 'length' | 'label' | 'text'> {
  return {
    ...(reward !== undefined && { reward }),
    ...(potential !== undefined && { potential }),
    ...(illegal && { illegal }),
    ...(denied && { denied }),
    ...(before && { before }),
    ...(after && { after }),
  };
}
