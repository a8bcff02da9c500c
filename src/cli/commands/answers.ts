/** Answers of a trained policy to prompts, judged where a prompt asks a problem of the run's tasks. */
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { DataError } from '../../errors.ts';
import type { Engine } from '../../grpo/engine.ts';
import { type CompletionSettings, completeTexts, verifyCompletions } from '../../grpo/rollout/complete.ts';
import { samplingKey } from '../../grpo/run.ts';
import type { StageConfig } from '../../methods/stage.ts';
import { type Completion, wholeVocabulary } from '../../model/sampling/generation.ts';
import type { Verdict } from '../../rewards/verdict.ts';

/** A completion, with its verdict where it was judged. */
export interface AnsweredCompletion extends Completion {
  readonly text: string;
  readonly verdict?: Verdict;
}

export interface Answer {
  readonly prompt: string;
  readonly completions: readonly AnsweredCompletion[];
  /** Why no completion has a verdict. */
  readonly unjudged?: string;
  /** Why there is no completion: the prompt cannot be asked. */
  readonly error?: DataError;
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
   */
  async answer(asked: readonly (string | TaskItem)[]): Promise<Answer[]> {
    const { tasks } = this.#engine;
    const checked = asked.map((each) => {
      const prompt = typeof each === 'string' ? each : each.prompt;
      return { each, prompt, error: mistakeIn(prompt, tasks) };
    });
    const askable = checked.filter(({ error }) => error === undefined).map(({ prompt }) => prompt);
    const settings = { ...this.#settings, firstRollout: this.#rollouts };
    const completions = askable.length === 0 ? [] : await completeTexts(this.#engine, askable, settings);
    this.#rollouts += askable.length * this.#samples;
    let next = 0;
    return checked.map(({ each, prompt, error }) => {
      if (error !== undefined) return { prompt, completions: [], error };
      return judged(prompt, typeof each === 'string' ? problemOf(each, tasks) : each, completions[next++], tasks);
    });
  }
}

/** What a prompt asks: as the task reads it, else as one of its held-out problems that is known by its prompt. */
function problemOf(prompt: string, tasks: TaskSet): TaskItem | null | undefined {
  const read = tasks.parse(prompt);
  return read === undefined ? tasks.heldOutItems().find((item) => item.prompt === prompt) : read;
}

function judged(
  prompt: string,
  item: TaskItem | null | undefined,
  completions: readonly (Completion & { readonly text: string })[],
  tasks: TaskSet,
): Answer {
  if (item === undefined) return { prompt, completions, unjudged: `${tasks.name} has no parse() to read prompts by` };
  if (item === null) {
    const [example] = tasks.heldOutItems();
    return { prompt, completions, unjudged: `no problem of ${tasks.name}, which looks like ${example.prompt}` };
  }
  return { prompt, completions: verifyCompletions(tasks, [item], [completions])[0] };
}

/** Undefined where the policy can be asked this. */
function mistakeIn(prompt: string, tasks: TaskSet): DataError | undefined {
  try {
    const { length } = tasks.typedTokens(prompt);
    if (length === 0) return new DataError('empty', 'prompt: "" — empty; give at least one token.');
    if (length <= tasks.maxPromptTokens) return undefined;
    const rule = `${length} tokens; prompts of ${tasks.name} have at most ${tasks.maxPromptTokens}`;
    return new DataError('too-long', `prompt: ${JSON.stringify(prompt)} — ${rule}; shorten it.`);
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
}
