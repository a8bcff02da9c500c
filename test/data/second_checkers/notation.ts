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
