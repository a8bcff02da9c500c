/** What a file exports, as a reward function: an object with a score, a definition with options, or a function of them. */
import { PluginError, type RlvrError } from '../errors.ts';
import { optionProblems } from '../options/read.ts';
import type { RewardDefinition, RewardOptions } from '../rewards/definition.ts';
import { describeError, type RewardBatch, type RewardFunction } from '../rewards/reward_function.ts';
import { makeReward, takesNoOptions } from '../rewards/reward_list.ts';

/** `export:` of the config and what it names, for messages: `its default export`, `its export brief`. */
export interface ExportedReward {
  readonly value: unknown;
  readonly called: string;
}

const EXAMPLE = 'export {name, score(batch)}, or a function of options that returns one';

const TRL_EXAMPLE =
  'export function f({prompts, completions, completion_ids, trainer_state, log_extra, log_metric, …columns}), or leave signature out';

/** What a reward function of TRL's form is called with: lists of one entry per completion, its columns among them. */
export type TrlReward = (given: Readonly<Record<string, unknown>>) => ReturnType<RewardFunction['score']>;

/** A function of TRL's form as a reward function. */
function fromTrl(name: string, call: TrlReward): RewardFunction {
  return {
    name,
    score: (batch) => {
      const { prompts, completions, completionTokens, items, trainerState, logExtra, logMetric } = batch;
      const names = new Set(items.flatMap(({ columns }) => Object.keys(columns ?? {})));
      const columns = [...names].map(
        (column) => [column, items.map((item) => item.columns?.[column] ?? null)] as const,
      );
      return call({
        ...Object.fromEntries(columns),
        id: items.map(({ id }) => id),
        answer: items.map(({ answer }) => answer),
        task: items.map(({ task = null }) => task),
        level: items.map(({ level = null }) => level),
        prompts: items.map(({ messages }, i) => messages ?? prompts[i]),
        completions: items.map(({ messages }, i) => (messages ? [spoken(completions[i])] : completions[i])),
        completion_ids: completionTokens.map((tokens) => Array.from(tokens)),
        trainer_state: { global_step: trainerState.step, progress: trainerState.progress },
        log_extra: logExtra,
        log_metric: logMetric,
      });
    },
  };
}

/** A completion as TRL gives it where the prompt is a conversation: `completion[0].content`. */
const spoken = (content: string | undefined) => ({ role: 'assistant', content });

/** A reward under the name that the config gives it. */
function labelled(name: string, reward: Exported): RewardFunction {
  const { range } = reward;
  return { name, score: (batch) => reward.score(batch), ...(range !== undefined && { range }) };
}

/**
 * @param label  what the reward is called in metrics and messages
 * @throws PluginError `rule; remedy` where the export is no reward, or does not take these options
 */
export function toRewardFunction(
  { value, called }: ExportedReward,
  label: string,
  options: RewardOptions,
  signature?: 'trl',
): RewardFunction {
  if (signature === 'trl') {
    if (typeof value !== 'function') throw notReward(`${called} is ${kindOf(value)}, not a function; ${TRL_EXAMPLE}`);
    make((given) => takesNoOptions(label, given), called, options);
    return fromTrl(label, value as TrlReward);
  }
  if (hasScore(value)) {
    make((given) => takesNoOptions(label, given), called, options);
    return labelled(label, value);
  }
  if (isDefinition(value)) {
    const made = make((given) => makeReward(label, value, given), called, options);
    if (hasScore(made)) return labelled(label, made);
    throw notReward(`${called} is a definition whose create() gave ${kindOf(made)}; return {name, score(batch)}`);
  }
  if (typeof value !== 'function') throw notReward(`${called} is ${kindOf(value)}, not a reward; ${EXAMPLE}`);
  const made = make(value as (options: RewardOptions) => unknown, called, options);
  if (hasScore(made)) return labelled(label, made);
  throw notReward(`${called} is a function that gave ${kindOf(made)} for its options; ${EXAMPLE}`);
}

function make(factory: (options: RewardOptions) => unknown, called: string, options: RewardOptions): unknown {
  try {
    return factory(options);
  } catch (error) {
    if (isOwnError(error)) throw badOption(error);
    const rule = `${called} was called with the options ${JSON.stringify(options)} and failed (${describeError(error)})`;
    throw notReward(`${rule}; a function that scores a batch is given as {name, score}`);
  }
}

/** An error of this package, from whichever copy of it the file imports: its message is made for people. */
export function isOwnError(error: unknown): error is RlvrError {
  return error instanceof Error && 'code' in error && 'facts' in error;
}

/** An error about an option, `reward_funcs: brief.scale: 2 — rule; remedy.`, without what the caller says anyway. */
function badOption(error: RlvrError): PluginError {
  const { key, value } = error.facts;
  const [first] = optionProblems(error);
  const rule = first?.rule ?? error.message.replace(/^reward_funcs: .*? — /, '').replace(/\.$/, '');
  return new PluginError('bad-module', rule, { key, value });
}

function isDefinition(value: unknown): value is RewardDefinition {
  return isObject(value) && typeof value.create === 'function' && isObject(value.options);
}

/** An export with a score: its name is the config's to give. */
interface Exported extends Pick<RewardFunction, 'range'> {
  score(batch: RewardBatch): ReturnType<RewardFunction['score']>;
}

function hasScore(value: unknown): value is Exported {
  return isObject(value) && typeof value.score === 'function';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** `a task`, `a number`, `a promise`, `undefined`: what a value is, for a person who did not mean to give it. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'a list';
  if (hasScore(value)) return 'a reward';
  if (isObject(value) && typeof value.verify === 'function') return 'a task';
  if (value instanceof Promise) return 'a promise';
  return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no keys'}`;
}

function notReward(rule: string): PluginError {
  return new PluginError('bad-module', rule);
}
