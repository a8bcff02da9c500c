/**
 * What a file exports, as a reward or a reporter: an object with its function, a function of options that gives one, or, of
 * a reward, a definition with options.
 */
import { type PluginError, RlvrError } from '../../../src/errors.ts';
import { optionProblems } from '../../../src/options/read.ts';
import type { RewardDefinition, RewardOptions } from '../../../src/rewards/definition.ts';
import { describeError, type RewardBatch, type RewardFunction } from '../../../src/rewards/reward_function.ts';
import { makeReward, takesNoOptions } from '../../../src/rewards/reward_list.ts';
import type { Reporter } from '../../../src/run/reporter_event.ts';
import { refusal } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { CONTRACTS, type Kind, lacking } from '../contracts.node.ts';
import { kindOf } from '../module.node.ts';
import { isMapping } from '../shapes.node.ts';
import { requireExport } from '../watched.node.ts';

/** `export:` of the config and what it names, for messages: `its default export`, `its export brief`. */
export interface Exported {
  readonly value: unknown;
  readonly called: string;
}

const TRL_EXAMPLE =
  'export function f({prompts, completions, completion_ids, trainer_state, log_extra, log_metric, …columns}), or leave signature out';

/** What a reward function of TRL's form is called with: lists of one entry per completion, its columns among them. */
export type TrlReward = (given: Readonly<Record<string, unknown>>) => ReturnType<RewardFunction['score']>;

/** What a reward function of TRL's form is given of a batch, without the calls that log. */
export function trlArguments(batch: RewardBatch): Readonly<Record<string, unknown>> {
  const { prompts, completions, completionTokens, items, trainerState } = batch;
  const names = new Set(items.flatMap(({ columns }) => Object.keys(columns ?? {})));
  const columns = [...names].map((column) => [column, items.map((item) => item.columns?.[column] ?? null)] as const);
  return {
    ...Object.fromEntries(columns),
    id: items.map(({ id }) => id),
    answer: items.map(({ answer }) => answer),
    task: items.map(({ task = null }) => task),
    level: items.map(({ level = null }) => level),
    prompts: items.map(({ messages }, i) => messages ?? prompts[i]),
    completions: items.map(({ messages }, i) => (messages ? [spoken(completions[i])] : completions[i])),
    completion_ids: completionTokens.map((tokens) => Array.from(tokens)),
    trainer_state: { global_step: trainerState.step, progress: trainerState.progress },
  };
}

/** A function of TRL's form as a reward function. */
function fromTrl(name: string, call: TrlReward): RewardFunction {
  return {
    name,
    score: (batch) => call({ ...trlArguments(batch), log_extra: batch.logExtra, log_metric: batch.logMetric }),
  };
}

/** A completion as TRL gives it where the prompt is a conversation: `completion[0].content`. */
const spoken = (content: string | undefined) => ({ role: 'assistant', content });

/** @throws PluginError `rule; remedy` where it is none; whatever the function throws */
export function toReporter({ value, called }: Exported, options: Readonly<Record<string, unknown>>): Reporter {
  const [option] = Object.keys(options);
  if (isExport(value, 'reporter') && option !== undefined) {
    throw refusal(`${called} takes no options; leave ${option} out, or export a function of them`);
  }
  return madeOf(value, called, 'reporter', (factory) => factory(options)) as unknown as Reporter;
}

/**
 * @param label  what the reward is called in metrics and messages
 * @throws PluginError `rule; remedy` where the export is no reward, or does not take these options
 */
export function toRewardFunction(
  { value, called }: Exported,
  label: string,
  options: RewardOptions,
  signature?: 'trl',
): RewardFunction {
  const make = (factory: Factory): unknown => makeOf(factory, called, options);
  if (signature === 'trl') {
    if (typeof value !== 'function') throw refusal(`${called} is ${kindOf(value)}, not a function; ${TRL_EXAMPLE}`);
    make((given) => takesNoOptions(label, given));
    return fromTrl(label, value as TrlReward);
  }
  if (isExport(value, 'reward')) make((given) => takesNoOptions(label, given));
  const isDefinition = isMapping(value) && typeof value.create === 'function' && isMapping(value.options);
  const definition = value as unknown as RewardDefinition; // where it is one
  const factory = isDefinition ? (given: RewardOptions): unknown => makeReward(label, definition, given) : value;
  const own = madeOf(factory, called, 'reward', make) as unknown as Pick<RewardFunction, 'range' | 'score'>;
  return { name: label, range: own.range, score: (batch) => own.score(batch) }; // the config names it
}

type Factory = (options: RewardOptions) => unknown;
const isExport = (value: unknown, kind: Kind): boolean => lacking(value, CONTRACTS[kind]).length === 0;

/** The export itself, or what it makes where it is a function. */
function madeOf(value: unknown, called: string, kind: Kind, make: (factory: Factory) => unknown) {
  const isFunction = typeof value === 'function' && !isExport(value, kind);
  const made = isFunction ? make(value as Factory) : value;
  return requireExport(made, isFunction ? `what ${called} gave for its options` : called, kind);
}

function makeOf(factory: Factory, called: string, options: RewardOptions): unknown {
  try {
    return factory(options);
  } catch (error) {
    if (RlvrError.is(error)) throw badOption(error);
    const rule = `${called} was called with the options ${JSON.stringify(options)} and failed (${describeError(error)})`;
    throw refusal(`${rule}; a function that scores a batch is given as {name, score}`);
  }
}

/** An error about an option, `reward_funcs: brief.scale: 2 — rule; remedy.`, without what the caller says anyway. */
function badOption(error: RlvrError): PluginError {
  const { key, value } = error.facts;
  const [first] = optionProblems(error);
  const rule = first?.rule ?? error.message.replace(/^reward_funcs: .*? — /, '').replace(/\.$/, '');
  return refusal(rule, { key, value });
}
