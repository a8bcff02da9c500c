/** What each function of a task definition must give, as far as a run depends on it. */
import { isVerdict } from '../data/judging/is_verdict.ts';

/** A function of a task definition. */
export interface TaskContract {
  /** Whether a definition must have it. */
  readonly needed: boolean;
  /** Whether each of its calls is limited in time. */
  readonly isLong: boolean;
  /** What it gives, in words. */
  readonly gives: string;
  isKept(value: unknown): boolean;
}

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value > 0;
const hasFunctions = (value: unknown, names: readonly string[]): boolean =>
  isMapping(value) && names.every((name) => typeof value[name] === 'function');

function text(isLong: boolean, needed = true): TaskContract {
  return { needed, isLong, gives: 'a text', isKept: (value) => typeof value === 'string' };
}

/** Whether a value is an object, and its keys may be looked at. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const TOKENIZER_FUNCTIONS = ['encode', 'decode', 'tokenText', 'toJSON', 'configJSON'];

/**
 * By the function's name. `key` and `splitKey` are called for each of perhaps a million problems: the limit for them is
 * that of the call that gave the problem, which asks both of them once.
 */
export const TASK_CONTRACTS: Readonly<Record<string, TaskContract>> = {
  checkKnobs: {
    needed: false,
    isLong: true,
    gives: 'a list of {key, rule}, empty where all is well',
    isKept: (value) =>
      Array.isArray(value) && value.every((broken) => isMapping(broken) && typeof broken.rule === 'string'),
  },
  generate: {
    needed: true,
    isLong: true,
    gives: 'a problem as plain data, or null to draw again',
    isKept: () => true, // born() of task_module.node.ts looks into it, here and in parse
  },
  isFit: { needed: false, isLong: true, gives: 'true or false', isKept: (value) => typeof value === 'boolean' },
  trainKnobs: { needed: false, isLong: true, gives: 'knobs', isKept: isMapping },
  frequency: {
    needed: false,
    isLong: false,
    gives: 'a number above 0',
    isKept: (value) => typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY,
  },
  enumerate: {
    needed: false,
    isLong: true,
    gives: 'a list of problems, or undefined',
    isKept: (value) => value === undefined || Array.isArray(value),
  },
  key: text(false),
  splitKey: text(false, false),
  prompt: text(true),
  question: text(true, false),
  twin: {
    needed: false,
    isLong: true,
    gives: 'the same problem as plain data, or null where it has no other prompt',
    isKept: () => true,
  },
  columns: { needed: false, isLong: true, gives: 'an object of plain data', isKept: isMapping },
  parse: {
    needed: false,
    isLong: true,
    gives: 'the problem as plain data, or null where the prompt asks none',
    isKept: () => true,
  },
  oracle: text(true),
  demonstration: text(true),
  mutants: {
    needed: false,
    isLong: true,
    gives: 'a list of {name, text, maxScore}',
    isKept: (value) =>
      Array.isArray(value) &&
      value.every((miss) => isMapping(miss) && typeof miss.text === 'string' && typeof miss.maxScore === 'number'),
  },
  solutions: {
    needed: false,
    isLong: true,
    gives: 'a list of texts',
    isKept: (value) => Array.isArray(value) && value.every((solution) => typeof solution === 'string'),
  },
  hints: {
    needed: false,
    isLong: true,
    gives: 'a list of texts',
    isKept: (value) => Array.isArray(value) && value.every((hint) => typeof hint === 'string'),
  },
  feedback: text(true, false),
  verify: {
    needed: true,
    isLong: true,
    gives:
      'a verdict {score: 0 to 1 or null, status: correct, incorrect, invalid or truncated, reason}; its steps, if it has some, are {from, to, score: 0 to 1}',
    isKept: isVerdict,
  },
  givesSteps: {
    needed: false,
    isLong: false,
    gives: 'true or false',
    isKept: (value) => typeof value === 'boolean',
  },
  chance: { needed: true, isLong: true, gives: 'a number', isKept: (value) => typeof value === 'number' },
  tokenizer: {
    needed: true,
    isLong: true,
    gives: 'a tokenizer, as characterTokenizer or wordTokenizer of rlvr-train/tasks makes one',
    isKept: (value) => hasFunctions(value, TOKENIZER_FUNCTIONS) && isMapping(value) && isCount(value.vocabSize),
  },
  limits: {
    needed: true,
    isLong: true,
    gives: '{promptTokens, completionTokens}, whole numbers above 0',
    isKept: (value) => isMapping(value) && isCount(value.promptTokens) && isCount(value.completionTokens),
  },
  fixedCompletionTokens: { needed: false, isLong: true, gives: 'a whole number above 0', isKept: isCount },
};
