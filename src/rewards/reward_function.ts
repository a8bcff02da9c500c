/**
 * Reward functions: what a run trains on, computed from the verdicts of a batch of completions.
 *
 * A verifier runs once per completion; every reward function reads its verdict. null means "not applicable to
 * this completion": it is left out of the weighted sum, as None is in TRL.
 */
import { ConfigError, PluginError } from '../errors.ts';
import type { AnswerFiles } from '../http/servers.ts';
import { type ExtraValue, RewardLog, type RewardLogs } from './reward_log.ts';
import type { FinishReason, Verdict } from './verdict.ts';

/** Largest magnitude of a reward: beyond it, squares and sums of float32 lose what tells completions apart. */
export const LARGEST_REWARD = 1e6;

/** The fields of a problem that a reward function may read; a task's items have them all. */
export interface RewardItem {
  readonly id: string;
  readonly prompt: string;
  /** The turns that it asks, where its row is a conversation: `prompt` is their text. */
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  /** One correct answer of perhaps several. */
  readonly answer: string;
  /** The problem itself, plain JSON, as its task defines it. */
  readonly identity: unknown;
  /** Label of its task among several; absent if there is only one. */
  readonly task?: string;
  /** The preset of its difficulty; absent if its task has none. */
  readonly level?: number;
  /** Further plain data of its task, by name. */
  readonly columns?: Readonly<Record<string, unknown>>;
}

/** Parallel arrays, one entry per completion [C]. */
export interface RewardBatch {
  readonly prompts: readonly string[];
  /** Decoded, EOS stripped. */
  readonly completions: readonly string[];
  /** Ids as sampled, EOS included if it was; for an episode, those of the policy's turns, concatenated. */
  readonly completionTokens: readonly Int32Array[];
  readonly items: readonly RewardItem[];
  /** Number of a completion's group: the completions of one prompt, which are compared with each other. */
  readonly groupOf: Int32Array;
  readonly verdicts: readonly Verdict[];
  readonly finishReasons: readonly FinishReason[];
  /**
   * The verdict that another completion of the same problem would have. A run provides it to rewards on its own thread,
   * not to users' files, which run in another thread.
   */
  readonly judge?: (row: number, completion: string) => Verdict;
  /**
   * Steps of the stage that are done, and their share of its `max_steps`, in [0, 1): for schedules; and the version of the
   * weights that wrote the completions, the optimizer steps of all stages, which a run gives.
   */
  readonly trainerState: { readonly step: number; readonly progress: number; readonly weightsVersion?: number };
  /**
   * Adds a column to completions.jsonl: one text, finite number, truth value or null per completion. `log_extra` of TRL;
   * every run gives it.
   */
  readonly logExtra?: (column: string, values: readonly ExtraValue[]) => void;
  /** Adds a number to a metric of the step, which is the mean of what was logged under the name. `log_metric` of TRL. */
  readonly logMetric?: (name: string, value: number) => void;
}

/** [C] one finite number per completion; null if the function does not apply. */
export type RewardValues = readonly (number | null)[];

/** A reward whose values come from elsewhere: they take time, and may differ when asked again. */
export interface DistantReward {
  /** Looks whether it can be asked, before the first step. @throws ConfigError, PluginError */
  open(): Promise<void>;
  /**
   * Records every answer from now on with the run, and replays recorded ones instead of asking.
   *
   * @param folder  what the files' place is called in messages
   * @throws ConfigError where the answers that are there are somebody else's
   */
  recordIn(files: AnswerFiles, folder: string): Promise<void>;
  /** A checkpoint was saved; answers that no checkpoint of the newest `keep` goes back to may be forgotten. */
  checkpointed(weightsVersion: number, keep: number): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** A named function from a batch to one value per completion. It must not change the batch. */
export interface RewardFunction {
  /** Name in the metrics: `rewards/<name>/mean`. */
  readonly name: string;
  /** The file that it comes from, for messages. */
  readonly source?: string;
  /** Least and largest value that it gives: one outside of them stops the run. */
  readonly range?: readonly [least: number, most: number];
  /** Present if its values come from elsewhere. */
  readonly distant?: DistantReward;
  /** Why it has nothing to say of a problem, `what is so; remedy`: asked of some of each task before step 1. */
  refuses?(item: RewardItem): string | undefined;
  score(batch: RewardBatch): RewardValues | Promise<RewardValues>;
}

/** A reward function that did not keep its contract; its rows are null. */
export interface RewardFailure {
  readonly name: string;
  readonly message: string;
  /** The completions that have no value for it, by place in the batch. */
  readonly rows: readonly number[];
}

/** The results of all reward functions for a batch of C completions. */
export interface ScoredRewards {
  /** [functions][C] */
  readonly rewards: readonly RewardValues[];
  readonly failures: readonly RewardFailure[];
  /** Logs of the functions that did not fail. */
  readonly logs: RewardLogs;
}

const LONGEST_TEXT = 60; // characters of a prompt or completion that a message shows

/** `reward "brief" (rewards/brief.ts)`. */
export function describeReward({ name, source }: Pick<RewardFunction, 'name' | 'source'>): string {
  return source === undefined ? `reward "${name}"` : `reward "${name}" (${source})`;
}

/** `TypeError: x is not a function`: what was thrown, for messages. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** `in step 12`: when a batch was scored, for messages. */
export function inStep({ trainerState }: RewardBatch): string {
  return `in step ${trainerState.step + 1}`;
}

function shortened(text: string | undefined): string {
  const quoted = JSON.stringify(text ?? '');
  return quoted.length > LONGEST_TEXT ? `${quoted.slice(0, LONGEST_TEXT - 2)}…"` : quoted;
}

/** `completion 3 of 512 in step 12 ("9 2 5 = 55 ?" → "9 + 2 = 11")`. */
function describeRow(batch: RewardBatch, row: number): string {
  const { prompts, completions } = batch;
  const texts = `${shortened(prompts[row])} → ${shortened(completions[row])}`;
  return `completion ${row + 1} of ${completions.length} ${inStep(batch)} (${texts})`;
}

/** Replaces what is neither null nor a number within the function's range by null; says which was first, and how many. */
function checkValues(
  reward: RewardFunction,
  given: readonly unknown[],
  batch: RewardBatch,
  failures: RewardFailure[],
): RewardValues {
  const values = Array.from(given); // a hole of a sparse list counts as undefined
  const [least, most] = reward.range ?? [-LARGEST_REWARD, LARGEST_REWARD];
  const isValid = (value: unknown): value is number | null =>
    value === null || (typeof value === 'number' && value >= least && value <= most);
  const firstBad = values.findIndex((value) => !isValid(value));
  if (firstBad < 0) return values as (number | null)[];
  const bad = values[firstBad];
  const rows = values.flatMap((value, row) => (isValid(value) ? [] : [row]));
  const gave = typeof bad === 'string' ? shortened(bad) : typeof bad === 'object' ? 'an object' : String(bad);
  const isOutside = typeof bad === 'number' && Number.isFinite(bad);
  const ofItsOwn = reward.range === undefined ? '' : ', as its range says';
  const rule = isOutside ? `give a number from ${least} to ${most}${ofItsOwn}` : 'give a finite number';
  const message =
    `${describeReward(reward)} gave ${gave} for ${describeRow(batch, firstBad)}, ${rows.length} such in all — ` +
    `${rule}, or null where it does not apply.`;
  failures.push({ name: reward.name, message, rows });
  return values.map((value) => (isValid(value) ? value : null));
}

/** The values of one function; nulls if it fails. */
async function scoreOne(
  reward: RewardFunction,
  given: RewardBatch,
  failures: RewardFailure[],
  log: RewardLog,
): Promise<RewardValues> {
  const batch: RewardBatch = Object.freeze({ ...given, logExtra: log.extra, logMetric: log.metric });
  const count = batch.completions.length;
  const step = inStep(batch);
  const fail = (message: string): RewardValues => {
    failures.push({ name: reward.name, message, rows: Array.from({ length: count }, (_, row) => row) });
    return new Array<null>(count).fill(null);
  };
  try {
    const values: unknown = await reward.score(batch);
    if (!Array.isArray(values)) {
      const gave = values === null || typeof values !== 'object' ? String(values) : 'an object';
      return fail(
        `${describeReward(reward)} gave ${gave} ${step} — give a list of ${count} values, one per completion.`,
      );
    }
    if (values.length === count) return checkValues(reward, values, batch, failures);
    const lengths = `${values.length} values for ${count} completions`;
    return fail(`${describeReward(reward)} gave ${lengths} ${step} — give one value per completion, in their order.`);
  } catch (error) {
    // A verdict that it asked for at once, of a task that has none.
    if (error instanceof PluginError && error.code === 'judged-together') {
      return fail(`${describeReward(reward)}: ${error.message}`);
    }
    if (error instanceof PluginError) return fail(error.message);
    const remedy = 'correct it, or give null where it does not apply';
    return fail(`${describeReward(reward)} failed ${step}: ${describeError(error)} — ${remedy}.`);
  }
}

/**
 * Runs every reward function on a batch; asynchronous ones run concurrently. Never rejects: a function that
 * throws, or gives the wrong number of values, is reported and its values are null; so is each value that is not
 * a finite number. The caller decides whether a failure stops the run.
 */
export async function scoreRewards(functions: readonly RewardFunction[], batch: RewardBatch): Promise<ScoredRewards> {
  const parts = functions.map((reward) => ({
    reward,
    failures: [] as RewardFailure[],
    log: new RewardLog(batch.completions.length),
  }));
  const rewards = await Promise.all(parts.map(({ reward, failures, log }) => scoreOne(reward, batch, failures, log)));
  const logs = unitedLogs(parts, batch);
  return { rewards, failures: parts.flatMap(({ failures }) => failures), logs };
}

interface LoggingPart {
  readonly reward: RewardFunction;
  readonly failures: RewardFailure[];
  readonly log: RewardLog;
}

/** What all have logged, in their order. A column belongs to one function: the second one that writes it fails. */
function unitedLogs(parts: readonly LoggingPart[], batch: RewardBatch): RewardLogs {
  const columns = new Map<string, { readonly owner: RewardFunction; readonly values: readonly ExtraValue[] }>();
  const metrics = new Map<string, readonly number[]>();
  for (const { reward, failures, log } of parts) {
    if (failures.length > 0) continue;
    for (const [name, values] of log.columns) {
      const other = columns.get(name)?.owner;
      if (other === undefined) columns.set(name, { owner: reward, values });
      else {
        const both = `${describeReward(reward)} logs the column ${JSON.stringify(name)} ${inStep(batch)}`;
        const message = `${both}, as ${describeReward(other)} does — give it another name.`;
        failures.push({ name: reward.name, message, rows: values.map((_, row) => row) });
      }
    }
    for (const [name, values] of log.metrics) metrics.set(name, [...(metrics.get(name) ?? []), ...values]);
  }
  return { columns: [...columns].map(([name, { values }]) => [name, values]), metrics: [...metrics] };
}

/**
 * Weighted sum over the reward functions, without the nulls (TRL's nansum). A gate replaces the sum of each completion to
 * which its function gives 0 or less; of several that are shut, the first one decides.
 *
 * @param matrix   [functions][C]
 * @param weights  [functions]; weight 0 makes a metric only
 * @param gates    [functions]; the total where the function's value is 0 or less; undefined: the function is no gate
 * @returns [C]; null where every function is null
 * @throws ConfigError if the numbers of functions and weights differ
 */
export function combineRewards(
  matrix: readonly RewardValues[],
  weights: readonly number[],
  gates: readonly (number | undefined)[] = [],
): (number | null)[] {
  if (matrix.length !== weights.length) {
    const message =
      `reward_weights: ${JSON.stringify(weights)} — one weight for each of ${matrix.length} reward functions; ` +
      'add or remove weights.';
    throw new ConfigError('reward-weights', message, { weights: [...weights], numFunctions: matrix.length });
  }
  const numCompletions = matrix[0]?.length ?? 0;
  return Array.from({ length: numCompletions }, (_, row) => {
    let total: number | null = null;
    for (let index = 0; index < matrix.length; index++) {
      const value = matrix[index][row];
      if (value !== null) total = (total ?? 0) + weights[index] * value;
    }
    const shut = gates.findIndex((gate, index) => {
      const value = matrix[index]?.[row] ?? null;
      return gate !== undefined && value !== null && value <= 0;
    });
    return gates[shut] ?? total;
  });
}
