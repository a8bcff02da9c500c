/** The value that a text probably stands for, where a number, a flag or nothing was asked for. */

/** The value to write, as the YAML spells it, and why the text is not that already. */
export interface LikelyValue {
  readonly value: number | boolean | null;
  readonly written: string;
  readonly because: string;
}

const NOTHING = /^(none|nil|null|nan|undefined|~)$/i;
const YES = /^(yes|on|true|y)$/i;
const NO = /^(no|off|false|n)$/i;
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
/** Characters of a number, a flag or a word for nothing, with its mistake. */
const LONGEST = 40;

/** Undefined where the text is just a text. */
export function likelyValue(text: string): LikelyValue | undefined {
  const word = text.trim();
  if (word.length > LONGEST) return undefined;
  const [, beforeHash] = /^([^\s#]+)#/.exec(word) ?? [];
  if (beforeHash !== undefined) return withReason(likelyValue(beforeHash), 'a comment needs a space before its #');
  if (/[−–]/.test(word)) return withReason(likelyValue(word.replace(/[−–]/g, '-')), 'a minus is the - of the keyboard');
  if (NUMBER.test(word)) return number(word, 'quotes make a text of it');
  if (/^\d[\d_]*$/.test(word)) return number(word.replaceAll('_', ''), 'an underscore makes a text of it');
  if (/^[1-9]\d{0,2}(,\d{3})+$/.test(word)) return number(word.replaceAll(',', ''), 'a comma makes a text of it');
  if (/^[-+]?\d+,\d+$/.test(word)) return number(word.replace(',', '.'), 'a comma makes a text of it');
  if (/^[-+]?[\d.]+ ?%$/.test(word)) return percentage(word);
  if (YES.test(word)) return { value: true, written: 'true', because: aText(word) };
  if (NO.test(word)) return { value: false, written: 'false', because: aText(word) };
  if (NOTHING.test(word)) return { value: null, written: 'null', because: aText(word) };
  return undefined;
}

function withReason(likely: LikelyValue | undefined, because: string): LikelyValue | undefined {
  return likely && { ...likely, because };
}

function number(spelling: string, because: string): LikelyValue {
  return { value: Number(spelling), written: spelling, because };
}

function percentage(word: string): LikelyValue {
  const value = Number((Number.parseFloat(word) / 100).toPrecision(12)); // 0.07, not 0.07000000000000001
  return { value, written: String(value), because: 'a percent sign makes a text of it' };
}

/** `true` and `null` are texts only in quotes; the others always (YAML 1.2). */
function aText(word: string): string {
  return /^(true|false|null|~)$/i.test(word) ? 'quotes make a text of it' : `${word} is a text in YAML 1.2`;
}
