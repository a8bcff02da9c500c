/**
 * The episodes that a run wants played, as a book in which programs sign: the run puts in each turn that its policy has
 * written, a program takes an episode, answers its turns, and rewards it. Whoever is silent too long loses the episode, and
 * that one alone. What was said is kept with the run, so that a resumed run plays back what was rewarded.
 */
import type {
  DistantEnvironment,
  DistantEpisode,
  EpisodeState,
  EpisodeStep,
  SampledTurn,
} from '../../../../src/data/environment.ts';
import { correct } from '../../../../src/data/judge.ts';
import { afterTurn } from '../../../../src/data/play.ts';
import type { Split, TaskItem, VerifyContext } from '../../../../src/data/problem.ts';
import { PluginError } from '../../../../src/errors.ts';
import type { AnswerFiles } from '../../../../src/http/servers.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { AnswerRecord } from '../openenv/record.ts';
import type { SessionsKnobs } from './card.ts';

/** A turn as the policy wrote it. */
export interface WrittenTurn extends Omit<SampledTurn, 'begin'> {
  /** The tokens of the episode before it; `tokens` and the others are the turn's alone. */
  readonly before: Int32Array;
  readonly text: string;
  readonly finishReason: VerifyContext['finishReason'];
}

/** How an episode ended. */
interface Outcome {
  /** null: it is not judged, and no reward applies to it. */
  readonly reward: number | null;
  /** It was given up: no reward came. */
  readonly isLost?: true;
  readonly reason: string;
}

/** Words of a program. */
interface Said {
  readonly observation: string;
  /** Who speaks, where it is a tool. */
  readonly from?: string;
}

/** What a turn was answered with: words, or the end. */
type SessionAnswer = { readonly action: string } & (Said | { readonly outcome: Outcome });

/** What comes after a turn is not to be had: the episode is over. */
export class EpisodeOver extends Error {}

interface Waiting {
  readonly split: Split | undefined;
  readonly resolve: (episode: SessionEpisode) => void;
}

export class SessionBook implements DistantEnvironment {
  readonly mostAtOnce = Number.POSITIVE_INFINITY;
  readonly knobs: SessionsKnobs;
  record: AnswerRecord<SessionAnswer> | undefined;
  #isServed = false;
  /** Whose first turn is written, and that no program has taken yet. */
  readonly #offered: SessionEpisode[] = [];
  readonly #taken = new Map<string, SessionEpisode>();
  readonly #waiting = new Set<Waiting>();

  constructor(knobs: SessionsKnobs) {
    this.knobs = knobs;
  }

  /** A server asks from now on. */
  open(): void {
    this.#isServed = true;
  }

  play(item: TaskItem, stream: string, weightsVersion: number): DistantEpisode {
    for (const [id, episode] of this.#taken) if (episode.weightsVersion < weightsVersion - 1) this.#taken.delete(id);
    return new SessionEpisode(this, item, `${item.task ?? ''}|${item.key}|${stream}`, weightsVersion);
  }

  /** @throws PluginError where nobody would play the episodes */
  async recordIn(files: AnswerFiles): Promise<void> {
    if (!this.#isServed) {
      const rule = 'programs play its episodes over HTTP, and nothing serves them';
      throw new PluginError('sessions-unserved', `task: sessions — ${rule}; start it by rlvr-train serve --train.`);
    }
    this.record = new AnswerRecord(files);
  }

  async checkpointed(weightsVersion: number, keep: number): Promise<void> {
    await this.record?.checkpointed(weightsVersion, keep);
  }

  close(): void {
    this.#taken.clear();
  }

  /** The next episode that the run wants played; undefined where the signal comes first. */
  async next(split: Split | undefined, signal: AbortSignal): Promise<SessionEpisode | undefined> {
    const at = this.#offered.findIndex(({ item }) => split === undefined || item.split === split);
    const [found] = at < 0 ? [] : this.#offered.splice(at, 1);
    const episode = found ?? (await this.#later(split, signal));
    if (episode === undefined) return undefined;
    this.#taken.set(episode.id, episode);
    episode.heard();
    return episode;
  }

  #later(split: Split | undefined, signal: AbortSignal): Promise<SessionEpisode | undefined> {
    return new Promise((resolve) => {
      const waiting = { split, resolve };
      this.#waiting.add(waiting);
      const stop = (): void => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
    });
  }

  offer(episode: SessionEpisode): void {
    for (const waiting of this.#waiting) {
      if (waiting.split !== undefined && waiting.split !== episode.item.split) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(episode);
      return;
    }
    this.#offered.push(episode);
  }

  withdraw(episode: SessionEpisode): void {
    const at = this.#offered.indexOf(episode);
    if (at >= 0) this.#offered.splice(at, 1);
  }

  /** An episode that a program has taken, until the weights have changed twice. */
  taken(id: string): SessionEpisode | undefined {
    return this.#taken.get(id);
  }

  verdict({ reward, isLost, reason }: Outcome): Verdict {
    if (isLost) return { score: 0, status: 'truncated', failure: 'no_answer', reason };
    if (reward === null) return { score: null, status: 'invalid', reason };
    const [least, most] = this.knobs.reward_range;
    const score = (reward - least) / (most - least);
    if (score === 1) return correct(reason, '');
    return { score, status: 'incorrect', failure: score > 0 ? 'partial' : 'wrong_value', reason };
  }
}

interface OpenTurn {
  readonly action: string;
  readonly answer: (answer: SessionAnswer) => void;
}

/** A turn that a program may ask for, before it is written and afterwards. */
class AwaitedTurn {
  readonly written: Promise<WrittenTurn>;
  resolve: (turn: WrittenTurn) => void = () => undefined;
  reject: (error: Error) => void = () => undefined;

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.written.catch(() => undefined); // perhaps nobody asks
  }
}

export class SessionEpisode implements DistantEpisode {
  /** By which its program asks; nobody else knows it. */
  readonly id = globalThis.crypto.randomUUID();
  readonly item: TaskItem;
  readonly weightsVersion: number;
  /** Turns that the policy has written. */
  written = 0;
  /** Why the newest of them ended. */
  finishReason: WrittenTurn['finishReason'] = 'eos';
  readonly #book: SessionBook;
  readonly #key: string;
  readonly #turns: AwaitedTurn[] = [new AwaitedTurn()];
  #recorded: readonly SessionAnswer[] | undefined;
  /** The turn that waits for the program, and what takes its answer. */
  #open: OpenTurn | undefined;
  #outcome: Outcome | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(book: SessionBook, item: TaskItem, key: string, weightsVersion: number) {
    this.#book = book;
    this.item = item;
    this.#key = key;
    this.weightsVersion = weightsVersion;
  }

  /** How it ended; undefined while it is played. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Whether the newest turn waits for the program's word. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  async step(
    before: EpisodeState,
    action: string,
    { finishReason, sampled }: VerifyContext & { readonly sampled?: SampledTurn },
  ): Promise<EpisodeStep> {
    const { record, knobs } = this.#book;
    if (before.turn === 0) this.#recorded = await record?.episode(this.weightsVersion, this.#key);
    const known = this.#recorded?.[before.turn];
    const answer =
      known?.action === action ? known : await this.#asked(written(action, finishReason, sampled), before.turn);
    if ('outcome' in answer) {
      return afterTurn({ state: null, verdict: this.#book.verdict(answer.outcome) }, before, knobs.max_turns);
    }
    const { observation, from } = answer;
    return afterTurn({ state: null, observation, ...(from !== undefined && { from }) }, before, knobs.max_turns);
  }

  #asked(turn: WrittenTurn, number: number): Promise<SessionAnswer> {
    const action = turn.text;
    return new Promise((answer) => {
      this.#open = { action, answer };
      this.written = number + 1;
      this.finishReason = turn.finishReason;
      this.#turns[number]?.resolve(turn);
      // A program gave it up meanwhile, or it was played back so far and now goes on otherwise.
      if (this.#outcome !== undefined) void this.#end(this.#outcome);
      else if (this.#turns.length <= number)
        void this.lose('it goes on otherwise than it did before the run was resumed');
      else if (number === 0) this.#book.offer(this);
      else this.heard();
    });
  }

  /** A turn as the policy wrote it, once it has. @throws EpisodeOver */
  turn(number: number): Promise<WrittenTurn> {
    return this.#turns[number].written;
  }

  /** The program lives: its time runs anew while it has the word. */
  heard(): void {
    clearTimeout(this.#timer);
    const { timeout } = this.#book.knobs;
    if (this.#open === undefined) return;
    this.#timer = setTimeout(() => void this.lose(`its program was silent for ${timeout} seconds`), timeout * 1000);
  }

  /** Answers the newest turn: another follows. @param from  who speaks, where it is a tool */
  say(observation: string, from?: string): void {
    this.#turns.push(new AwaitedTurn());
    this.#answer({ observation, ...(from !== undefined && { from }) }, this.#turns.length - 2);
  }

  /** Ends it. Once this resolves, the run has it on its disk. @param reward  in `reward_range`, or null */
  async reward(reward: number | null, message?: string): Promise<void> {
    const said = reward === null ? 'not judged by its program' : `rewarded with ${reward}`;
    await this.#end({ reward, reason: message ?? said });
  }

  /** Ends it without a reward. */
  async lose(reason: string): Promise<void> {
    if (this.#outcome === undefined) await this.#end({ reward: null, isLost: true, reason });
  }

  async #end(outcome: Outcome): Promise<void> {
    this.#outcome = outcome;
    if (this.#open === undefined) return; // at its next turn
    this.#answer({ outcome }, this.#turns.length - 1);
    await this.#book.record?.written();
  }

  #answer(said: Said | { readonly outcome: Outcome }, turn: number): void {
    clearTimeout(this.#timer);
    const { action, answer } = this.#open as OpenTurn; // whoever answers has seen that it is open
    this.#open = undefined;
    const all = { action, ...said };
    this.#book.record?.add(this.weightsVersion, this.#key, turn, all, 'outcome' in all);
    answer(all);
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#book.withdraw(this);
    this.#open = undefined;
    this.#outcome ??= { reward: null, isLost: true, reason: 'the run ended it' };
    const over = new EpisodeOver(this.#outcome.reason);
    for (const turn of this.#turns) turn.reject(over);
    await this.#book.record?.written();
  }
}

/** Copies, since what was sampled changes once it is answered. */
function written(text: string, finishReason: WrittenTurn['finishReason'], sampled?: SampledTurn): WrittenTurn {
  const { begin = 0, tokens = new Int32Array() } = sampled ?? {};
  const { logprobs = new Float32Array(), keptLogMass = new Float32Array() } = sampled ?? {};
  return {
    text,
    finishReason,
    before: tokens.slice(0, begin),
    tokens: tokens.slice(begin),
    logprobs: logprobs.slice(begin),
    keptLogMass: keptLogMass.slice(begin),
  };
}
