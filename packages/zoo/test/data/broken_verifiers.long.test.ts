/**
 * Shipped verifiers, each broken in one place as published ones are: the check of a task finds them. One that survives is
 * named here, with the reason.
 */
import { describe, expect, it } from 'vitest';
import { budget } from '../../../../test/support/budget.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { type AnyTaskDefinition, checkTask, correct } from '../../data/index.ts';
import { SECOND_CHECKERS } from './second_checkers/index.ts';

/** An answer, a right one, and the prompt: whether the broken verifier takes the answer for right. */
type Taken = (answer: string, right: string, prompt: string) => boolean;

const numbersOf = (text: string): number[] => (text.match(/-?[0-9]+(?:\.[0-9]+)?/g) ?? []).map(Number);
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const sameSorted = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();
const share = (a: string, b: string): number => [...a].filter((character, i) => character === b[i]).length / b.length;

/** What published verifiers do, or did; those of numbers read a right answer as a number. */
const FAULTS: Readonly<Record<string, Taken>> = {
  'a substring counts': (answer, right) => answer.includes(right),
  'a beginning counts': (answer, right) => answer.startsWith(right),
  'an end counts': (answer, right) => answer.endsWith(right),
  'a part of it counts': (answer, right) => answer !== '' && right.startsWith(answer),
  'nothing counts': (answer) => answer.trim() === '',
  'anything counts that is long': (answer) => answer.length > 40,
  'the prompt counts': (answer, _right, prompt) => answer === prompt,
  'the first line counts': (answer, right) => answer.split('\n')[0] === right,
  'the last line counts': (answer, right) => answer.split('\n').at(-1) === right,
  'the last word counts': (answer, right) => wordsOf(answer).at(-1) === right,
  'any of several counts': (answer, right) => answer.split(/ or |, | and |\n/).includes(right),
  'a comment is dropped': (answer, right) => answer.split(' #')[0] === right,
  'what follows a space is dropped': (answer, right) => answer.split(' ')[0] === right,
  'what is not seen is dropped': (answer, right) => answer.replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '') === right,
  'white space of Unicode is trimmed': (answer, right) => answer.trim() === right,
  'compatible forms are folded': (answer, right) => answer.normalize('NFKC') === right,
  'special tokens are dropped': (answer, right) => answer.replace(/<[^>]*>/g, '') === right,
  'quotes and brackets are dropped': (answer, right) =>
    answer.replace(/[()[\]{}"'<>]/g, '') === right.replace(/[()[\]{}"'<>]/g, ''),
  'punctuation is dropped': (answer, right) => answer.replace(/[^A-Za-z0-9-]/g, '') === right,
  'capitals are folded': (answer, right) => answer.toLowerCase() === right.toLowerCase(),
  'the order of characters is lost': (answer, right) => sameSorted([...answer], [...right]),
  'the order of words is lost': (answer, right) => sameSorted(wordsOf(answer), wordsOf(right)),
  'repeated words are one': (answer, right) => sameSorted([...new Set(wordsOf(answer))], [...new Set(wordsOf(right))]),
  'spaces are dropped': (answer, right) => answer.replace(/ /g, '') === right.replace(/ /g, ''),
  'nine of ten characters do': (answer, right) => answer.length === right.length && share(answer, right) >= 0.9,
  'the first half does': (answer, right) => answer.startsWith(right.slice(0, Math.ceil(right.length / 2))),
  'the length does': (answer, right) => answer.length === right.length,
  'twice is once': (answer, right) => answer === `${right}${right}` || answer === `${right} ${right}`,
  'read by parseInt': (answer, right) => Number.parseInt(answer, 10) === Number(right),
  'read by parseFloat': (answer, right) => Number.parseFloat(answer) === Number(right),
  'read by Number': (answer, right) => answer.trim() !== '' && Number(answer) === Number(right),
  'the first number counts': (answer, right) => numbersOf(answer)[0] === Number(right),
  'the last number counts': (answer, right) => numbersOf(answer).at(-1) === Number(right),
  'any number counts': (answer, right) => numbersOf(answer).includes(Number(right)),
  'the sign is lost': (answer, right) =>
    /^-?[0-9]+$/.test(answer) && Math.abs(Number(answer)) === Math.abs(Number(right)),
  'one percent does': (answer, right) =>
    /^[0-9]+$/.test(answer) && Math.abs(Number(answer) - Number(right)) <= Math.max(1, 0.01 * Number(right)),
  'rounded down': (answer, right) => /^[0-9.]+$/.test(answer) && Math.floor(Number(answer)) === Number(right),
};

// biome-ignore format: a table
const BROKEN: readonly (readonly [task: string, ...faults: readonly string[]])[] = [
  ['gcd', 'a substring counts', 'read by parseInt', 'the last number counts', 'one percent does',
    'compatible forms are folded', 'a comment is dropped'],
  ['lcm', 'read by parseFloat', 'the first number counts', 'rounded down'],
  ['chain_sum', 'the sign is lost', 'any number counts', 'what is not seen is dropped', 'read by Number'],
  ['products', 'nine of ten characters do', 'the length does', 'a part of it counts'],
  ['count_bits', 'nothing counts', 'a beginning counts', 'twice is once'],
  ['base_conversion', 'capitals are folded', 'punctuation is dropped', 'a comment is dropped'],
  ['prime_factorization', 'repeated words are one', 'the first half does', 'any of several counts'],
  ['fraction_simplification', 'a part of it counts', 'special tokens are dropped', 'a substring counts'],
  ['copy', 'capitals are folded', 'white space of Unicode is trimmed', 'the prompt counts', 'spaces are dropped'],
  ['parity', 'the last line counts', 'any of several counts', 'an end counts'],
  ['caesar_cipher', 'the length does', 'the order of characters is lost', 'the last word counts'],
  ['dyck', 'a beginning counts', 'the order of characters is lost', 'an end counts'],
  ['number_sorting', 'the order of words is lost', 'repeated words are one', 'the first half does'],
  ['word_sorting', 'the order of words is lost', 'capitals are folded', 'the first line counts'],
  ['isomorphic_strings', 'a substring counts', 'a part of it counts', 'quotes and brackets are dropped'],
  ['run_length', 'the order of characters is lost', 'the last line counts', 'twice is once'],
  ['roman_numerals', 'capitals are folded', 'anything counts that is long', 'compatible forms are folded'],
  ['rotate_matrix', 'nine of ten characters do', 'the order of characters is lost', 'the first line counts'],
  ['game_of_life', 'nine of ten characters do', 'the length does', 'an end counts'],
  ['shortest_path', 'a beginning counts', 'the order of characters is lost', 'capitals are folded'],
  ['mini_sudoku', 'nine of ten characters do', 'the order of characters is lost', 'the prompt counts'],
  ['coin_flip', 'a part of it counts', 'any of several counts'],
];

const cases = BROKEN.flatMap(([task, ...faults]) => faults.map((fault) => [task, fault] as const));
/** Problems that are drawn, and answers that are tried. */
const EFFORT = {
  items: budget({ quick: 15, all: 15, release: 30 }),
  attempts: budget({ quick: 200, all: 200, release: 400 }),
};
/** Characters of an answer that a fault is asked about: those beyond are there to time a verifier. */
const LONGEST = 2048;
/** Broken verifiers that no attempt tells from the sound one. */
const SURVIVORS: readonly string[] = [];

function findingsOf(task: string, fault: string): number {
  const sound = getTaskDefinition(task);
  const isTaken = FAULTS[fault] as Taken; // of the table above
  const broken: AnyTaskDefinition = {
    ...sound,
    verify(identity, answer, knobs, context) {
      const right = sound.oracle(identity, knobs);
      const isAsked = answer.length <= LONGEST;
      if (isAsked && isTaken(answer, right, sound.prompt(identity, knobs))) return correct('taken for right', right);
      return sound.verify(identity, answer, knobs, context);
    },
  };
  const second = SECOND_CHECKERS[task as keyof typeof SECOND_CHECKERS];
  return checkTask(broken, { ...EFFORT, settings: [{ level: 1 }], second }).count;
}

describe('a shipped verifier that is broken in one place', () => {
  it('there are sixty of them and more, of twenty tasks', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(BROKEN.length).toBeGreaterThanOrEqual(20);
    expect(SURVIVORS.length).toBeLessThan(0.05 * cases.length);
  });

  it.each(cases)('%s: %s', (task, fault) => {
    const isFound = findingsOf(task, fault) > 0;
    expect(isFound).toBe(!SURVIVORS.includes(`${task}: ${fault}`));
  });
});
