/**
 * Mistakes found in a configuration, collected so that one run of the command shows them all.
 *
 * A line names the place, the key, the value, the rule and the remedy:
 * `configs/countdown.yaml:12  num_generations: 1 — a group of one has no advantage; use 2 or more (default 8).`
 */
import { stringify } from 'yaml';
import { ConfigError } from '../errors.ts';
import { printable, thousands } from '../format.ts';

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

/** What is said of a key that is taken. */
export interface Noted {
  readonly place: string;
  readonly path: string;
  readonly value: unknown;
  /** `what is so; remedy`, or a reason alone. */
  readonly text: string;
}

/** Stands for a value that was not written. */
export const MISSING: unique symbol = Symbol('missing');

/** Characters of a value that an error line shows, of a path, and of what is said of them. */
const LONGEST_VALUE = 60;
const LONGEST_PATH = 120;
const LONGEST_RULE = 2000;
/** Mistakes that are shown; a file with more of them is probably the wrong one. */
const MOST_SHOWN = 50;

/** A mistake as it is recorded: its line is made where it is shown, since a file may hold thousands. */
interface Found {
  readonly place: Place;
  readonly path: string;
  readonly rule: () => string;
  /** What follows the place. */
  readonly text: (rule: string) => string;
}

/** Collects problems; `throwIfAny` renders them in file order. */
export class Problems {
  readonly #file: string;
  readonly #places: Places;
  readonly #found = new Map<string, Found>();
  readonly #notes: Omit<Noted, 'place'>[] = [];

  constructor(file: string, places: Places) {
    this.#file = file;
    this.#places = places;
  }

  /**
   * Records a problem with the key at `path`; the same one is recorded once.
   *
   * @param rule  `rule; remedy`, or what makes it where that takes a search
   */
  add(path: string, value: unknown, rule: string | (() => string), place: Place = this.placeOf(path)): void {
    const text = (ruleText: string): string => aboutKey(path, value, ruleText);
    const made = typeof rule === 'string' ? () => rule : rule;
    const identity = `${place.label}\n${path}\n${typeof rule === 'string' ? rule : ''}`;
    if (!this.#found.has(identity)) this.#found.set(identity, { place, path, rule: made, text });
  }

  /** Records a problem whose message says everything but its place, which is that of `path`. */
  addMessage(path: string, message: string, place: Place = this.placeOf(path)): void {
    this.#found.set(`${place.label}\n${message}`, { place, path, rule: () => message, text: (said) => said });
  }

  /** A ConfigError that names its key as `facts.path`, with the place of that key before its message; others as they are. */
  placed(error: unknown): unknown {
    if (!(error instanceof ConfigError) || typeof error.facts.path !== 'string') return error;
    return new ConfigError(error.code, `${this.placeOf(error.facts.path).label}  ${error.message}`, error.facts);
  }

  /** How many there are. */
  get count(): number {
    return this.#found.size;
  }

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** Records what is no mistake, but worth saying of the key at `path`. */
  note(path: string, value: unknown, text: string): void {
    this.#notes.push({ path, value, text });
  }

  /** In file order. */
  get notes(): readonly Noted[] {
    const placed = this.#notes.map((noted) => ({ ...noted, place: this.placeOf(noted.path) }));
    return placed
      .sort((a, b) => a.place.order - b.place.order)
      .map(({ place, path, value, text }) => ({ place: place.label, path, value, text }));
  }

  /** `file:line  key: value — text.`, for the place of a key. */
  lineOf(path: string, value: unknown, text: string): string {
    return printable(`${this.placeOf(path).label}  ${aboutKey(path, value, text)}`);
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

  /** @throws ConfigError `invalid-config` with the problems, one per line, if there are any; of many, the first ones */
  throwIfAny(): void {
    if (this.#found.size === 0) return;
    const sorted = [...this.#found.values()].sort((a, b) => a.place.order - b.place.order);
    const problems = sorted.slice(0, MOST_SHOWN).map(rendered);
    const more = sorted.length - problems.length;
    const lines = problems.map((problem) => problem.message);
    if (more > 0) lines.push(`and ${thousands(more)} more.`);
    throw new ConfigError('invalid-config', lines.join('\n'), { problems, ...(more > 0 && { more }) });
  }
}

function rendered({ place, path, rule, text }: Found): Problem {
  const ruleText = shortened(rule(), LONGEST_RULE);
  return { place: place.label, path, rule: ruleText, message: printable(`${place.label}  ${text(ruleText)}`) };
}

/** `key: value — text.` */
export function aboutKey(path: string, value: unknown, text: string): string {
  return `${shortened(path, LONGEST_PATH)}: ${shown(value)} — ${text}.`;
}

/** A value as the YAML would spell it on one line. */
function shown(value: unknown): string {
  if (value === MISSING || value === undefined) return 'missing';
  const line = stringify(value, { collectionStyle: 'flow', lineWidth: 0, blockQuote: false }).trim();
  return shortened(line, LONGEST_VALUE);
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
