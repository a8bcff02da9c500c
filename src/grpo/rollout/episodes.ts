/**
 * Episodes: the policy's turns go to the environment of their problem, and what it says follows them. An episode is
 * one completion: the tokens of all its turns, of which those that the policy did not write are of kind `given`.
 */
import { ENVIRONMENT_TURN, type EpisodeState, type EpisodeStep, POLICY_TURN } from '../../data/environment.ts';
import { makeEach } from '../../data/repeat.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { VerifiedCompletion } from '../../methods/records.ts';
import { type TurnRecord, turnsOver } from '../../methods/support/rollouts/turns.ts';
import type { EndedTurn, TurnAnswer, TurnControl } from '../../model/sampling/episodes.ts';
import type { Completion } from '../../model/sampling/generation.ts';
import { truncated } from '../../rewards/reject.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { SampleRequest } from '../generator.ts';
import { type OpeningLimits, playedOpenings, spoken } from './openings.ts';
import type { Wants } from './wants.ts';

/** A completion whose verdict came with its last turn. */
export interface PlayedCompletion extends Completion, Pick<VerifiedCompletion, 'text' | 'turns' | 'verdict'> {}

/** Whether an environment has judged it already. */
export function isPlayed(completion: Completion): completion is PlayedCompletion {
  return 'turns' in completion && 'verdict' in completion;
}

/** An episode under way. */
interface Episode {
  /** What is drawn by chance in it. */
  readonly stream: string;
  /** What was played before the policy's first turn. */
  readonly opening: Int32Array;
  at: EpisodeState;
  readonly turns: TurnRecord[];
  verdict: Verdict | undefined;
}

/** What a turn of an episode leads to. */
interface Taken {
  readonly episode: Episode;
  readonly action: string;
  readonly length: number;
  readonly step: EpisodeStep;
}

/** The episodes of some requests: answers their turns, and then knows how they went. */
export class Episodes implements TurnControl {
  readonly turnTokens: readonly number[];
  readonly #tasks: TaskSet;
  readonly #items: readonly TaskItem[];
  readonly #wants: Wants;
  /** [requests][completions]; undefined where a problem is answered by one text. */
  readonly #episodes: readonly (readonly Episode[] | undefined)[];

  /**
   * @param samplingKey  keys what is drawn by chance, together with the number of the rollout
   * @param how          what an expert plays before the policy does, by request, and what steps are to say
   */
  constructor(
    tasks: TaskSet,
    items: readonly TaskItem[],
    requests: readonly SampleRequest[],
    samplingKey: readonly number[],
    { openings, wants }: { readonly openings: readonly OpeningLimits[]; readonly wants: Wants },
  ) {
    const { environment } = tasks;
    this.#tasks = tasks;
    this.#items = items;
    this.#wants = wants;
    this.turnTokens = items.map((item) => environment.turnTokens(item));
    this.#episodes = requests.map(({ rollouts }, i) => {
      if (!environment.plays(items[i])) return undefined;
      const streams = rollouts.map(({ rollout }) => `${samplingKey.join()}|${rollout}`);
      const begun = playedOpenings(tasks, items[i], streams, openings[i]);
      return streams.map((stream, k): Episode => ({ stream, ...begun[k], verdict: undefined }));
    });
  }

  /** The requests, where an episode begins with what was played before the policy's first turn. */
  begun(requests: readonly SampleRequest[]): readonly SampleRequest[] {
    return requests.map((request, i) => {
      const episodes = this.#episodes[i];
      if (episodes === undefined || episodes.every(({ opening }) => opening.length === 0)) return request;
      const rollouts = request.rollouts.map((rollout, k) => ({ ...rollout, tokens: episodes[k].opening }));
      return { ...request, rollouts };
    });
  }

  after(ended: readonly EndedTurn[]): readonly TurnAnswer[] {
    // The steps alone, since a call may be made twice: what they lead to is kept afterwards.
    const taken = makeEach(this.#tasks.repeat, ended.length, (i) => this.#take(ended[i]));
    return ended.map((turn, i) => this.#answer(turn, taken[i]));
  }

  /** The step of a turn; undefined where its problem is answered by one text. */
  #take({ request, completion, tokens, begin, finishReason }: EndedTurn): Taken | undefined {
    const { environment, codec } = this.#tasks;
    const episode = this.#episodes[request]?.[completion];
    if (episode === undefined) return undefined;
    const own = tokens.subarray(begin);
    const action = codec.decode(finishReason === 'eos' ? own.subarray(0, -1) : own);
    const step = environment.step(this.#items[request], episode.at, action, episode.stream, {
      finishReason,
      ...this.#wants,
    });
    return { episode, action, length: own.length, step };
  }

  #answer({ request, finishReason }: EndedTurn, taken: Taken | undefined): TurnAnswer {
    if (taken === undefined) return 'stop';
    const { episode, action, length, step } = taken;
    const { next, verdict, observation = '', from = ENVIRONMENT_TURN } = step;
    episode.at = next;
    episode.turns.push({ length, label: POLICY_TURN, text: action, ...saidOf(step) });
    episode.verdict = verdict;
    if (verdict !== undefined) return 'stop';
    const answer = this.#tasks.environment.observationTokens(this.#items[request], step, finishReason);
    episode.turns.push({ length: answer.length, label: from, text: spoken(observation) });
    return answer;
  }

  /** The completions with their turns and verdicts, where they were played; one that had no room to end is not won. */
  played(completions: readonly (readonly Completion[])[]): Completion[][] {
    return completions.map((group, request) =>
      group.map((completion, index): Completion | PlayedCompletion => {
        const episode = this.#episodes[request]?.[index];
        if (episode === undefined) return completion;
        const { turns, verdict = truncated() } = episode;
        // What its last turn would have been answered with had no room any more.
        const fitting = turns.at(-1)?.label === POLICY_TURN ? turns : turns.slice(0, -1);
        return { ...completion, ...turnsOver(completion.tokens, fitting), verdict };
      }),
    );
  }
}

/** What an environment says of an action besides its answer. */
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
