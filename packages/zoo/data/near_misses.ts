/** Near misses of the commonest kinds of answers, by name: none of them is the answer again. */
import type { Rng } from '../../../src/kernels/philox.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';

/** By the name of the mistake, a text that looks right and is not. */
export type NearMisses = Readonly<Record<string, string>>;

/** Leaves out what is right after all. @param judge  the verdict on a text */
export function onlyMisses(texts: NearMisses, judge: (text: string) => Verdict): NearMisses {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => judge(text).score !== 1));
}

/** Leaves out what is the right answer after all. */
function others(texts: NearMisses, right: string): NearMisses {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== right));
}

/** Beside a whole number. */
export function numberMisses(truth: number | bigint): NearMisses {
  const value = BigInt(truth);
  const right = String(value);
  return {
    'one more': String(value + 1n),
    'one less': String(value - 1n),
    ...(value !== 0n && { negated: String(-value), 'digit appended': `${right}0` }),
    ...(right.replace('-', '').length > 1 && { 'digit dropped': right.slice(0, -1) }),
    'a half more': `${right}.5`,
    'a number behind it': `${right} ${value + 1n}`,
    'given twice': `${right} ${right}`,
    'two signs': `--${right}`,
    'letter behind it': `${right}a`,
  };
}

/** Beside a yes or no. */
export function truthMisses(truth: boolean): NearMisses {
  return {
    'the other one': truth ? 'no' : 'yes',
    both: 'yes no',
    'both, joined': 'yesno',
    neither: 'maybe',
    'as a number': truth ? '1' : '0',
    'as a truth value': String(truth),
    'begun alone': truth ? 'y' : 'n',
  };
}

/** Beside a text that alone is right. */
export function textMisses(right: string, alphabet: string, rng: Rng): NearMisses {
  const at = rng.int(0, right.length - 1);
  const replaced = rng.pick(alphabet.split('').filter((letter) => letter !== right[at]));
  return others(
    {
      'wrong character': right.slice(0, at) + replaced + right.slice(at + 1),
      'character dropped': right.slice(0, at) + right.slice(at + 1),
      'character doubled': right.slice(0, at) + right[at] + right.slice(at),
      'character in front': replaced + right,
      'given twice': right + right,
      'given twice, spaced': `${right} ${right}`,
      reversed: right.split('').reverse().join(''),
      'in capitals': right.toUpperCase(),
    },
    right,
  );
}

/** Beside a list whose order counts. */
export function listMisses(elements: readonly string[], separator: string, rng: Rng): NearMisses {
  const right = elements.join(separator);
  const at = rng.int(0, Math.max(0, elements.length - 2));
  const first = elements[at] ?? '';
  const second = elements[at + 1] ?? first;
  const swapped = [...elements.slice(0, at), second, first, ...elements.slice(at + 2)];
  const texts: NearMisses = {
    'element dropped': elements.filter((_, index) => index !== at).join(separator),
    'element doubled': [...elements.slice(0, at), first, ...elements.slice(at)].join(separator),
    ...(elements.length > 1 && { 'neighbours swapped': swapped.join(separator) }),
    reversed: [...elements].reverse().join(separator),
    'separator behind it': `${right},`,
    'bracket not closed': `[${right}`,
    'given twice': `${right}${separator}${right}`,
  };
  return others(texts, right);
}
