/**
 * What a reward logs besides its values, by TRL's two calls: a column of the completions, and a metric of the step. A
 * value that cannot be logged fails in the call itself, so that the error shows the line of the user's file.
 */

/** A completion's value in a column. */
export type ExtraValue = string | number | boolean | null;

/** Columns and metrics of a batch, as they pass from one thread to another. */
export interface RewardLogs {
  /** By name, one value per completion. */
  readonly columns: readonly (readonly [name: string, values: readonly ExtraValue[]])[];
  /** By name, the numbers in the order in which they were logged: their mean is the metric. */
  readonly metrics: readonly (readonly [name: string, values: readonly number[]])[];
}

/** Characters of a name: a heading of a column, or a title of a chart. */
const LONGEST_NAME = 64;

/** Metrics that a run logs itself, and what begins the names of others. `<method>/…` belongs to methods. */
const OWN_METRICS: ReadonlySet<string> = new Set(
  [
    'step stage batch loss policy_loss entropy grad_norm learning_rate num_tokens step_time',
    'reward reward_std frac_reward_zero_std solve_rate level kl kl_exact cispo_clip_ratio sampled_per_trained_token staleness',
    'teacher_kl teacher_top1 value_loss value_clip_ratio',
    'evaluation diagnosis message tokens_per_second',
  ].flatMap((names) => names.split(' ')),
);
const OWN_BEGINNINGS =
  /^(?:eval_|(?:prompts|rewards|trained|group_steps|completions|solve_rate|groups|clip_ratio|sampling|importance_ratio)\/)/;

/** Takes what the reward functions log of a batch of C completions. */
export class RewardLog implements RewardLogs {
  readonly #count: number;
  readonly #columns = new Map<string, readonly ExtraValue[]>();
  readonly #metrics = new Map<string, number[]>();

  constructor(count: number) {
    this.#count = count;
  }

  get columns(): RewardLogs['columns'] {
    return [...this.#columns];
  }

  get metrics(): RewardLogs['metrics'] {
    return [...this.#metrics];
  }

  /** @throws RangeError `rule; remedy` for a name, a length or a value that no column can have */
  readonly extra = (column: string, values: readonly ExtraValue[]): void => {
    const call = requireName('logExtra', column);
    if (!Array.isArray(values)) throw new RangeError(`${call} is given ${said(values)}; give a list, one value each`);
    if (values.length !== this.#count) {
      throw new RangeError(`${call} is given ${values.length} values for ${this.#count} completions; give one each`);
    }
    const entries = Array.from(values as readonly unknown[]); // a hole counts as undefined
    const bad = entries.findIndex((value) => !isExtra(value));
    if (bad >= 0) {
      const rule = 'give a text, a finite number, true, false or null';
      throw new RangeError(`${call} is given ${said(entries[bad])} for completion ${bad + 1}; ${rule}`);
    }
    if (this.#columns.has(column)) throw new RangeError(`${call} was called before for this batch; call it once`);
    this.#columns.set(column, entries as ExtraValue[]);
  };

  /** @throws RangeError `rule; remedy` for a name that a run's own metric has, or what is no finite number */
  readonly metric = (name: string, value: number): void => {
    const call = requireName('logMetric', name);
    if (OWN_METRICS.has(name) || OWN_BEGINNINGS.test(name)) {
      throw new RangeError(`${call} would hide a metric of the run's own; give it another name`);
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new RangeError(`${call} is given ${said(value)}; give a finite number`);
    }
    const values = this.#metrics.get(name);
    if (values === undefined) this.#metrics.set(name, [value]);
    else values.push(value);
  };
}

/** `logExtra("tone")`, for messages. */
function requireName(call: string, name: unknown): string {
  const rule = `a name has 1 to ${LONGEST_NAME} characters of one line`;
  if (typeof name !== 'string') throw new RangeError(`${call} is given ${said(name)} as a name; ${rule}`);
  const isName = name.trim() !== '' && name.length <= LONGEST_NAME && !/\p{C}/u.test(name) && name !== '__proto__';
  if (!isName) throw new RangeError(`${call} is given ${said(name)} as a name; ${rule}`);
  return `${call}(${JSON.stringify(name)})`;
}

function isExtra(value: unknown): value is ExtraValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return typeof value === 'number' && Number.isFinite(value);
}

function said(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_NAME));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
