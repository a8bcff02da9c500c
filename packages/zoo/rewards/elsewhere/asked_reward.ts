/**
 * A reward whose values are asked for elsewhere, a few completions at a time: they are no function of the completions, as a
 * network and a clock have a part in them. So each answer is kept with the run before the next question, and a run that is
 * resumed takes what was answered before.
 *
 * With a cache a completion is asked about once in a run: its answers are in a file that no checkpoint removes. A text then has
 * one value for the whole run, so that a resume that finds more of them takes the same course.
 */
import { ConfigError } from '../../../../src/errors.ts';
import type { AnswerFiles } from '../../../../src/http/servers.ts';
import { murmur3OfText } from '../../../../src/kernels/murmur3.ts';
import type {
  DistantReward,
  RewardBatch,
  RewardFunction,
  RewardValues,
} from '../../../../src/rewards/reward_function.ts';
import { AnswerLog, keepValue, readValue } from '../../../http/answer_log.ts';

/** A completion as it is asked about. */
export interface AskedCompletion {
  /** Its place in the question, from 0. */
  readonly id: number;
  readonly prompt: string;
  readonly completion: string;
  readonly finish_reason: string;
  /** The problem. */
  readonly item: {
    readonly id: string;
    readonly answer: string;
    readonly task?: string;
    readonly level?: number;
    readonly columns?: Readonly<Record<string, unknown>>;
  };
}

/** Who is asked. */
export interface Scorer {
  /** Where the answers come from, as a run keeps it: answers from elsewhere are not taken for these. */
  readonly source: string;
  /** Looks whether it can be asked, before the first step. @throws ConfigError, PluginError */
  open(): Promise<void>;
  /**
   * One value per completion, in their order.
   *
   * @param key  the same when the same question is asked again
   * @throws PluginError where there is no answer, or one that cannot be used
   */
  ask(completions: readonly AskedCompletion[], key: string): Promise<RewardValues>;
  close(): Promise<void>;
}

/** A line of the log. */
interface KeptAnswer {
  readonly key: string;
  readonly values: RewardValues;
}

/** What the folder says of itself. */
interface About {
  readonly source: string;
  /** Part of every key: another run's questions have others. */
  readonly run: string;
}

const ABOUT = 'about.json';
/** Version of the log that is never removed: later than any checkpoint. */
const CACHE = 999_999_999;

export class AskedReward implements RewardFunction {
  readonly name: string;
  readonly distant: DistantReward;
  readonly #scorer: Scorer;
  readonly #batchSize: number;
  #log: AnswerLog<KeptAnswer> | undefined;
  #run = '';
  /** Answers that the run has, and how often each question was asked, while the policy is at a version. */
  #at: { readonly version: number; readonly known: Promise<ReadonlyMap<string, RewardValues>> } | undefined;
  #asked = new Map<string, number>();
  /** Values by completion, for the whole run; undefined: each is asked about whenever it is there. */
  readonly #cached: Map<string, number | null> | undefined;

  /**
   * @param batchSize  most completions of a question
   * @param caches  the same completion is not asked about again
   */
  constructor(name: string, scorer: Scorer, batchSize: number, caches = false) {
    this.#cached = caches ? new Map() : undefined;
    this.name = name;
    this.#scorer = scorer;
    this.#batchSize = batchSize;
    this.distant = {
      open: () => scorer.open(),
      recordIn: (files, folder) => this.#recordIn(files, folder),
      checkpointed: async (version, keep) => this.#log?.checkpointed(version, keep),
      close: () => scorer.close(),
    };
  }

  /** A question at a time. @throws PluginError */
  async score(batch: RewardBatch): Promise<RewardValues> {
    return this.#cached === undefined ? this.#ask(batch) : this.#askOnce(batch, this.#cached);
  }

  async #askOnce(batch: RewardBatch, cached: Map<string, number | null>): Promise<RewardValues> {
    const { weightsVersion = 0 } = batch.trainerState;
    this.#at ??= { version: weightsVersion, known: this.#load(CACHE) };
    for (const [key, [value = null]] of await this.#at.known) if (!cached.has(key)) cached.set(key, value);
    const keys = questionOf(batch, 0, batch.completions.length).map((asked) =>
      hashOf(JSON.stringify({ ...asked, id: 0 })),
    );
    const unknown = [...new Map(keys.map((key, row) => [key, row] as const)).entries()].filter(
      ([key]) => !cached.has(key),
    );
    for (let begin = 0; begin < unknown.length; begin += this.#batchSize) {
      const part = unknown.slice(begin, begin + this.#batchSize);
      const question = part.map(([, row], id) => ({ ...questionOf(batch, row, row + 1)[0], id }));
      const given = await this.#scorer.ask(question, hashOf(`${this.#run}|${JSON.stringify(question)}`));
      part.forEach(([key], i) => {
        cached.set(key, given[i]);
        this.#log?.add(CACHE, { key, values: [given[i]] });
      });
      await this.#log?.written();
    }
    return keys.map((key) => cached.get(key) ?? null);
  }

  async #ask(batch: RewardBatch): Promise<RewardValues> {
    const { weightsVersion = 0 } = batch.trainerState;
    if (this.#at?.version !== weightsVersion) {
      this.#at = { version: weightsVersion, known: this.#load(weightsVersion) };
      this.#asked = new Map();
    }
    const known = await this.#at.known;
    const values: (number | null)[] = [];
    for (let begin = 0; begin < batch.completions.length; begin += this.#batchSize) {
      const question = questionOf(batch, begin, Math.min(begin + this.#batchSize, batch.completions.length));
      const key = this.#keyOf(question, weightsVersion);
      const before = known.get(key);
      const given = before ?? (await this.#scorer.ask(question, key));
      if (before === undefined && this.#log !== undefined) {
        this.#log.add(weightsVersion, { key, values: given });
        await this.#log.written();
      }
      values.push(...given);
    }
    return values;
  }

  /** The same question twice at a version is two questions: who draws by chance may answer them differently. */
  #keyOf(question: readonly AskedCompletion[], version: number): string {
    const text = JSON.stringify(question);
    const before = this.#asked.get(text) ?? 0;
    this.#asked.set(text, before + 1);
    return hashOf(`${this.#run}|${version}|${before}|${text}`);
  }

  async #load(version: number): Promise<ReadonlyMap<string, RewardValues>> {
    const lines = (await this.#log?.lines(version)) ?? [];
    return new Map(lines.map(({ key, values }) => [key, values]));
  }

  async #recordIn(files: AnswerFiles, folder: string): Promise<void> {
    const { source } = this.#scorer;
    const before = (await readValue(files, ABOUT)) as About | undefined; // written below
    if (before !== undefined && before.source !== source) {
      const rule = `the run has rewards of ${before.source}, and its config names ${source} now`;
      const remedy = `resume with the config that it began with, or remove ${folder} to have all of them asked for again`;
      throw new ConfigError('other-rewards', `reward "${this.name}": ${rule} — ${remedy}.`, { folder });
    }
    const about = before ?? { source, run: globalThis.crypto.randomUUID() };
    if (before === undefined) await keepValue(files, ABOUT, about);
    this.#run = about.run;
    this.#log = new AnswerLog(files);
    this.#at = undefined;
  }
}

function hashOf(text: string): string {
  const words = new Uint32Array(4);
  murmur3OfText(text, words);
  return [...words].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function questionOf(batch: RewardBatch, begin: number, end: number): AskedCompletion[] {
  return Array.from({ length: end - begin }, (_, id): AskedCompletion => {
    const row = begin + id;
    const { id: problem, answer, task, level, columns } = batch.items[row];
    return {
      id,
      prompt: batch.prompts[row],
      completion: batch.completions[row],
      finish_reason: batch.finishReasons[row],
      item: {
        id: problem,
        answer,
        task,
        level,
        columns,
      },
    };
  });
}
