/**
 * Users' rows as a task. Problems are asked epoch by epoch in a shuffled order that depends only on seed and position,
 * so that a resumed run needs only its counter.
 */

import type { DataFiles } from '../../../../src/data/data_files.ts';
import { DATASET } from '../../../../src/data/data_files.ts';
import { conversationOf, refuseConversation, takeKnobs } from '../../../../src/data/knobs.ts';
import { openingOf } from '../../../../src/data/prompts/style.ts';
import type { Repeat } from '../../../../src/data/repeat.ts';
import type { Knobs, Split, Task, TaskItem, TaskLanguage, VerifyContext } from '../../../../src/data/task.ts';
import { ConfigError, DataError } from '../../../../src/errors.ts';
import { missing } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { byteTokenizer } from '../../../../src/text/byte_tokenizer.ts';
import { asksInWords, type Codec, type Message, promptText } from '../../../../src/text/codec.ts';
import {
  type AnswerReader,
  answerReader,
  type MakeReader,
  ownReader,
  type Verifier,
  verifyExtracted,
} from './answers.ts';
import { type DatasetKnobs, datasetCard } from './card.ts';
import { type DatasetParts, PLAIN_ROWS } from './dataset_parts.ts';
import { type LoadedRows, loadRows } from './load_rows.ts';
import { keyedPermutation } from './permutation.ts';
import { sidesOf } from './preferences.ts';
import { type DatasetProblem, problemOf } from './problem.ts';
import { rereadBy } from './reread.ts';
import type { Row } from './row.ts';

export interface DatasetOptions {
  readonly files: DataFiles;
  /** Default: JSON Lines with answers that are texts and numbers. */
  readonly parts?: DatasetParts;
  /** The verifier, if `verify` names a file. */
  readonly verifier?: Verifier | undefined;
  /** How to call the verifier many times in a row under its host's watch. */
  readonly repeat?: Repeat;
  /** Held-out rows that are evaluated, at most. Default 512. */
  readonly heldOutSample?: number;
  /** Where its knobs are written, for messages. Default `task`. */
  readonly path?: string;
  /** The codec of the model that the run begins with; default: bytes. */
  readonly codec?: Codec | undefined;
  /** Rows only serve a supervised stage: all are shown, none needs a right answer, and none is held out. */
  readonly isShown?: boolean;
}

/** A data set, with notes on its rows. */
export interface DatasetTask extends Task {
  readonly notes: readonly string[];
}

/** Seed of example turns, which no run has: seeds are whole numbers from 0. */
const EXAMPLES_SEED = -1;
/** Rows that are looked at for what all prompts are like. */
const ROWS_LOOKED_AT = 8;
/** Bytes of a completion beyond the longest one that is shown, so that an overlong answer shows. */
const ROOM = 2;

/**
 * Reads all rows, and keeps them as bytes.
 *
 * @param given  as written in the YAML under `task:`, without the name
 * @throws ConfigError, DataError naming file, line and column
 */
export async function openDataset(
  given: Readonly<Record<string, unknown>>,
  options: DatasetOptions,
): Promise<DatasetTask> {
  const { path = 'task', parts = PLAIN_ROWS, codec, verifier } = options;
  const knobs = takeKnobs(datasetCard, given, path) as unknown as DatasetKnobs; // as its table says
  if (given.style !== undefined) throw withoutStyles(given.style, path);
  if (!asksInWords(codec)) refuseConversation(datasetCard, given, path);
  const { isShown = false } = options;
  const ownVerifier = isShown ? unjudged : verifier;
  const answers =
    ownVerifier === undefined
      ? answerReader(comparisonOf(knobs.verify, parts, path), knobs.extract)
      : ownReader(ownVerifier);
  const reread = codec !== undefined && asksInWords(codec) && !isShown ? rereadBy(codec, knobs, answers) : undefined;
  const loaded = await loadRows(knobs, { files: options.files, parts, answers, isShown, reread });
  const conversation = asksInWords(codec) ? conversationOf(datasetCard, { examples: 0, ...given }, path) : undefined;
  if (knobs.prompt_format === 'raw') requireAlone(conversation, path);
  return new LoadedDataset({ ...options, knobs, answers, loaded, conversation });
}

/** @throws ConfigError where something would have to be rendered before prompts that are rendered already */
function requireAlone(conversation: ReturnType<typeof conversationOf> | undefined, path: string): void {
  const key =
    conversation?.system !== undefined ? 'system' : (conversation?.examples ?? 0) > 0 ? 'examples' : undefined;
  if (key === undefined) return;
  const rule = `prompt_format: raw takes prompts as they are, with nothing before them; leave one of the two out`;
  throw new ConfigError('bad-option', `${path}.${key}: ${rule}.`, { key, value: conversation?.[key as 'system'] });
}

/** @throws ConfigError if this comparison was not given */
function comparisonOf(verify: string, { comparisons }: DatasetParts, path: string): MakeReader {
  if (Object.hasOwn(comparisons, verify)) return comparisons[verify];
  const rule = `this program compares by ${Object.keys(comparisons).join(', ')}; use one of them`;
  throw new ConfigError('bad-option', `${path}.verify: ${verify} — ${rule}.`, { key: 'verify', value: verify });
}

/** The verdict on demonstrations, which are never judged. */
function unjudged(): Verdict {
  return missing('rows that are only shown are not judged');
}

function withoutStyles(value: unknown, path: string): ConfigError {
  const rule = 'prompts of a data set are asked as they are; leave it out';
  return new ConfigError('bad-option', `${path}.style: ${JSON.stringify(value)} — ${rule}.`, { key: 'style', value });
}

/**
 * For a closed vocabulary, which has no token for most texts.
 *
 * @throws DataError naming the first row that cannot be written in it
 */
export function requireWritable(task: DatasetTask, codec: Codec): void {
  const count = task.trainProblems() ?? 0;
  for (let index = 0; index < count; index++) {
    const item = task.trainItem(EXAMPLES_SEED, index);
    try {
      for (const text of [item.prompt, task.demonstration(item, EXAMPLES_SEED, index)]) codec.encode(text);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      throw new DataError(error.code, `${item.id}  ${error.message}`, { ...error.facts, place: item.id });
    }
  }
}

interface Parts extends DatasetOptions {
  readonly knobs: DatasetKnobs;
  readonly answers: AnswerReader;
  readonly loaded: LoadedRows;
  readonly conversation: ReturnType<typeof conversationOf> | undefined;
}

class LoadedDataset implements DatasetTask {
  readonly name = DATASET;
  readonly version = datasetCard.version;
  readonly knobs: Knobs;
  readonly style = 'compact';
  readonly language: TaskLanguage;
  readonly notes: readonly string[];
  readonly unrewarded?: string;
  readonly undemonstrated?: string;
  readonly repeat?: Repeat;
  readonly #parts: Parts;
  #order: { readonly key: string; readonly at: (index: number) => number } | undefined;
  #heldOut: readonly TaskItem[] | undefined;
  #opening: readonly Message[] | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.knobs = parts.knobs as unknown as Knobs; // as the YAML has them, so plain data
    const rendered = this.#renderedNote();
    this.notes = rendered === undefined ? parts.loaded.notes : [...parts.loaded.notes, rendered];
    const longest = this.longItems();
    if (parts.loaded.preferences === 'alone') {
      this.unrewarded =
        'its rows are preferences without a right answer; learn from them in a stage dpo, kto, orpo or cpo, or name a column by answer';
    }
    if (parts.loaded.preferences !== undefined && this.preferred(longest[0]).length === 1) {
      this.undemonstrated =
        'some of its rows are completions that nobody wants; give an sft stage data_files without these';
    }
    if (parts.repeat !== undefined) this.repeat = parts.repeat;
    const bytes = (texts: readonly string[]): number =>
      Math.max(...texts.map((text) => byteTokenizer.encode(text).length));
    this.language = {
      tokenizer: byteTokenizer,
      promptTokens: bytes(longest.map(({ prompt }) => prompt)),
      completionTokens: bytes(longest.flatMap((item) => [this.#learned(item), ...this.preferred(item)])) + 1 + ROOM,
      fixedCompletionTokens: undefined,
    };
  }

  /** Share of the commonest answer among the held-out rows. */
  get chance(): number {
    const counts = new Map<string, number>();
    const items = this.heldOutItems();
    for (const { answer } of items) counts.set(answer, (counts.get(answer) ?? 0) + 1);
    return Math.max(...counts.values()) / items.length;
  }

  get opening(): readonly Message[] {
    const { conversation } = this.#parts;
    if (conversation === undefined) return [];
    this.#opening ??= openingOf(conversation, (index) => this.trainItem(EXAMPLES_SEED, index));
    return this.#opening;
  }

  trainItem(seed: number, index: number): TaskItem {
    const { train } = this.#parts.loaded;
    const key = `${DATASET}|${seed}|${Math.floor(index / train.length)}`;
    if (this.#order?.key !== key) this.#order = { key, at: keyedPermutation(key, train.length) };
    return this.#item(train[this.#order.at(index % train.length)], 'train');
  }

  trainProblems(): number {
    return this.#parts.loaded.train.length;
  }

  heldOutItems(): readonly TaskItem[] {
    const { loaded, heldOutSample = 512 } = this.#parts;
    const { heldOut } = loaded;
    const order = keyedPermutation(`${DATASET}|held-out`, Math.max(1, heldOut.length));
    this.#heldOut ??= Array.from({ length: Math.min(heldOut.length, heldOutSample) }, (_, i) =>
      this.#item(heldOut[order(i)], 'eval'),
    );
    return this.#heldOut;
  }

  longItems(): readonly TaskItem[] {
    return this.#parts.loaded.longest.map((row) => this.#item(row, 'train'));
  }

  /** Texts are not looked up among the rows. */
  parse(): undefined {
    return undefined;
  }

  dialogue(item: TaskItem): readonly Message[] | undefined {
    return this.#problem(rowOf(item)).dialogue;
  }

  demonstration(item: TaskItem): string {
    return this.#problem(rowOf(item)).completion;
  }

  preferred({ columns = {} }: TaskItem): readonly string[] {
    return this.#parts.loaded.preferences === undefined ? [] : (sidesOf(columns) ?? []).map(({ text }) => text);
  }

  verify(item: TaskItem, completion: string, context: VerifyContext): Verdict {
    const { answers, knobs } = this.#parts;
    const { truth } = item.identity as { readonly truth: TaskItem['identity'] }; // made by #item
    const verdict = verifyExtracted(completion, context, knobs.extract, (answer) =>
      answers.judge(answer, truth, item.columns as Row),
    );
    if (answers.parts === undefined || verdict.parts !== undefined) return verdict;
    return { ...verdict, parts: Object.fromEntries(answers.parts.map((part) => [part, 0])) };
  }

  /** What is said where questions have the control tokens of the model's template, and are rendered once more. */
  #renderedNote(): string | undefined {
    const { codec, loaded } = this.#parts;
    if (codec?.chatTemplate === undefined) return undefined;
    const rows = Array.from(loaded.train.subarray(0, ROWS_LOOKED_AT), (row) => this.#item(row, 'train'));
    const isMarked = ({ prompt, messages }: TaskItem): boolean =>
      messages === undefined && codec.literal !== undefined && codec.literal(prompt) !== prompt;
    if (!rows.every(isMarked)) return undefined;
    const begin = JSON.stringify(rows[0].prompt.slice(0, 40));
    return `prompts have control tokens of the chat template (${begin}…), which are read as letters of a question; prompt_format: raw takes prompts that are rendered already`;
  }

  /** A text as long as a supervised stage may learn, with a byte for the end of each turn. */
  #learned(item: TaskItem): string {
    return (
      this.dialogue(item)
        ?.map(({ content }) => `${content}.`)
        .join('') ?? this.demonstration(item)
    );
  }

  #item(row: number, split: Split): TaskItem {
    const { answers, loaded } = this.#parts;
    const { prompt, truth, completion } = this.#problem(row);
    return {
      id: loaded.placeOf(row),
      key: `row ${row}`,
      split,
      prompt: promptText(prompt),
      ...(typeof prompt !== 'string' && { messages: prompt }),
      answer: truth === null ? completion : answers.shown(truth),
      identity: { row, truth },
      weight: 1,
      columns: loaded.store.row(row).row,
    };
  }

  #problem(row: number): DatasetProblem {
    const { answers, loaded } = this.#parts;
    const reading = problemOf(loaded.store.row(row), loaded.knobsOf(row), answers);
    if ('flaw' in reading) throw new RangeError(`row ${row} was sound before: ${reading.flaw}`);
    return reading.problem;
  }
}

function rowOf({ identity }: TaskItem): number {
  return (identity as { readonly row: number }).row; // made by #item
}
