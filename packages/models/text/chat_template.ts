/**
 * The chat template of a model: Jinja, as transformers renders it.
 *
 * A template is a text of somebody else's and may be wrong: what it throws is an error of the model's, and one that
 * does not end is stopped. `strftime_now` is not there, since a prompt must not change by the day; templates that would
 * write the date take their fixed one, or what `chat_template_kwargs` gives.
 */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { DataError } from '../../../src/errors.ts';
import type { Message } from '../../../src/text/codec.ts';

/** Parts of a template that one rendering may evaluate; templates of today take some hundreds a message. */
const MOST_EVALUATIONS = 300_000;
const MOST_RANGE = 100_000;
/** Characters and list elements that one rendering may make or look at; a hundred long messages take some millions. */
const MOST_MADE = 20_000_000;
/** Characters of a template, and blanks in a row: reading them takes the square of their number. */
const MOST_CHARACTERS = 1_000_000;
const MOST_BLANKS = 1000;

export interface ChatTemplate {
  /** @throws DataError with the template's own words, such as that a system message is not supported */
  render(messages: readonly Message[], values: Readonly<Record<string, unknown>>): string;
}

interface Values {
  set(name: string, value: unknown): unknown;
}

interface Evaluator {
  run(program: object): { readonly value: unknown };
  evaluate(statement: unknown, values: Values): unknown;
}

// Declared here, since the package's own declarations are found by bundlers alone.
const ValuesOf = Environment as unknown as new () => Values;
const EvaluatorOf = Interpreter as unknown as new (values: Values) => Evaluator;

/** A value of the interpreter's: a text, a list, a mapping, or something small. */
interface Value {
  readonly value?: unknown;
}

/** Counts steps, and what each step gives: a few steps are enough to double a text thirty times. */
class BoundedEvaluator extends EvaluatorOf {
  #left = MOST_EVALUATIONS;
  #made = 0;
  /** Sizes of lists and mappings as written out, in which one that is there twice counts twice. */
  readonly #sizes = new WeakMap<object, number>();

  override evaluate(statement: unknown, values: Values): unknown {
    if (this.#left-- === 0) throw new Error(`it does not end (stopped after ${MOST_EVALUATIONS} steps)`);
    const result = super.evaluate(statement, values);
    const { value } = (result ?? {}) as Value;
    if (typeof value === 'string' || Array.isArray(value)) this.#made += value.length;
    if (this.#made > MOST_MADE || this.#sizeOf(result) > MOST_MADE) {
      throw new Error(`it makes more than ${MOST_MADE} characters and elements`);
    }
    return result;
  }

  #sizeOf(of: unknown): number {
    const { value } = (of ?? {}) as Value;
    if (typeof value === 'string') return value.length;
    if (!Array.isArray(value) && !(value instanceof Map)) return 1;
    const holder = of as object; // its value was read
    const known = this.#sizes.get(holder);
    if (known !== undefined) return known;
    this.#sizes.set(holder, Number.POSITIVE_INFINITY); // what holds itself has no end
    let size = 1;
    for (const inner of value.values()) size += this.#sizeOf(inner);
    this.#sizes.set(holder, size);
    return size;
  }
}

/**
 * @param source  where it comes from, for messages
 * @throws DataError where it is no Jinja
 */
export function compileChatTemplate(template: string, source: string): ChatTemplate {
  const failed = (what: string, error: unknown): DataError => {
    const reason = error instanceof Error ? error.message : String(error);
    return new DataError('chat-template', `${source}: the chat template ${what}: ${reason}.`, { source, reason });
  };
  let program: object;
  if (template.length > MOST_CHARACTERS) throw failed('is not readable', `longer than ${MOST_CHARACTERS} characters`);
  if (hasLongBlank(template)) throw failed('is not readable', `more than ${MOST_BLANKS} blanks in a row`);
  try {
    program = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));
  } catch (error) {
    throw failed('is not readable', error);
  }
  return {
    render: (messages, values) => {
      try {
        const environment = globalsOf();
        for (const [name, value] of Object.entries({ ...values, messages })) environment.set(name, value);
        return String(new BoundedEvaluator(environment).run(program).value);
      } catch (error) {
        throw failed('failed', error);
      }
    },
  };
}

function hasLongBlank(template: string): boolean {
  let blanks = 0;
  for (const character of template) {
    blanks = character.trim() === '' ? blanks + 1 : 0;
    if (blanks > MOST_BLANKS) return true;
  }
  return false;
}

function globalsOf(): Values {
  const environment = new ValuesOf();
  const constants = { true: true, True: true, false: false, False: false, none: null, None: null };
  for (const [name, value] of Object.entries(constants)) environment.set(name, value);
  environment.set('raise_exception', (message: string) => {
    throw new Error(message);
  });
  environment.set('range', range);
  return environment;
}

/** Python's. */
function range(first: number, end?: number, step = 1): number[] {
  const [from, to] = end === undefined || end === null ? [0, first] : [first, end];
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (!(length <= MOST_RANGE)) throw new Error(`range of ${length} numbers`);
  return Array.from({ length }, (_, i) => from + i * step);
}
