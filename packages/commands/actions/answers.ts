/** Answers of a trained policy to prompts, judged where a prompt asks a problem of the run's tasks. */
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { DataError, PluginError } from '../../../src/errors.ts';
import type { Engine } from '../../../src/grpo/engine.ts';
import {
  type CompletionSettings,
  completeItems,
  completeTexts,
  judgedCompletions,
} from '../../../src/grpo/rollout/complete.ts';
import { samplingKey } from '../../../src/grpo/run.ts';
import type { Turn, VerifiedCompletion } from '../../../src/methods/records.ts';
import type { StageConfig } from '../../../src/methods/stage.ts';
import { type Completion, wholeVocabulary } from '../../../src/model/sampling/generation.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import type { EpisodeWatch } from '../display/watched_episode.ts';
import { tellingEngine } from '../runs/told_generator.ts';

/** A completion, with its verdict where it was judged. */
export interface AnsweredCompletion extends Completion {
  readonly text: string;
  readonly verdict?: Verdict;
  /** Who said what, where it was played. */
  readonly turns?: readonly Turn[];
}

export interface Answer {
  readonly prompt: string;
  readonly completions: readonly AnsweredCompletion[];
  /** Why no completion has a verdict. */
  readonly unjudged?: string;
  /** Why there is no completion: the prompt cannot be asked. */
  readonly error?: DataError;
  /** Its episodes were shown while they were played. */
  readonly watched?: true;
}

export interface AnswerOptions {
  /** Completions per prompt. */
  readonly samples: number;
  readonly temperature: number;
  readonly seed: number;
}

export class PromptAnswerer {
  readonly #engine: Engine;
  readonly #settings: CompletionSettings;
  readonly #samples: number;
  /** Rollouts so far: their numbers key the random draws, so that asking again draws afresh. */
  #rollouts = 0;

  /** @param stage  says how long answers may become */
  constructor(engine: Engine, stage: StageConfig, { samples, temperature, seed }: AnswerOptions) {
    this.#engine = engine;
    this.#samples = samples;
    this.#settings = {
      samples,
      sampling: wholeVocabulary(temperature),
      samplingKey: samplingKey(seed, 'sample'),
      stage,
    };
  }

  /**
   * An answer to each prompt, in order; one that cannot be asked does not keep the others from theirs. What is asked
   * together does not change an answer.
   *
   * @param watch  of what is played in turns; the episodes are then played one after the other
   */
  async answer(asked: readonly (string | TaskItem)[], watch?: EpisodeWatch): Promise<Answer[]> {
    const { tasks } = this.#engine;
    const checked = asked.map((each) => {
      const prompt = typeof each === 'string' ? each : each.prompt;
      return { each, prompt, error: mistakeIn(prompt, tasks) };
    });
    const askable = checked
      .filter(({ error }) => error === undefined)
      .map(({ each, prompt }) => ({ prompt, item: typeof each === 'string' ? problemOf(each, tasks) : each }));
    const answers = await this.#complete(askable, watch);
    let next = 0;
    return checked.map(({ prompt, error }) =>
      error === undefined ? answers[next++] : { prompt, completions: [], error },
    );
  }

  /** Those in a row that are played, or are not, together: rollouts are numbered in the order of the prompts. */
  async #complete(asked: readonly Asked[], watch: EpisodeWatch | undefined): Promise<Answer[]> {
    const { tasks } = this.#engine;
    const engine = tellingEngine(this.#engine, { what: 'answering', total: asked.length * this.#samples });
    const answers: Answer[] = [];
    while (answers.length < asked.length) {
      const isPlayed = playedItem(asked[answers.length], tasks) !== undefined;
      const rest = asked.slice(answers.length);
      const end = rest.findIndex((one) => (playedItem(one, tasks) !== undefined) !== isPlayed);
      const some = isPlayed && watch ? rest.slice(0, 1) : end < 0 ? rest : rest.slice(0, end);
      const settings = { ...this.#settings, firstRollout: this.#rollouts };
      this.#rollouts += some.length * this.#samples;
      if (isPlayed) {
        const items = some.flatMap((one) => playedItem(one, tasks) ?? []);
        const episodes = watch
          ? [await this.#watched(items[0], settings, watch)]
          : await completeItems(engine, items, settings);
        answers.push(
          ...some.map(({ prompt }, i) => ({
            prompt,
            completions: episodes[i],
            ...(watch && { watched: true as const }),
          })),
        );
      } else {
        const prompts = some.map(({ prompt }) => prompt);
        const completions = await completeTexts(engine, prompts, settings);
        answers.push(...(await Promise.all(some.map((one, i) => judged(one, completions[i], tasks)))));
      }
    }
    return answers;
  }

  /** The episodes of a problem, one after the other. */
  async #watched(item: TaskItem, settings: CompletionSettings, watch: EpisodeWatch): Promise<VerifiedCompletion[]> {
    const { firstRollout = 0 } = settings;
    const episodes: VerifiedCompletion[] = [];
    for (let k = 0; k < this.#samples; k++) {
      watch.begin(item.prompt);
      const one = { ...settings, samples: 1, firstRollout: firstRollout + k, watch: watch.turn };
      const [[episode]] = await completeItems(this.#engine, [item], one);
      watch.end(episode.verdict);
      episodes.push(episode);
    }
    return episodes;
  }
}

/** A prompt, and the problem that it asks; null: none, undefined: nobody can tell. */
interface Asked {
  readonly prompt: string;
  readonly item: TaskItem | null | undefined;
}

/** The problem of a prompt, where it is played in turns. */
function playedItem({ item }: Asked, { environment }: TaskSet): TaskItem | undefined {
  return item && environment.plays(item) ? item : undefined;
}

/** What a prompt asks: as the task reads it, else as one of its held-out problems that is known by its prompt. */
function problemOf(prompt: string, tasks: TaskSet): TaskItem | null | undefined {
  const read = tasks.parse(prompt);
  return read === undefined ? tasks.heldOutItems().find((item) => item.prompt === prompt) : read;
}

async function judged(
  { prompt, item }: Asked,
  completions: readonly (Completion & { readonly text: string })[],
  tasks: TaskSet,
): Promise<Answer> {
  if (item === undefined) {
    const unjudged =
      tasks.environment.maxTurns > 1
        ? `${tasks.name} is played in turns, and no held-out problem has this prompt: this is a first turn`
        : `${tasks.name} has no parse() to read prompts by`;
    return { prompt, completions, unjudged };
  }
  if (item === null) {
    const [example] = tasks.heldOutItems();
    return { prompt, completions, unjudged: `no problem of ${tasks.name}, which looks like ${example.prompt}` };
  }
  const [verified] = await judgedCompletions(tasks, [item], [completions]);
  return { prompt, completions: verified };
}

/** Undefined where the policy can be asked this. */
function mistakeIn(prompt: string, tasks: TaskSet): DataError | undefined {
  try {
    const { length } = tasks.typedTokens(prompt);
    if (length === 0) return new DataError('empty', 'prompt: "" — empty; give at least one token.');
    if (length <= tasks.maxPromptTokens) return undefined;
    const rule = `${length} tokens; prompts of ${tasks.name} have at most ${tasks.maxPromptTokens}`;
    return new DataError('too-long', `prompt: ${JSON.stringify(prompt)} — ${rule}; shorten it.`);
  } catch (thrown) {
    // A tokenizer of a user's file refuses a typed text as the package's own do.
    const error = thrown instanceof PluginError ? thrown.cause : thrown;
    if (!(error instanceof DataError)) throw thrown;
    const [example] = tasks.heldOutItems();
    if (example === undefined || error.code !== 'unknown-token') return error;
    const message = error.message.replace(/\.$/, `, as ${JSON.stringify(example.prompt)}.`);
    return new DataError(error.code, message, error.facts);
  }
}
