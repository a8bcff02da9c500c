/** The tasks of strings, decided from their prompts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, isNumberOrNone, listed, wholeNumber } from './notation.ts';

const sortedLetters = (text: string): string => [...text].sort().join('');
const isYes = (answer: string, expected: boolean): boolean =>
  bare(answer).replace(/[A-Z]/g, (c) => c.toLowerCase()) === (expected ? 'yes' : 'no');

/** Whether a list is an order of these, each not before its predecessor by `isBefore`. */
function isSorting<T>(elements: readonly T[], given: readonly T[], isBefore: (a: T, b: T) => boolean): boolean {
  if (elements.length !== given.length) return false;
  const left = [...given];
  for (const element of elements) {
    const at = left.indexOf(element);
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return elements.every((element, i) => i === 0 || !isBefore(element, elements[i - 1] as T));
}

/** Fewest swaps by a search over all states. */
function swapsBySearch(bits: string): string {
  const isGoal = (state: string): boolean => !/00|11/.test(state);
  let frontier = new Set([bits]);
  const seen = new Set(frontier);
  for (let swaps = 0; frontier.size > 0; swaps++) {
    if ([...frontier].some(isGoal)) return String(swaps);
    const next = new Set<string>();
    for (const state of frontier) {
      for (let i = 0; i < state.length; i++) {
        for (let j = i + 1; j < state.length; j++) {
          if (state[i] === state[j]) continue;
          const other = [...state];
          [other[i], other[j]] = [state[j] as string, state[i] as string];
          const text = other.join('');
          if (!seen.has(text)) next.add(text);
          seen.add(text);
        }
      }
    }
    frontier = next;
  }
  return 'none';
}

export const STRINGS: Readonly<Record<string, SecondChecker>> = {
  round_trip({ prompt }, answer) {
    const [code = '', text = ''] = asked(prompt, /^code ([01a-z ]+)\|([a-z]+)>$/);
    const choices = [...text].map(
      (letter) =>
        `(?:${[...code.matchAll(/([01]+)([a-z])/g)].flatMap(([, word, by]) => (by === letter ? [word] : [])).join('|')})`,
    );
    return new RegExp(`^${choices.join('')}$`).test(bare(answer));
  },

  copy: ({ prompt }, answer) => `copy ${bare(answer)}>` === prompt,

  parity({ prompt }, answer) {
    const [bits = ''] = asked(prompt, /^par ([01]+)>$/);
    let odd = 0;
    for (const bit of bits) if (bit === '1') odd = 1 - odd;
    return wholeNumber(answer) === BigInt(odd);
  },

  letter_counting({ prompt }, answer) {
    const [letter = '', word = ''] = asked(prompt, /^# ([a-z]) ([a-z]+)>$/);
    return wholeNumber(answer) === BigInt([...word].filter((one) => one === letter).length);
  },

  caesar_cipher({ prompt }, answer) {
    const [shift = '', word = ''] = asked(prompt, /^rot ([0-9]+) ([a-z]+)>$/);
    const text = bare(answer);
    if (!/^[a-z]+$/.test(text) || text.length !== word.length) return false;
    return [...text].every((letter, i) => (letter.charCodeAt(0) - 97 + Number(shift)) % 26 === word.charCodeAt(i) - 97);
  },

  dyck({ prompt }, answer) {
    const [brackets = ''] = asked(prompt, /^close ([([{<>}\])]+)>$/);
    const text = bare(answer);
    if (!/^[)\]}>]+$/.test(text)) return false;
    let whole = brackets + text;
    for (let before = ''; before !== whole; ) {
      before = whole;
      whole = whole.replace(/\(\)|\[\]|\{\}|<>/, '');
    }
    return whole === '';
  },

  number_sorting({ prompt }, answer) {
    const [direction, numbers = ''] = asked(prompt, /^(up|down) ([0-9 -]+)>$/);
    const elements = listed(answer)?.map(wholeNumber);
    if (elements === undefined || elements.includes(undefined)) return false;
    const given = numbers.split(' ').map(BigInt);
    return isSorting(elements as bigint[], given, (a, b) => (direction === 'up' ? a < b : a > b));
  },

  needle_haystack({ prompt }, answer) {
    const [facts = '', name = ''] = asked(prompt, /^([a-z0-9 ]+) \?([a-z]+)>$/);
    const fact = new RegExp(`(?:^| )${name}([0-9])(?: |$)`).exec(facts);
    return bare(answer) === (fact?.[1] ?? 'none');
  },

  word_sorting({ prompt }, answer) {
    const [direction, words = ''] = asked(prompt, /^(up|down) ([a-z ]+)>$/);
    const elements = listed(answer);
    return (
      elements !== undefined && isSorting(elements, words.split(' '), (a, b) => (direction === 'up' ? a < b : a > b))
    );
  },

  word_sequence_reversal({ prompt }, answer) {
    const words = asked(prompt, /^back ([a-z ]+)>$/)[0]?.split(' ') as string[];
    const elements = listed(answer);
    return elements?.length === words.length && elements.every((element, i) => element === words[words.length - 1 - i]);
  },

  number_filtering({ prompt }, answer) {
    const [verb, relation, bound, numbers = ''] = asked(prompt, /^(keep|drop) ([<>])([0-9]+): ([0-9 ]+)>$/);
    const left: string[] = [];
    for (const number of numbers.split(' ')) {
      const isMeant = relation === '<' ? Number(number) < Number(bound) : Number(number) > Number(bound);
      if (isMeant === (verb === 'keep')) left.push(number);
    }
    const elements = listed(answer);
    const expected = left.length === 0 ? ['none'] : left;
    return (
      elements?.length === expected.length &&
      elements.every((element, i) => isNumberOrNone(element, expected[i] as string))
    );
  },

  ransom_note({ prompt }, answer) {
    const [note = '', text = ''] = asked(prompt, /^note ([a-z]+) from ([a-z]+)>$/);
    const count = (all: string, letter: string): number => [...all].filter((one) => one === letter).length;
    return isYes(
      answer,
      [...note].every((letter) => count(note, letter) <= count(text, letter)),
    );
  },

  isomorphic_strings({ prompt }, answer) {
    const [one = '', other = ''] = asked(prompt, /^iso ([a-z]+) ([a-z]+)>$/);
    const pairs = new Set([...one].map((letter, i) => `${letter}${other[i]}`));
    const isAlike =
      one.length === other.length && pairs.size === new Set(one).size && pairs.size === new Set(other).size;
    return isYes(answer, isAlike);
  },

  palindrome_generation({ prompt }, answer) {
    const [letters = ''] = asked(prompt, /^pal ([a-z]+)>$/);
    const text = bare(answer);
    return (
      sortedLetters(text) === sortedLetters(letters) &&
      [...text].every((letter, i) => letter === text[text.length - 1 - i])
    );
  },

  binary_alternation({ prompt }, answer) {
    const [bits = ''] = asked(prompt, /^alt ([01]+)>$/);
    const ones = [...bits].filter((bit) => bit === '1').length;
    if (bits.length <= 8) return isNumberOrNone(answer, swapsBySearch(bits));
    // Longer ones: place by place, each wrong bit is swapped with the next wrong one of the other kind.
    const counts = [0, 1].flatMap((first) => {
      const wrong = [...bits].map((bit, i) => [bit, String((first + i) % 2)]).filter(([is, should]) => is !== should);
      const of = (bit: string): number => wrong.filter(([is]) => is === bit).length;
      return of('0') === of('1') ? [of('0')] : [];
    });
    const expected = Math.abs(bits.length - 2 * ones) > 1 ? 'none' : String(Math.min(...counts));
    return isNumberOrNone(answer, expected);
  },

  run_length({ prompt }, answer) {
    const [verb, given = ''] = asked(prompt, /^(pack|unpack) ([a-z0-9]+)>$/);
    const text = bare(answer);
    const [packed, plain] = verb === 'pack' ? [text, given] : [given, text];
    if (!/^(?:[1-9][a-z])+$/.test(packed)) return false;
    const runs = packed.match(/../g) as string[];
    const isShortest = runs.every((run, i) => i === 0 || run[1] !== runs[i - 1]?.[1]);
    return isShortest && runs.map((run) => (run[1] as string).repeat(Number(run[0]))).join('') === plain;
  },

  roman_numerals({ prompt }, answer) {
    const [verb, given = ''] = asked(prompt, /^(roman|arabic) ([0-9MDCLXVI]+)>$/);
    const values: Readonly<Record<string, number>> = { M: 1000, D: 500, C: 100, L: 50, X: 10, V: 5, I: 1 };
    const read = (text: string): number =>
      [...text].reduce((sum, letter, i) => {
        const value = values[letter] as number;
        return sum + (value < (values[text[i + 1] as string] ?? 0) ? -value : value);
      }, 0);
    if (verb === 'arabic') return wholeNumber(answer) === BigInt(read(given));
    const text = bare(answer);
    const inForm = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(text);
    return text !== '' && inForm && read(text) === Number(given);
  },

  sort_digits({ prompt }, answer) {
    const [digits = ''] = asked(prompt, /^([0-9]+)>$/);
    let expected = '';
    for (const digit of '0123456789') expected += digit.repeat(digits.split(digit).length - 1);
    return answer === expected;
  },

  reverse_text({ prompt }, answer) {
    const [word = ''] = asked(prompt, /^([a-z]+)>$/);
    return answer.length === word.length && [...word].every((letter, i) => answer[word.length - 1 - i] === letter);
  },

  ab({ prompt }, answer) {
    let program = asked(prompt, /^ab ([AB# ]+)>$/)[0] as string;
    const rules = [
      [/ ?A# #A| ?B# #B/, ''],
      [/A# #B/, '#B A#'],
      [/B# #A/, '#A B#'],
    ] as const;
    // One pair at a time, the last rule first, until the text stays the same.
    for (let before = ''; before !== program; ) {
      before = program;
      const rule = [...rules].reverse().find(([pattern]) => pattern.test(program));
      if (rule !== undefined) program = program.replace(rule[0], rule[1]).trim();
    }
    const expected = program.split(' ');
    const elements = listed(answer);
    return elements?.length === expected.length && elements.every((element, i) => element === expected[i]);
  },

  string_manipulation({ prompt }, answer) {
    const [rules = '', text = ''] = asked(prompt, /^([a-e=,^$]+):([a-e]+)>$/);
    // The prompt's ^ and $ mean what they mean in a pattern.
    const patterns = rules.split(',').map((rule) => {
      const [from = '', to = ''] = rule.split('=');
      return { pattern: new RegExp(from), to };
    });
    const seen = [text];
    for (;;) {
      const now = seen[seen.length - 1] as string;
      const rule = patterns.find(({ pattern }) => pattern.test(now));
      const next = rule === undefined ? now : now.replace(rule.pattern, rule.to);
      if (seen.includes(next)) return bare(answer) === now;
      seen.push(next);
    }
  },
};
