/**
 * Mistakes found in a configuration, collected so that one run of the command shows them all.
 *
 * A line names the place, the key, the value, the rule and the remedy:
 * `configs/countdown.yaml:12  num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).`
 */
import { stringify } from 'yaml';
import { ConfigError } from '../errors.ts';

/** Where a value was written. `order` sorts places: lines of the file first, then `--set` flags. */
export interface Place {
  /** `file:line`, or `--set`. */
  readonly label: string;
  readonly order: number;
}

/** Dotted path of a key (`stages.1.learning_rate`) to the place it was written at. */
export type Places = Map<string, Place>;

/** One mistake. */
export interface Problem {
  readonly place: string;
  readonly path: string;
  /** `rule; remedy`. */
  readonly rule: string;
  /** The line that is shown. */
  readonly message: string;
}

/** Stands for a value that was not written. */
export const MISSING: unique symbol = Symbol('missing');

const LONGEST_VALUE = 60; // characters of a value that an error line shows

/** Collects problems; `throwIfAny` renders them in file order. */
export class Problems {
  readonly #file: string;
  readonly #places: Places;
  readonly #found = new Map<string, Problem & { order: number }>();

  constructor(file: string, places: Places) {
    this.#file = file;
    this.#places = places;
  }

  /** Records a problem with the key at `path`; the same line is recorded once. */
  add(path: string, value: unknown, rule: string, place: Place = this.placeOf(path)): void {
    const message = `${place.label}  ${path}: ${shown(value)} — ${rule}.`;
    if (!this.#found.has(message)) {
      this.#found.set(message, { place: place.label, path, rule, message, order: place.order });
    }
  }

  /** Records a problem whose message says everything but its place, which is that of `path`. */
  addMessage(path: string, message: string, { label, order }: Place = this.placeOf(path)): void {
    const line = `${label}  ${message}`;
    this.#found.set(line, { place: label, path, rule: message, message: line, order });
  }

  /** A ConfigError that names its key as `facts.path`, with the place of that key before its message; others as they are. */
  placed(error: unknown): unknown {
    if (!(error instanceof ConfigError) || typeof error.facts.path !== 'string') return error;
    return new ConfigError(error.code, `${this.placeOf(error.facts.path).label}  ${error.message}`, error.facts);
  }

  /** The first of these paths that the file or a flag gives. */
  written(...paths: readonly string[]): string | undefined {
    return paths.find((path) => this.#places.has(path));
  }

  /** The place of a key, or of the nearest key around it; the file itself for the top level. */
  placeOf(path: string): Place {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('.'), 0))) {
      const place = this.#places.get(at);
      if (place !== undefined) return place;
    }
    return { label: this.#file, order: 0 };
  }

  /** @throws ConfigError `invalid-config` with all problems, one per line, if there are any */
  throwIfAny(): void {
    if (this.#found.size === 0) return;
    const sorted = [...this.#found.values()].sort((a, b) => a.order - b.order);
    const problems: Problem[] = sorted.map(({ place, path, rule, message }) => ({ place, path, rule, message }));
    throw new ConfigError('invalid-config', problems.map((problem) => problem.message).join('\n'), { problems });
  }
}

/** A value as the YAML would spell it on one line. */
function shown(value: unknown): string {
  if (value === MISSING || value === undefined) return 'missing';
  const line = stringify(value, { collectionStyle: 'flow', lineWidth: 0, blockQuote: false }).trim();
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}
