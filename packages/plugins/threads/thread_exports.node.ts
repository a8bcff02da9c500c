/**
 * What a file exports, as a reward or a reporter: an object with its function, a function of options that gives one, or, of
 * a reward, a definition with options.
 */
import { type PluginError, RlvrError } from '../../../src/errors.ts';
import { optionProblems } from '../../../src/options/read.ts';
import type { RewardDefinition, RewardOptions } from '../../../src/rewards/definition.ts';
import { describeError, type RewardFunction } from '../../../src/rewards/reward_function.ts';
import { makeReward, takesNoOptions } from '../../../src/rewards/reward_list.ts';
import type { Reporter } from '../../../src/run/reporter_event.ts';
import { CONTRACTS, lacking } from '../contracts.node.ts';
import { kindOf, refusal } from '../module.node.ts';
import { isMapping } from '../shapes.node.ts';

/** `export:` of the config and what it names, for messages: `its default export`, `its export brief`. */
export interface Exported {
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

/** @throws PluginError `rule; remedy` where it is none; whatever the function throws */
export function toReporter({ value, called }: Exported, options: Readonly<Record<string, unknown>>): Reporter {
  const example = 'export {report(event)}, or a function of options that returns one';
  const isReporter = (own: unknown): own is Reporter => lacking(own, CONTRACTS.reporter).length === 0;
  if (isReporter(value)) {
    const [name] = Object.keys(options);
    if (name === undefined) return value;
    throw refusal(`${called} takes no options; leave ${name} out, or export a function of them`);
  }
  if (typeof value !== 'function') throw refusal(`${called} is ${kindOf(value)}, not a reporter; ${example}`);
  const made: unknown = value(options);
  if (isReporter(made)) return made;
  throw refusal(`${called} is a function that gave ${kindOf(made)}; ${example}`);
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
  const makes = (factory: (options: RewardOptions) => unknown): unknown => make(factory, called, options);
  if (signature === 'trl') {
    if (typeof value !== 'function') throw refusal(`${called} is ${kindOf(value)}, not a function; ${TRL_EXAMPLE}`);
    makes((given) => takesNoOptions(label, given));
    return fromTrl(label, value as TrlReward);
  }
  if (hasScore(value)) {
    makes((given) => takesNoOptions(label, given));
    return labelled(label, value);
  }
  if (isDefinition(value)) {
    const made = makes((given) => makeReward(label, value, given));
    if (hasScore(made)) return labelled(label, made);
    throw refusal(`${called} is a definition whose create() gave ${kindOf(made)}; return {name, score(batch)}`);
  }
  if (typeof value !== 'function') throw refusal(`${called} is ${kindOf(value)}, not a reward; ${EXAMPLE}`);
  const made = makes(value as (options: RewardOptions) => unknown);
  if (hasScore(made)) return labelled(label, made);
  throw refusal(`${called} is a function that gave ${kindOf(made)} for its options; ${EXAMPLE}`);
}

/** An export with a score: its name is the config's to give. */
type Scoring = Pick<RewardFunction, 'range' | 'score'>;

const hasScore = (value: unknown): value is Scoring => lacking(value, CONTRACTS.reward).length === 0;
const isDefinition = (value: unknown): value is RewardDefinition =>
  isMapping(value) && typeof value.create === 'function' && isMapping(value.options);

function labelled(name: string, reward: Scoring): RewardFunction {
  const { range } = reward;
  return { name, score: (batch) => reward.score(batch), ...(range !== undefined && { range }) };
}

function make(factory: (options: RewardOptions) => unknown, called: string, options: RewardOptions): unknown {
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
