/** Reads the knobs of a task from YAML: kinds, ranges and defaults, with errors that name key, value, rule, remedy. */
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';

/** Reads one task's knobs; each getter marks its key as known. `finish` refuses every other key. */
export class KnobReader {
  readonly #task: string;
  readonly #raw: Readonly<Record<string, unknown>>;
  readonly #known: string[] = [];

  constructor(task: string, raw: Readonly<Record<string, unknown>>) {
    this.#task = task;
    this.#raw = raw;
  }

  #take(key: string): unknown {
    this.#known.push(key);
    return this.#raw[key];
  }

  /** A ConfigError about one key, in the house form. */
  refuse(key: string, value: unknown, rule: string, remedy: string): ConfigError {
    const message = `task.${key}: ${JSON.stringify(value)} — ${rule}; ${remedy}.`;
    return new ConfigError('bad-knob', message, { task: this.#task, key, value });
  }

  /** An integer in [lo, hi]. @throws ConfigError */
  integer(key: string, lo: number, hi: number, defaultValue: number): number {
    const value = this.#take(key) ?? defaultValue;
    if (typeof value === 'number' && Number.isInteger(value) && value >= lo && value <= hi) return value;
    throw this.refuse(key, value, `an integer from ${lo} to ${hi}`, `use ${defaultValue}, the default`);
  }

  /** An integer in [lo, hi], or undefined where it is not given. @throws ConfigError */
  optionalInteger(key: string, lo: number, hi: number): number | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= lo && value <= hi) return value;
    throw this.refuse(key, value, `an integer from ${lo} to ${hi}`, 'or leave it out');
  }

  /** A number in [0, 1]. @throws ConfigError */
  share(key: string, defaultValue: number): number {
    const value = this.#take(key) ?? defaultValue;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    throw this.refuse(key, value, 'a share from 0 to 1', `use ${defaultValue}, the default`);
  }

  /** One of a few words. @throws ConfigError */
  choice<C extends string>(key: string, choices: readonly C[], defaultValue: C): C {
    const value = this.#take(key) ?? defaultValue;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw this.refuse(key, value, `one of ${choices.join(', ')}`, `use ${defaultValue}, the default`);
  }

  /** true or false. @throws ConfigError */
  flag(key: string, defaultValue: boolean): boolean {
    const value = this.#take(key) ?? defaultValue;
    if (typeof value === 'boolean') return value;
    throw this.refuse(key, value, 'true or false', `use ${defaultValue}, the default`);
  }

  /** Call after the last getter. @throws ConfigError naming the first unknown key and the nearest known one */
  finish(): void {
    for (const key of Object.keys(this.#raw)) {
      if (this.#known.includes(key)) continue;
      const message =
        `task.${key}: ${JSON.stringify(this.#raw[key])} — task "${this.#task}" has no such knob` +
        `${didYouMean(key, this.#known)} (knobs: ${this.#known.join(', ')})`;
      throw new ConfigError('unknown-knob', message, {
        task: this.#task,
        key,
        value: this.#raw[key],
        known: [...this.#known],
      });
    }
  }
}
