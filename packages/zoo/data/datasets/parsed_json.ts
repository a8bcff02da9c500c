/** JSON whose numbers keep their digits where they become texts: the right answer 27.10 is not 27.1. */
import type { Json } from '../../../../src/options/json.ts';

export interface ParsedJson {
  /** Whole numbers beyond 2^53 are texts. */
  readonly value: Json;
  /** The same with each number that JavaScript writes otherwise as the text that it has in the file: 1.0, 27.10, 1e3. */
  readonly asWritten: Json;
}

/** Texts, and numbers beside them. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;
/** In most texts no number is written otherwise, and one look is enough. */
const MAY_DIFFER = /[0-9]{16}|\.[0-9]*0(?![0-9])|[0-9][eE]|-0/;
const WHOLE = /^-?[0-9]+$/;

/** @throws SyntaxError if it is no JSON */
export function parseJson(text: string): ParsedJson {
  const value = JSON.parse(text) as Json;
  if (!MAY_DIFFER.test(text)) return { value, asWritten: value };
  const quoting = (isText: (number: string) => boolean): Json =>
    JSON.parse(
      text.replaceAll(TEXT_OR_NUMBER, (token) => (token[0] !== '"' && isText(token) ? `"${token}"` : token)),
    ) as Json;
  return {
    value: quoting((number) => WHOLE.test(number) && !Number.isSafeInteger(Number(number))),
    asWritten: quoting((number) => String(Number(number)) !== number),
  };
}
