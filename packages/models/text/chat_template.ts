/**
 * The chat template of a model: Jinja, as transformers renders it.
 *
 * A template is a text of somebody else's and may be wrong: what it throws is an error of the model's, and one that
 * does not end is stopped.
 */
import { DataError } from '../../../src/errors.ts';
import type { Message } from '../../../src/text/codec.ts';
import { renderTemplate } from './jinja/interpreter.ts';
import { TemplateError } from './jinja/lexer.ts';
import { parseTemplate } from './jinja/parser.ts';
import type { Body } from './jinja/syntax.ts';

/** Characters of a template. */
const MOST_CHARACTERS = 1_000_000;

export interface ChatTemplate {
  /** @throws DataError with the template's own words, such as that a system message is not supported */
  render(messages: readonly Message[], values: Readonly<Record<string, unknown>>): string;
}

/**
 * The date that `chat_template_kwargs: {strftime_now: 2026-11-30}` gives a template; a time of day may follow, as
 * `2026-11-30 14:05`.
 *
 * @param source  where the template comes from, for messages
 * @throws DataError where it is no date
 */
export function templateDate(given: unknown, source: string): Date | undefined {
  if (given === undefined) return undefined;
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?$/.exec(String(given))?.slice(1).map(Number);
  if (parts !== undefined) {
    const [year, month, day, hour, minute, second] = parts.map((part) => (Number.isNaN(part) ? 0 : part));
    const date = new Date(year, month - 1, day, hour, minute, second);
    if (date.getMonth() === month - 1 && date.getDate() === day && date.getHours() === hour) return date;
  }
  const rule = `strftime_now of chat_template_kwargs is ${JSON.stringify(given)}`;
  throw new DataError('chat-template', `${source}: ${rule}; write a date such as 2026-11-30.`, { source });
}

/**
 * @param source  where it comes from, for messages
 * @param now  the date of `strftime_now`; absent: templates find no such function and take their fixed date, since a prompt
 *   must not change by the day
 * @throws DataError where it is no Jinja
 */
export function compileChatTemplate(template: string, source: string, now?: Date): ChatTemplate {
  const failed = (what: string, error: unknown): DataError => {
    const line = error instanceof TemplateError && error.line > 0 ? `line ${error.line}: ` : '';
    const reason = line + (error instanceof Error ? error.message : String(error));
    return new DataError('chat-template', `${source}: the chat template ${what}: ${reason}.`, { source, reason });
  };
  if (template.length > MOST_CHARACTERS) throw failed('is not readable', `longer than ${MOST_CHARACTERS} characters`);
  let program: Body;
  try {
    program = parseTemplate(template);
  } catch (error) {
    throw failed('is not readable', error);
  }
  return {
    render: (messages, values) => {
      try {
        return renderTemplate(program, { ...values, messages }, now);
      } catch (error) {
        throw failed('failed', error);
      }
    },
  };
}
