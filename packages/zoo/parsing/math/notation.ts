/** What typesetting adds to an answer, taken away: enclosures, spaces, sizes of brackets, fonts; one sign for each meaning. */
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { Unreadable } from './quotient.ts';
import { MULTIPLES, numberInWords } from './words.ts';

/** Around what \text{} and \mathrm{} hold beside a value. */
const [OPEN_TEXT, CLOSE_TEXT] = ['\u27e6', '\u27e7'];
/** A text at the end of an answer. */
export const MARKED = new RegExp(
  `^(.*?) *${OPEN_TEXT}([^${OPEN_TEXT}${CLOSE_TEXT}]*)${CLOSE_TEXT}(\\^\\{?[23]\\}?)?$`,
  's',
);
/** The dollar that is money. */
export const DOLLAR = '\u00a4';

/** Between the rows of a matrix. */
export const NEXT_ROW = '\u240a';

const MOST_ENCLOSURES = 6;
const FONTS = 'text|textrm|textbf|textit|mathrm|mathbf|mathit|mathsf|mbox|operatorname|emph|bold|boldsymbol';
const ENCLOSED =
  /^(?:\$\$([^$]*)\$\$|\$([^$]*)\$|\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\]|\\(?:boxed|fbox) *\{([\s\S]*)\}|\\boxed *([^ {}\\]+)|\*\*([^*]*)\*\*)$/;
const ONLY_TEXT = new RegExp(`^\\\\(?:${FONTS}) *\\{([^{}]*)\\}$`);
const TEXT = new RegExp(`\\\\(?:${FONTS}) *\\{([^{}]*)\\}`, 'g');

/** Pairs that are replaced in this order. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/\\\\/g, NEXT_ROW],
  [/\\\$|\\textdollar/g, DOLLAR],
  [/\$([^$]*)\$/g, ' $1 '],
  [/\$/g, DOLLAR],
  [/\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|,|;|:|!)(?![A-Za-z])/g, ''],
  [/\\(?:quad|qquad|hspace\{[^{}]*\}| )|~|\u00a0/g, ' '],
  [/(?<=[0-9])\{,\}(?=[0-9]{3})/g, ','],
  [/\{,\}/g, ','],
  [/\\[dtcs]frac(?![A-Za-z])/g, '\\frac'],
  [/\{([^{}]*)\\over(?![A-Za-z])([^{}]*)\}/g, '\\frac{$1}{$2}'],
  [/\\langle/g, '('],
  [/\\rangle/g, ')'],
  [/\\[dt]binom(?![A-Za-z])/g, '\\binom'],
  [/\u2212|\u2013/g, '-'],
  [/\u00d7|\u00b7|\u22c5|\\times|\\cdot|\\ast/g, '*'],
  [/\u00f7|\\div(?![A-Za-z])/g, '/'],
  [/\u221a/g, 'sqrt'],
  [/\u03c0/g, '\\pi '],
  [/\\pm(?![A-Za-z])|\+\/-|\+-/g, '\u00b1'],
  [/\\mp(?![A-Za-z])/g, '\u2213'],
  [/\\cup(?![A-Za-z])|\u222a/g, '\u222a'],
  [/\\infty|\u221e|infinity|(?<![A-Za-z])inf(?![A-Za-z])/g, '\u221e'],
  [/\\(?:emptyset|varnothing)|\u2205/g, '\\{\\}'],
  [/\\(?:lvert|rvert|vert|mid)(?![A-Za-z])/g, '|'],
  [/\\(?:leq?|leqslant)(?![A-Za-z])|\u2264|<=/g, '\u2264'],
  [/\\(?:geq?|geqslant)(?![A-Za-z])|\u2265|>=/g, '\u2265'],
  [/\\lt(?![A-Za-z])/g, '<'],
  [/\\gt(?![A-Za-z])/g, '>'],
  [/\\in(?![A-Za-z])/g, '\u2208'],
  [/\^ *(?:\{ *(?:\\circ|\u00b0) *\}|\\circ)|\\degree|\\circ/g, '\u00b0'],
  [/\\(?:\{|lbrace)/g, '{'],
  [/\\(?:\}|rbrace)/g, '}'],
  [/\\%/g, '%'],
  [/\\backslash|\\\/|\\&/g, ' '],
];

/** Number with a power of ten: 1.5e-3. */
const SCIENTIFIC = /(?<![A-Za-z0-9.])([0-9]+(?:\.[0-9]+)?)[eE]\+?(-?[0-9]{1,2})(?![0-9A-Za-z.])/g;
/** 101_{\text{two}} */
const BASE_IN_WORDS = new RegExp(`_ *\\{? *${OPEN_TEXT}([a-z]+)${CLOSE_TEXT} *\\}?`, 'g');
/** 0.1\overline{6} */
const REPEATING = /([0-9]*)\.([0-9]*)\\overline *\{([0-9]+)\}/g;

/** The text that is read. @throws Unreadable where LaTeX and its writer may mean different things */
export function plain(answer: string): string {
  let text = trimAscii(answer).replace(/^#### */, '');
  for (let i = 0; i < MOST_ENCLOSURES; i++) {
    const inside = ENCLOSED.exec(text) ?? ONLY_TEXT.exec(text);
    const next = trimAscii(
      (inside?.slice(1).find((one) => one !== undefined) ?? text).replace(/(?<=[^.])(?:\.|\\+)$/, ''),
    );
    if (next === text) break;
    text = next;
  }
  if (/\\sqrt *[0-9]{2}/.test(text)) throw new Unreadable('\\sqrt of several digits needs braces');
  text = text
    .replaceAll(/[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u207b]+/g, (raised) => `^{${raised.normalize('NFKC')}}`)
    .replaceAll(/[\u00bc-\u00be\u2150-\u215e]/g, (part) => ` ${part.normalize('NFKC').replace('\u2044', '/')} `);
  for (const [sign, by] of SIGNS) text = text.replaceAll(sign, by);
  return trimAscii(
    text
      .replaceAll(TEXT, (_, inside: string) => textBeside(inside))
      .replaceAll(BASE_IN_WORDS, (all, word: string) =>
        numberInWords(word) === undefined ? all : `_{${numberInWords(word)}}`,
      )
      .replaceAll(/(?<=[0-9}\u00b0) ])percent\b/g, '%')
      .replaceAll(REPEATING, (_, before: string, after: string, again: string) => repeating(before, after, again))
      .replaceAll(SCIENTIFIC, '($1*10^($2))'),
  ).replace(/^= */, '');
}

function textBeside(inside: string): string {
  const text = trimAscii(inside);
  if (/^(?:or|and|,|U)$/.test(text) || Object.hasOwn(MULTIPLES, text)) return ` ${text} `;
  if (/^(?:[ei]|sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|log|ln|exp)$/.test(text))
    return `\\${text} `.replace(/^\\([ei]) $/, '$1 ');
  if (/^[0-9.,+*/= -]*$/.test(text)) return text;
  return `${OPEN_TEXT}${text}${CLOSE_TEXT}`;
}

/** 0.1\overline{6} is (16 - 1)/90. */
function repeating(before: string, after: string, again: string): string {
  const [all, once] = [BigInt(`${before}${after}${again}`), BigInt(`0${before}${after}`)];
  return `((${all - once})/${'9'.repeat(again.length)}${'0'.repeat(after.length)})`;
}
