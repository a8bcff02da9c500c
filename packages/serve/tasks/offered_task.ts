/** A task as other programs are given it: its problems by split and place, at the knobs that they ask for. */
import { bindTask } from '../../../src/data/create_task.ts';
import { type EpisodeState, type EpisodeStep, questionOf } from '../../../src/data/environment.ts';
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import { type AnyEnvironment, bindEnvironment } from '../../../src/data/play.ts';
import type { Split } from '../../../src/data/problem.ts';
import type { Repeat } from '../../../src/data/repeat.ts';
import { canonicalJSON } from '../../../src/data/split.ts';
import type { AnyTaskDefinition, Style, Task, TaskItem } from '../../../src/data/task.ts';
import type { FinishReason } from '../../../src/finish_reason.ts';
import type { Json } from '../../../src/options/json.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import type { Message, ToolSchema } from '../../../src/text/codec.ts';
import { VERIFIED } from '../../zoo/data/environment_task.ts';
import { ApiError } from '../api_error.ts';
import type { Body } from '../body.ts';

/** Calls of tools are written as Qwen, Hermes and SmolLM3 write them: the notation that names each argument. */
export const TOOL_TEMPLATE = '<tool_call>';

/** Settings of knobs whose problems are kept. */
const MOST_SETTINGS = 32;

/** @param otherwise  where it is not said @throws ApiError */
export function splitOf(body: Body, otherwise?: Split): Split {
  const split = body.text('split') ?? otherwise;
  if (split === 'train' || split === 'eval') return split;
  throw body.refused('split', 'train or eval');
}

export type GivenKnobs = Readonly<Record<string, unknown>>;

/** Which problem is asked for. */
export interface Asked {
  readonly split: Split;
  /** Seed of the training stream. */
  readonly seed?: number;
  readonly index?: number;
  readonly knobs: GivenKnobs;
}

/** A problem that is being played. */
export interface Problem {
  readonly setting: Setting;
  readonly item: TaskItem;
  readonly place: { readonly split: Split; readonly seed?: number; readonly index: number };
}

/** What an answer or an action led to. */
export interface Outcome {
  readonly text: string;
  readonly next?: EpisodeState;
  readonly verdict?: Verdict;
  readonly illegal?: true;
}

export class OfferedTask {
  readonly definition: AnyTaskDefinition;
  readonly #given: GivenKnobs;
  readonly #repeat: Repeat;
  readonly #settings = new Map<string, Setting>();
  /** Problems that were given to those who did not say which. */
  #drawn = 0;

  /** @param given  knobs where a program gives none @throws ConfigError for a knob that the task does not have */
  constructor(definition: AnyTaskDefinition, given: GivenKnobs, repeat: Repeat) {
    this.definition = definition;
    this.#given = given;
    this.#repeat = repeat;
    this.setting({});
  }

  /** @throws ConfigError */
  setting(knobs: GivenKnobs): Setting {
    const all = { ...this.#given, ...knobs };
    const key = canonicalJSON(all as Record<string, Json>); // of flags and of JSON
    const known = this.#settings.get(key) ?? new Setting(this.definition, all, this.#repeat);
    this.#settings.delete(key);
    this.#settings.set(key, known);
    const [oldest] = this.#settings.keys();
    if (this.#settings.size > MOST_SETTINGS) this.#settings.delete(oldest);
    return known;
  }

  /**
   * Problem `index` of the held-out ones, or of the training stream `seed`. Without an index it is the first of that
   * stream; without both it is the next one that nobody was given.
   *
   * @throws ConfigError, ApiError
   */
  problem({ split, seed, index, knobs }: Asked): Problem {
    const setting = this.setting(knobs);
    if (split === 'train') {
      const place = { split, seed: seed ?? 0, index: index ?? (seed === undefined ? this.#drawn++ : 0) };
      return { setting, item: setting.task.trainItem(place.seed, place.index), place };
    }
    const items = setting.task.heldOutItems();
    const at = index ?? (seed ?? this.#drawn++) % items.length;
    if (at >= items.length) {
      throw new ApiError(400, 'invalid_value', `index: ${at} — there are ${items.length} held-out problems.`, 'index');
    }
    return { setting, item: items[at], place: { split, index: at } };
  }
}

/** A task at some knobs, in a style: in words wherever it has any, since those who ask are pretrained models. */
export class Setting {
  readonly task: Task;
  readonly style: Style;
  readonly tools: readonly ToolSchema[];
  readonly #definition: AnyTaskDefinition;
  readonly #environment: AnyEnvironment | undefined;
  readonly #bound: ReturnType<typeof bindEnvironment> | undefined;

  /** @throws ConfigError */
  constructor(definition: AnyTaskDefinition, { style, ...knobs }: GivenKnobs, repeat: Repeat) {
    const { environment, question, name } = definition;
    const isPlayed = environment !== undefined;
    const bind = (of: unknown): Task => bindTask(definition, { ...knobs, style: of }, { path: name, repeat });
    const compact = bind('compact');
    const hasWords = isPlayed || (question !== undefined && compact.language.tokenizer.closed !== undefined);
    const given = style ?? (hasWords ? 'plain' : 'compact');
    this.task = given === 'compact' || (isPlayed && given === 'plain') ? compact : bind(given);
    this.style = isPlayed && given !== 'compact' ? 'plain' : this.task.style;
    this.#definition = definition;
    const isInWords = this.style === 'plain';
    this.#environment = isInWords ? (environment?.inWords?.(TOOL_TEMPLATE) ?? environment) : environment;
    this.#bound = this.#environment && bindEnvironment(this.#environment, name, this.task.knobs);
    this.tools = (isInWords && this.#environment?.introduction?.(this.task.knobs).tools) || [];
  }

  get maxTurns(): number {
    return this.#environment?.turnLimits(this.task.knobs).maxTurns ?? 1;
  }

  /** What a policy reads first. */
  messages(item: TaskItem): readonly Pick<Message, 'role' | 'content'>[] {
    if (this.#environment === undefined || this.style === 'compact') {
      return questionOf(item).map(({ role, content }) => ({ role, content }));
    }
    const content = this.#definition.question?.(item.identity, this.task.knobs) ?? item.prompt;
    return [{ role: 'user', content }];
  }

  /** Undefined where the problem has a single answer. */
  start(item: TaskItem): EpisodeState | undefined {
    return this.#bound?.start(item, VERIFIED);
  }

  /** The verdict has the draws of `tasks score`, so that it is the same. @param at  absent: the answer is the only one */
  async act(item: TaskItem, at: EpisodeState | undefined, text: string, finishReason: FinishReason): Promise<Outcome> {
    const context = { finishReason };
    const step = at && this.#bound?.step(item, at, text, VERIFIED, context);
    if (step !== undefined) return outcomeOf(step);
    const [verdict] = await verdictsOf(this.task, [{ item, completion: text, context }]);
    return { text: '', verdict };
  }
}

function outcomeOf({ observation = '', next, verdict, illegal }: EpisodeStep): Outcome {
  return { text: observation, next, verdict, illegal };
}
