/** Options of a reward function as the YAML gives them, read with errors that name key, value, rule, remedy. */
import { distance } from 'fastest-levenshtein';
import { ConfigError } from '../errors.ts';

/** `{name: soft_overlong, weight: 0.5, max_tokens: 12}` without `name` and `weight`. */
export type RewardOptions = Readonly<Record<string, unknown>>;

/** Reads one function's options. */
export class OptionReader {
  readonly #name: string;
  readonly #given: RewardOptions;

  /** @throws ConfigError for an option that is not in `known`, naming the nearest one */
  constructor(name: string, given: RewardOptions, known: readonly string[]) {
    this.#name = name;
    this.#given = given;
    const unknown = Object.keys(given).find((key) => !known.includes(key));
    if (unknown === undefined) return;
    const list = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
    const nearest = nearestName(unknown, ['weight', ...known]);
    const remedy = nearest === undefined ? 'leave it out' : `the nearest is ${nearest}`;
    throw this.refuse(unknown, `no such option of ${name} (${list}); ${remedy}`);
  }

  /** A ConfigError about one option; `rule; remedy`. */
  refuse(key: string, rule: string): ConfigError {
    const value = this.#given[key];
    const shown = value === undefined ? 'missing' : JSON.stringify(value);
    const message = `reward_funcs: ${this.#name}.${key}: ${shown} — ${rule}.`;
    return new ConfigError('bad-reward-option', message, { reward: this.#name, key, value });
  }

  /** An integer of `least` or more that must be given. @throws ConfigError */
  integer(key: string, least: number, example: number): number {
    const value = this.#given[key];
    if (typeof value === 'number' && Number.isInteger(value) && value >= least) return value;
    throw this.refuse(key, `must be a whole number of ${least} or more; for example ${key}: ${example}`);
  }
}

/** The known name with the fewest edits, or undefined where more than a third of the name would have to change. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((candidate) => ({ candidate, edits: distance(name, candidate) }))
    .filter(({ edits }) => edits <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}
