/** How answers may be written, decided apart from `src/parsing`: by patterns over the whole text. */

/** White space that may surround an answer. */
export function bare(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
}

const ENCLOSED = [/^\\boxed\{([\s\S]+)\}$/, /^\\\(([\s\S]+)\\\)$/, /^\$([\s\S]+)\$$/];

/** A whole number in plain decimals; undefined for anything else, 2.5 included. */
export function wholeNumber(text: string): bigint | undefined {
  let inner = bare(text);
  if (inner.length > 256) return undefined;
  for (const pattern of ENCLOSED) {
    const match = pattern.exec(inner);
    if (match === null) continue;
    inner = bare(match[1] as string);
    break;
  }
  const match = /^([+\-\u2212]?)([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+|(?=\.0))(?:\.0*)?$/.exec(inner);
  if (match === null) return undefined;
  const value = BigInt((match[2] as string).replaceAll(',', '') || '0');
  return match[1] === '' || match[1] === '+' ? value : -value;
}

/** A text within what may enclose a number. */
export function opened(text: string): string {
  const inner = bare(text);
  for (const pattern of ENCLOSED) {
    const match = pattern.exec(inner);
    if (match !== null) return bare(match[1] as string);
  }
  return inner;
}

/** Whether an answer is this whole number, or `none` where that is expected. */
export function isNumberOrNone(answer: string, expected: string): boolean {
  return expected === 'none' ? bare(answer) === 'none' : wholeNumber(answer) === BigInt(expected);
}

/** What a pattern finds in a prompt. @throws RangeError where the prompt has another form */
export function asked(prompt: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(prompt);
  if (match === null) throw new RangeError(`${prompt} is no prompt of ${String(pattern)}`);
  return match.slice(1);
}

/** The elements of a list of words or numbers without spaces inside; undefined where it is written otherwise. */
export function listed(text: string): readonly string[] | undefined {
  let inner = bare(text);
  if (inner.length === 0 || inner.length > 4096) return undefined;
  const brackets = /^\[([\s\S]*)\]$/.exec(inner);
  if (brackets !== null) inner = bare(brackets[1] as string);
  if (brackets !== null && inner === '') return [];
  const element = `[^\\s"'[\\],]+`;
  if (new RegExp(`^${element}(?: *, *${element})*$`).test(inner)) return inner.split(/ *, */);
  if (new RegExp(`^${element}(?: +${element})*$`).test(inner)) return inner.split(/ +/);
  for (const quote of ['"', "'"]) {
    const quoted = `${quote}[^${quote}]*${quote}`;
    const isList = new RegExp(`^${quoted}(?:(?: *, *${quoted})*|(?: +${quoted})*)$`).test(inner);
    if (isList) return [...inner.matchAll(new RegExp(quoted, 'g'))].map(([one]) => one.slice(1, -1));
  }
  return undefined;
}

/** A number in any notation of numbers, as a numerator over a denominator above 0; undefined for anything else. */
export function anyNumber(text: string): readonly [bigint, bigint] | undefined {
  let inner = bare(text);
  if (inner.length > 256) return undefined;
  for (const pattern of ENCLOSED) {
    const match = pattern.exec(inner);
    if (match === null) continue;
    inner = bare(match[1] as string);
    break;
  }
  const share = /^([\s\S]*?) ?\\?%$/.exec(inner);
  const sign = /^[+\-\u2212]?/.exec(share === null ? inner : (share[1] as string))?.[0] as string;
  const body = (share === null ? inner : (share[1] as string)).slice(sign.length);
  const value = unsigned(body);
  if (value === undefined || value[1] === 0n) return undefined;
  const negative = sign !== '' && sign !== '+';
  return [negative ? -value[0] : value[0], value[1] * (share === null ? 1n : 100n)];
}

const WHOLE_OR_DECIMAL = String.raw`(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+`;

function unsigned(text: string): readonly [bigint, bigint] | undefined {
  const fraction =
    /^([0-9]+)\/([0-9]+)$/.exec(text) ??
    /^\\[dt]?frac\{(\+?[0-9]+|[-\u2212][0-9]+)\}\{([0-9]+)\}$/.exec(text) ??
    /^\\[dt]?frac([0-9])([0-9])$/.exec(text);
  if (fraction !== null)
    return [BigInt((fraction[1] as string).replace('\u2212', '-').replace('+', '')), BigInt(fraction[2] as string)];
  const power = new RegExp(
    String.raw`^(${WHOLE_OR_DECIMAL})(?:[eE]([+\-\u2212]?[0-9]{1,3})| ?(?:\u00d7|\\times) ?10\^(?:\{([+\-\u2212]?[0-9]{1,3})\}|([+\-\u2212]?[0-9]{1,3})))?$`,
  ).exec(text);
  if (power === null) return undefined;
  const exponent = Number((power[2] ?? power[3] ?? power[4] ?? '0').replace('\u2212', '-'));
  if (Math.abs(exponent) > 400) return undefined;
  const [whole = '', places = ''] = (power[1] as string).replaceAll(',', '').split('.');
  const scale = exponent - places.length;
  const digits = BigInt(whole + places);
  return scale < 0 ? [digits, 10n ** BigInt(-scale)] : [digits * 10n ** BigInt(scale), 1n];
}
