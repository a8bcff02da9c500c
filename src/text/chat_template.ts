/**
 * The chat template of a model: Jinja, as transformers renders it.
 *
 * A template is a text of somebody else's and may be wrong: what it throws is an error of the model's, and one that
 * does not end is stopped. `strftime_now` is not there, since a prompt must not change by the day; templates that would
 * write the date take their fixed one, or what `chat_template_kwargs` gives.
 */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { DataError } from '../errors.ts';
import type { Message } from './codec.ts';

/** Parts of a template that one rendering may evaluate; templates of today take some hundreds a message. */
const MOST_EVALUATIONS = 300_000;
const MOST_RANGE = 100_000;

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

class BoundedEvaluator extends EvaluatorOf {
  #left = MOST_EVALUATIONS;

  override evaluate(statement: unknown, values: Values): unknown {
    if (this.#left-- === 0) throw new Error(`it does not end (stopped after ${MOST_EVALUATIONS} steps)`);
    return super.evaluate(statement, values);
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
