/** Rows as the beginnings of episodes that programs play over HTTP. */
import { mostEpisodeTokens } from '../../../../src/data/environment.ts';
import { takeKnobs } from '../../../../src/data/knobs.ts';
import type { Knobs, Task, TaskItem, TaskLanguage } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import { missing } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { asksInWords, type Message } from '../../../../src/text/codec.ts';
import { characterTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { type DatasetOptions, type DatasetTask, openDataset, requireWritable } from '../datasets/dataset.ts';
import { SessionBook } from './book.ts';
import { type SessionsKnobs, sessionsCard } from './card.ts';
import { SESSIONS } from './name.ts';

const unjudged = (): Verdict => missing('episodes are rewarded by the programs that play them');

/**
 * Opens the task: reads its rows.
 *
 * @param given  as written in the YAML under `task:`, without the name
 * @throws ConfigError, DataError naming file, line and column
 */
export async function openSessions(
  given: Readonly<Record<string, unknown>>,
  options: Omit<DatasetOptions, 'verifier'>,
): Promise<DatasetTask> {
  const knobs = takeKnobs(sessionsCard, given, options.path ?? 'task') as unknown as SessionsKnobs; // as its table says
  const ofEpisodes = new Set([
    'max_turns',
    'turn_tokens',
    'observation_tokens',
    'reward_range',
    'timeout',
    'characters',
  ]);
  const ofRows = Object.fromEntries(Object.entries(given).filter(([knob]) => !ofEpisodes.has(knob)));
  // What nobody compares with needs no right answer.
  const rows = await openDataset(ofRows, { ...options, verifier: unjudged });
  const task = new SessionsTask(knobs, rows);
  const { codec } = options;
  if (codec !== undefined && !asksInWords(codec)) requireWritable(rows, codec);
  return task;
}

/** What a model of random weights is asked in. */
function charactersOf({ characters = '' }: SessionsKnobs, rows: DatasetTask): readonly string[] {
  const prompts = Array.from({ length: rows.trainProblems() ?? 0 }, (_, index) => rows.trainItem(0, index));
  return [
    ...new Set([characters, ...[...prompts, ...rows.heldOutItems()].map(({ prompt }) => prompt)].join('').split('')),
  ];
}

class SessionsTask implements DatasetTask {
  readonly name = SESSIONS;
  readonly version = sessionsCard.version;
  readonly knobs: Knobs;
  readonly style = 'compact';
  /** Unknown: nobody knows what a program rewards. */
  readonly chance = 0;
  readonly language: TaskLanguage;
  readonly notes: readonly string[];
  readonly distant: SessionBook;
  readonly undemonstrated = 'nobody knows right answers; give the stage data_files with rows of yours, or leave it out';
  readonly #rows: DatasetTask;

  constructor(knobs: SessionsKnobs, rows: DatasetTask) {
    this.knobs = knobs as unknown as Knobs; // as the YAML has them, so plain data
    this.distant = new SessionBook(knobs);
    this.notes = rows.notes;
    this.#rows = rows;
    const turns = {
      maxTurns: knobs.max_turns,
      actionTokens: knobs.turn_tokens,
      observationTokens: knobs.observation_tokens,
    };
    const { tokenizer, promptTokens } = rows.language;
    this.language = {
      tokenizer:
        knobs.characters === undefined
          ? tokenizer
          : characterTokenizer({ name: SESSIONS, tokens: [...charactersOf(knobs, rows)] }),
      promptTokens,
      completionTokens: mostEpisodeTokens(turns),
      fixedCompletionTokens: undefined,
      turns,
      limitsAreTokens: true,
    };
  }

  get opening(): readonly Message[] {
    return this.#rows.opening ?? [];
  }

  trainItem(seed: number, index: number): TaskItem {
    return this.#rows.trainItem(seed, index);
  }

  trainProblems(): number | undefined {
    return this.#rows.trainProblems();
  }

  heldOutItems(): readonly TaskItem[] {
    return this.#rows.heldOutItems();
  }

  longItems(): readonly TaskItem[] {
    return this.#rows.longItems?.() ?? [];
  }

  /** Texts are not looked up among the rows. */
  parse(): undefined {
    return undefined;
  }

  /** @throws ConfigError: programs play, and show nothing */
  demonstration(): string {
    throw new ConfigError('no-demonstrations', `task: ${SESSIONS} — ${this.undemonstrated}.`, { task: SESSIONS });
  }

  verify(): Verdict {
    return unjudged();
  }
}

/** The book of a run that trains on sessions alone. @throws ConfigError for any other */
export function bookOf(tasks: readonly Task[]): SessionBook {
  const [task, ...others] = tasks;
  if (task.distant instanceof SessionBook && others.length === 0) return task.distant;
  const rule = 'serve --train trains on episodes that other programs play: task: sessions, alone';
  throw new ConfigError('no-sessions', `task: ${tasks.map(({ name }) => name).join(', ')} — ${rule}.`);
}
