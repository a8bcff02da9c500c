/** An OpenEnv server as what answers episodes: sessions that are used again, what they said kept with the run. */
import type {
  DistantEnvironment,
  DistantEpisode,
  EpisodeState,
  EpisodeStep,
} from '../../../../src/data/environment.ts';
import { correct } from '../../../../src/data/judge.ts';
import { afterTurn } from '../../../../src/data/play.ts';
import type { TaskItem, VerifyContext } from '../../../../src/data/problem.ts';
import { PluginError } from '../../../../src/errors.ts';
import type { AnswerFiles } from '../../../../src/http/servers.ts';
import { truncated } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type ActionFields, type Notation, observationText, plainNotation } from './actions.ts';
import type { OpenEnvKnobs } from './card.ts';
import { ActionRefused, ConnectionLost, fault, ServerFull, shown } from './faults.ts';
import { AnswerRecord, type RecordedAnswer, type ServerProblems } from './record.ts';
import { type ServerAccess, Session } from './session.ts';
import { type OfferedTool, offeredTools } from './tools.ts';
import type { WireObservation } from './wire.ts';

const OTHER_FIELD = 'name another field as observation';

/** Milliseconds before a server that is full is asked again: twice as many each time. */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 1500;

/** Whose answers of reset are the problems. */
export interface Seeded {
  readonly seed: number;
}

export class OpenEnvServer implements DistantEnvironment {
  readonly mostAtOnce: number;
  readonly access: ServerAccess;
  readonly knobs: OpenEnvKnobs;
  /** [seed] what reset said. */
  problems: readonly string[] = [];
  tools: readonly OfferedTool[] = [];
  /** Why held-out problems are those that are trained on, where they are. */
  ignoredSeed: string | undefined;
  notation: Notation;
  /** Whether a text may be said to the policy, as an environment may say again what the policy wrote. */
  isWritable: (text: string) => boolean = () => true;
  record: AnswerRecord | undefined;
  /** It was there: who cannot be reached any more is gone. */
  #hasAnswered = false;
  readonly #free: Session[] = [];

  constructor(access: ServerAccess, knobs: OpenEnvKnobs) {
    this.access = access;
    this.knobs = knobs;
    this.mostAtOnce = knobs.sessions;
    this.notation = plainNotation(knobs);
  }

  play(item: TaskItem, stream: string, weightsVersion: number): DistantEpisode {
    const { seed } = item.identity as unknown as Seeded; // as the task made it
    return new PlayedEpisode(this, seed, `${item.task ?? ''}|${seed}|${stream}`, weightsVersion);
  }

  async recordIn(files: AnswerFiles): Promise<void> {
    const record = new AnswerRecord(files);
    const before = await record.problems();
    const { problems, tools, ignoredSeed } = this;
    if (before === undefined) await record.keepProblems({ problems, tools, ...(ignoredSeed && { ignoredSeed }) });
    else if (JSON.stringify([before.problems, before.tools]) !== JSON.stringify([problems, tools]))
      throw this.#otherProblems(before);
    this.record = record;
  }

  async checkpointed(weightsVersion: number, keep: number): Promise<void> {
    await this.record?.checkpointed(weightsVersion, keep);
  }

  #otherProblems({ problems: before }: ServerProblems): Error {
    const seed = before.findIndex((text, index) => text !== this.problems[index]);
    const tools = `its tools are ${this.tools.map(({ name }) => name).join(', ') || 'none'}, and were others when the run began`;
    const what =
      seed < 0
        ? tools
        : `reset of seed ${seed} says ${shown(this.problems[seed])}, and said ${shown(before[seed])} when the run began`;
    return fault(this.access.address, 'other-problems', what, 'start the environment that the run began with');
  }

  /** What reset says of each seed. @throws PluginError */
  async readProblems(count: number): Promise<void> {
    const texts = new Array<string>(count);
    let next = 0;
    const work = async (): Promise<void> => {
      if (next >= count) return;
      const first = next++;
      const { session, text } = await this.begun(first, () => this.session());
      texts[first] = text;
      await session.state();
      if (first === 0 && this.knobs.action_type === 'tool') this.tools = await this.#toolsOf(session);
      while (next < count) {
        const seed = next++;
        texts[seed] = await this.#begin(session, seed);
      }
      this.free(session);
    };
    await asPluginErrors(this.access, () =>
      Promise.all(Array.from({ length: Math.min(this.knobs.sessions, count) }, work)),
    );
    this.problems = texts;
  }

  async #toolsOf(session: Session): Promise<readonly OfferedTool[]> {
    const tools = offeredTools(await session.tools());
    if (tools !== undefined && tools.length > 0) return tools;
    const remedy = 'give another action_type, or the address of an environment with MCP tools';
    throw fault(this.access.address, 'no-tools', 'action_type is tool, and its environment lists none', remedy);
  }

  /**
   * A session at the beginning of an episode, and what reset said. A server takes a moment to see that a session has ended.
   *
   * @throws PluginError, ConnectionLost
   */
  async begun(
    seed: number,
    open: () => Promise<Session>,
  ): Promise<{ readonly session: Session; readonly text: string }> {
    for (let pause = SHORTEST_PAUSE; ; pause *= 2) {
      const session = await open();
      try {
        return { session, text: await this.#begin(session, seed) };
      } catch (error) {
        if (!(error instanceof ServerFull)) throw error;
        session.close();
        if (pause > LONGEST_PAUSE) throw this.#full(error);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  #full({ mostSessions: most }: ServerFull): Error {
    const lower = most === undefined ? 'lower sessions' : `set sessions to at most ${most}`;
    const remedy = `end what else has sessions there, ${lower}, or raise max_concurrent_envs`;
    const what = `it has no room for another session${most === undefined ? '' : ` (it allows ${most})`}`;
    return fault(this.access.address, 'full', what, remedy);
  }

  /** @throws PluginError, ConnectionLost, ServerFull */
  async #begin(session: Session, seed: number): Promise<string> {
    const answer = await session.reset(seed);
    const { address } = this.access;
    if (answer.done) {
      const what = `reset of seed ${seed} says done: true, so that there is nothing to act in`;
      throw fault(address, 'over-at-once', what, 'correct its reset');
    }
    const { observation, prompt } = this.knobs;
    const text = observationText(answer, observation);
    if (text !== undefined) return text;
    if (prompt !== undefined) return '';
    throw this.#fieldless(answer, `reset of seed ${seed}`, 'give prompt, or name another field as observation');
  }

  /** @throws PluginError */
  read(answer: WireObservation, what: string): Omit<RecordedAnswer, 'action'> {
    const saying = this.notation.saying(answer);
    if (saying !== undefined) return { ...saying, reward: answer.reward, done: answer.done };
    const isTool = this.knobs.action_type === 'tool';
    const remedy = isTool ? 'correct the environment, which must say what its tools give' : OTHER_FIELD;
    throw this.#fieldless(answer, what, remedy, isTool ? 'tool_name' : this.knobs.observation);
  }

  #fieldless({ observation }: WireObservation, what: string, remedy: string, field = this.knobs.observation): Error {
    const names = Object.keys(observation).join(', ') || 'none';
    const lacks = `its answer to ${what} has no field ${field} (it has: ${names})`;
    return fault(this.access.address, 'no-field', lacks, remedy);
  }

  /** @throws ConnectionLost where a server that answered before is silent */
  async session(): Promise<Session> {
    for (;;) {
      const session = this.#free.pop();
      if (session === undefined) return this.#open();
      if (!session.isLost) return session;
    }
  }

  async #open(): Promise<Session> {
    try {
      const session = await Session.open(this.access);
      this.#hasAnswered = true;
      return session;
    } catch (error) {
      const isGone = this.#hasAnswered && error instanceof PluginError && error.code === 'openenv-unreachable';
      throw isGone ? new ConnectionLost('it cannot be reached any more') : error;
    }
  }

  close(): void {
    for (const session of this.#free.splice(0)) session.close();
  }

  /** Reconnects after a connection was lost. @throws ConnectionLost where the server stays silent */
  async openAgain(lost: ConnectionLost): Promise<Session> {
    try {
      return await Session.open(this.access);
    } catch (error) {
      throw error instanceof PluginError && error.code === 'openenv-unreachable' ? lost : error;
    }
  }

  free(session: Session): void {
    if (!session.isLost) this.#free.push(session);
  }

  /** The verdict on an episode by what it was paid. @throws PluginError where that is below the least, or above a given most */
  verdict(reward: number): Verdict {
    const { won, reward_range: range } = this.knobs;
    const [least, most] = range ?? [0, won];
    if (reward < least || (range !== undefined && reward > most)) {
      const what = `an episode was rewarded with ${reward}, and reward_range is ${JSON.stringify([least, most])}`;
      const remedy = `give reward_range: [${Math.min(reward, least)}, ${Math.max(reward, most)}], or what it is at least and at most`;
      throw fault(this.access.address, 'out-of-range', what, remedy);
    }
    const score = Math.min(1, (reward - least) / (most - least));
    if (score === 1) return correct(`rewarded with ${reward}`, '');
    return {
      score,
      status: 'incorrect',
      failure: score > 0 ? 'partial' : 'wrong_value',
      reason: `rewarded with ${reward}`,
    };
  }
}

/** An answer to what the environment never saw, but for what is said. */
const UNASKED = { reward: null, done: false, illegal: true, unseen: true } as const;

class PlayedEpisode implements DistantEpisode {
  readonly #server: OpenEnvServer;
  readonly #seed: number;
  readonly #key: string;
  readonly #version: number;
  /** Answers so far. */
  readonly #said: RecordedAnswer[] = [];
  /** What a run that was cut off has of it. */
  #recorded: readonly RecordedAnswer[] | undefined;
  #session: Session | undefined;

  constructor(server: OpenEnvServer, seed: number, key: string, version: number) {
    this.#server = server;
    this.#seed = seed;
    this.#key = key;
    this.#version = version;
  }

  async step(before: EpisodeState, action: string, { finishReason }: VerifyContext): Promise<EpisodeStep> {
    const { record, knobs } = this.#server;
    const { turn } = before;
    if (turn === 0) this.#recorded = await record?.episode(this.#version, this.#key);
    const known = this.#recorded?.[turn];
    const isKnown = known?.action === action;
    const isCut = finishReason === 'length';
    const answer = isKnown ? known : await this.#answer(action, isCut);
    this.#said.push(answer);
    const step = afterTurn(
      {
        state: null,
        observation: answer.observation,
        ...(answer.from !== undefined && { from: answer.from }),
        ...(answer.illegal && { illegal: true as const }),
        ...(answer.reward !== null && { reward: answer.reward }),
        ...(answer.calls !== undefined && { calls: answer.calls }),
        ...(isCut && { verdict: truncated() }),
        ...(!isCut && (answer.done || turn + 1 === knobs.max_turns) && { verdict: this.#verdict() }),
      },
      before,
      knobs.max_turns,
    );
    const isOver = step.verdict !== undefined;
    if (!isKnown) record?.add(this.#version, this.#key, turn, answer, isOver);
    if (isOver) this.#release();
    return step;
  }

  async #answer(action: string, isCut: boolean): Promise<RecordedAnswer> {
    const unasked = { action, ...UNASKED };
    if (isCut) return { ...unasked, observation: '' };
    const { notation, access, isWritable } = this.#server;
    if (!isWritable(action)) return { ...unasked, ...notation.refused };
    return asPluginErrors(access, () => this.#ask(action));
  }

  /** A connection that is lost is opened again, once, and brought to where the episode is. */
  async #ask(action: string): Promise<RecordedAnswer> {
    const asked = (open: () => Promise<Session>): Promise<RecordedAnswer> =>
      this.#answers(async () => this.#session ?? this.#brought(open), action);
    try {
      return await asked(() => this.#server.session());
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.#session = undefined;
      return asked(() => this.#server.openAgain(error));
    }
  }

  /** What a session says to the actions of a turn, one after the other until the episode is over, as one answer. */
  async #answers(session: () => Promise<Session>, action: string): Promise<RecordedAnswer> {
    const { notation } = this.#server;
    const said: Omit<RecordedAnswer, 'action'>[] = [];
    for (const asked of notation.actions(action)) {
      said.push(
        'refused' in asked ? { ...UNASKED, ...asked.refused } : await this.#step(session, action, asked.fields),
      );
      if (said.at(-1)?.done) break;
    }
    const [first, ...others] = said;
    if (others.length === 0) return { action, ...first };
    const paid = said.flatMap(({ reward }) => reward ?? []);
    const from = said.findLast((one) => one.from !== undefined)?.from;
    return {
      action,
      observation: said.map(({ observation }) => observation).join(notation.joint),
      reward: paid.length === 0 ? null : paid.reduce((sum, one) => sum + one, 0),
      done: said.some(({ done }) => done),
      ...(from !== undefined && { from }),
      ...(said.some(({ illegal }) => illegal) && { illegal: true }),
      ...(said.every(({ unseen }) => unseen) && { unseen: true }),
      calls: said.length,
    };
  }

  async #step(
    session: () => Promise<Session>,
    action: string,
    fields: ActionFields,
  ): Promise<Omit<RecordedAnswer, 'action'>> {
    try {
      return this.#server.read(await (await session()).step(fields), this.#what(action));
    } catch (error) {
      if (!(error instanceof ActionRefused)) throw error;
      return { ...UNASKED, ...this.#server.notation.refused };
    }
  }

  #what(action: string): string {
    return `action ${shown(action)} in the episode of seed ${this.#seed}`;
  }

  /** A session that has had all actions of the episode so far. @throws PluginError where it answers them otherwise */
  async #brought(open: () => Promise<Session>): Promise<Session> {
    const server = this.#server;
    const { session, text } = await server.begun(this.#seed, open);
    this.#session = session;
    const same = (now: string, then: string, what: string): void => {
      if (now === then) return;
      const differs = `${what} says ${shown(now)}, and said ${shown(then)} before`;
      const remedy = 'draw all chance of the environment from the seed of its reset';
      throw fault(server.access.address, 'other-answer', differs, remedy);
    };
    same(text, server.problems[this.#seed], `reset of seed ${this.#seed}`);
    for (const then of this.#said) {
      if (then.unseen) continue;
      const now = await this.#answers(() => Promise.resolve(session), then.action);
      same(JSON.stringify(now), JSON.stringify(then), this.#what(then.action));
    }
    return session;
  }

  #verdict(): Verdict {
    const { reward } = this.#server.knobs;
    const rewards = this.#said.map((answer) => answer.reward ?? 0);
    return this.#server.verdict(reward === 'sum' ? rewards.reduce((sum, one) => sum + one, 0) : (rewards.at(-1) ?? 0));
  }

  #release(): void {
    if (this.#session !== undefined) this.#server.free(this.#session);
    this.#session = undefined;
  }

  async end(): Promise<void> {
    // An answer may still be on its way: the next episode would take it for its own.
    this.#session?.close();
    this.#session = undefined;
    await this.#server.record?.written();
  }
}

/** @throws PluginError where the connection is lost for good */
async function asPluginErrors<T>({ address }: ServerAccess, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    throw fault(
      address,
      'gone',
      `it is gone (${error.message})`,
      'start it again, then resume: nothing sampled is lost',
    );
  }
}
