/** The rules that a task keeps, one function each: what they look at is a `Setting`, and what is broken they report there. */
import { makeEach } from '../../../../src/data/repeat.ts';
import { splitOfProblem } from '../../../../src/data/split.ts';
import type { TaskItem } from '../../../../src/data/task.ts';
import { oneTask } from '../../../../src/data/task_set.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { JUNK, mutated } from './probes.ts';
import type { Setting } from './setting.ts';
import { ShownProblems } from './shown.ts';

const SHOWN_IN_BOTH =
  'a held-out problem is trained on under another key: asked in the same words, it shows the same to a player who ' +
  'plays it well; make splitKey of what is shown';

/** Problems of an environment, held out and trained on, that are played to compare what they show. */
const MOST_PLAYED = 300;

/** Items that the slower rules look at. */
const FEW = 50;
/** Characters of a text, and the milliseconds that a verdict on it usually takes at most. */
const SIZES = [
  [4096, 10],
  [2 ** 16, 30],
  [2 ** 20, 100],
] as const;
/** The best of these many calls counts, since a machine pauses. */
const MOST_TIMED = 3;
/** What is longer than a text that takes this long is not tried. */
const GIVE_UP_MS = 1000;

/** Its own answer and every further solution score 1, are in its language, and fit its limits. */
export function acceptsRightAnswers(setting: Setting): void {
  const { tasks } = setting;
  const room = tasks.maxCompletionTokens - (tasks.fixedCompletionTokens === undefined ? 1 : 0);
  setting.each(setting.items, (item) => {
    const { prompt } = item;
    for (const answer of setting.listed(item)) {
      const completion = setting.completion(answer);
      const verdict = setting.judge(item, completion);
      if (verdict !== undefined) setting.count(true, verdict);
      if (verdict !== undefined && verdict.score !== 1) {
        setting.report('oracle', 'a right answer is refused', { prompt, answer: completion, verdict });
      }
      const length = tokensOf(setting, 'answer', completion, prompt);
      if (length !== undefined && length > room) {
        setting.report('limits', `an answer has ${length} tokens, and room for ${room}`, {
          prompt,
          answer: completion,
        });
      }
      if (setting.secondly(item, answer) === false) {
        setting.report('second checker', 'it refuses a right answer', { prompt, answer });
      }
    }
    const length = tokensOf(setting, 'prompt', prompt, prompt);
    if (length !== undefined && length > tasks.maxPromptTokens) {
      setting.report('limits', `a prompt has ${length} tokens, and room for ${tasks.maxPromptTokens}`, { prompt });
    }
  });
}

/** How many tokens a text has; undefined, and reported, where its vocabulary does not hold it. */
function tokensOf(setting: Setting, what: string, text: string, prompt: string): number | undefined {
  const { codec } = setting.tasks;
  try {
    const ids = codec.encode(text);
    if (codec.decode(ids) === text) return ids.length;
    setting.report('language', `an ${what} is read back as another text`, { prompt, answer: text });
  } catch (error) {
    setting.report('language', `${what}: ${String(error)}`, { prompt, answer: text });
  }
  return undefined;
}

/** Every near miss that the task names scores at most its maximum, below 1. */
export function refusesMutants(setting: Setting): void {
  setting.each(setting.items, (item, index) => {
    const { prompt } = item;
    const mutants = setting.definition.mutants(item.identity, setting.knobs, rngFor(`mutants ${index}`));
    if (mutants.length === 0) setting.report('mutants', 'a problem has no near misses', { prompt });
    for (const { name, text, maxScore } of mutants) {
      if (setting.style === 'plain' && trimAscii(text) !== text) continue; // tags are trimmed
      const answer = setting.completion(text);
      const verdict = setting.judge(item, answer);
      if (verdict !== undefined && maxScore < 1) setting.count(false, verdict);
      if (!(maxScore < 1))
        setting.report('mutants', `${name} may score ${maxScore}; below 1 is a miss`, { prompt, answer });
      if (verdict !== undefined && (verdict.score ?? 0) > maxScore) {
        setting.report('mutants', `${name} scores more than ${maxScore}`, { prompt, answer, verdict });
      }
      if (setting.secondly(item, text) === true) {
        setting.report('second checker', `it accepts the near miss "${name}"`, { prompt, answer });
      }
    }
  });
}

/** What is no answer scores 0. @param longest  characters of the longest text that is tried */
export function refusesJunk(setting: Setting, longest: number): void {
  for (const item of setting.items.slice(0, 4)) {
    const { prompt } = item;
    const right = new Set(setting.listed(item));
    const question = setting.definition.question?.(item.identity, setting.knobs) ?? prompt;
    for (const junk of [...JUNK.filter(({ length }) => length <= longest), prompt, question]) {
      const answer = setting.completion(junk);
      const verdict = setting.judge(item, answer);
      if (verdict === undefined || verdict.score === 0 || right.has(junk) || setting.secondly(item, junk)) continue;
      if (setting.definition.answers === 'open' && setting.second === undefined) continue;
      setting.report('junk', 'what is no answer scores', { prompt, answer: answer.slice(0, 80), verdict });
    }
  }
}

/**
 * Remarks on a verdict that takes long, as a quadratic reader's does; no finding, since a machine with other work is slow
 * too. Gives whether what is longer should be tried: not where one verdict takes a hundred times what is usual.
 */
export function remarksOnSpeed(setting: Setting, clock: () => number): boolean {
  const [item] = setting.items;
  if (item === undefined) return true;
  const judged = (piece: string, size: number): number => {
    const text = setting.completion(piece.repeat(Math.ceil(size / piece.length)).slice(0, size));
    const start = clock();
    setting.judge(item, text);
    return clock() - start;
  };
  const oracle = setting.oracle(item);
  const own = [oracle, ` ${oracle}`, `${oracle},`, `${oracle}\n`];
  const pieces = [...own, '(', '[', '{"a":', '1', '1,', '9/', ' ', '<answer>'].filter((piece) => piece !== '');
  let slow: string | undefined;
  for (const [size, most] of SIZES) {
    for (const piece of slow === undefined ? pieces : [slow]) {
      let ms = judged(piece, size);
      for (let run = 1; run < MOST_TIMED && ms > most && ms <= GIVE_UP_MS; run++)
        ms = Math.min(ms, judged(piece, size));
      if (ms <= most) continue;
      if (slow === undefined) {
        const text = JSON.stringify(piece.length > 20 ? `${piece.slice(0, 19)}…` : piece);
        setting.remark(
          `a verdict on ${size} characters, ${text} again and again, took ${ms.toFixed(0)} ms here; ${most} are usual`,
        );
      }
      slow = piece;
      if (ms > GIVE_UP_MS) return false;
      break;
    }
  }
  return true;
}

/** A verdict is in its form, the same each time and for a copy, and gives nothing away. */
export function isPure(setting: Setting): void {
  const reasons = new Map<string, string>();
  const { parts: known = [] } = setting.definition;
  setting.each(setting.items.slice(0, FEW), (item, index) => {
    const { prompt } = item;
    const text = JSON.stringify(item);
    const copy = JSON.parse(text) as TaskItem;
    const rng = rngFor(`pure ${index}`);
    const oracle = setting.oracle(item);
    for (const tried of [oracle, `${oracle} 1`, '', mutated(oracle, [...'01ab '], rng)]) {
      const answer = setting.completion(tried);
      const verdict = setting.judge(item, answer);
      if (verdict === undefined) continue;
      const facts = { prompt, answer, verdict };
      if (JSON.stringify(setting.judge(copy, answer)) !== JSON.stringify(verdict)) {
        setting.report('pure', 'a copy of the problem, or a second call, is judged otherwise', facts);
      }
      for (const wrong of formOf(verdict, known)) setting.report('verdict', wrong, facts);
      const [said] = [reasons.get(verdict.reason)];
      // The same sentence for another answer gives neither away.
      if (verdict.score !== 1 && oracle.length > 2 && verdict.reason.includes(oracle) && said === undefined) {
        setting.report('verdict', 'the reason says the answer', facts);
      }
      reasons.set(verdict.reason, oracle);
    }
    if (JSON.stringify(item) !== text || JSON.stringify(copy) !== text) {
      setting.report('pure', 'judging changes the problem', { prompt });
    }
    const cut = setting.judge(item, setting.completion(oracle), { finishReason: 'length' });
    const endsItself = setting.style === 'compact' && setting.tasks.fixedCompletionTokens === undefined;
    if (cut !== undefined && (cut.score === 1) === endsItself) {
      const what = endsItself ? 'an answer that the token limit cut is right' : 'a whole answer counts as cut';
      setting.report('verdict', what, { prompt, answer: oracle, verdict: cut });
    }
  });
}

function formOf({ score, status, reason, parts = {} }: Verdict, known: readonly string[]): string[] {
  const wrong: string[] = [];
  if (score !== null && !(score >= 0 && score <= 1)) wrong.push(`the score is ${score}, not in [0, 1]`);
  if ((score === 1) !== (status === 'correct')) wrong.push(`the score is ${score} and the status ${status}`);
  if (reason.length < 4) wrong.push('there is no reason');
  for (const [name, part] of Object.entries(parts)) {
    if (!known.includes(name)) wrong.push(`the part ${name} is not on the card`);
    if (!(part >= 0 && part <= 1)) wrong.push(`the part ${name} is ${part}, not in [0, 1]`);
  }
  return wrong;
}

/** The answer of another problem is right by chance alone. */
export function refusesOtherAnswers(setting: Setting): void {
  let right = 0;
  const { items } = setting;
  setting.each(items.slice(1), (item, index) => {
    const other = setting.oracle(items[index]);
    const accepts = setting.accepts(item, setting.completion(other));
    if (accepts) right++;
    const second = setting.secondly(item, other);
    if (second !== undefined && second !== accepts) disagreement(setting, item, other, second);
  });
  const allowed = Math.min(1, 2 * setting.task.chance + 0.02);
  const share = right / Math.max(1, items.length - 1);
  const most = allowed + 3 * Math.sqrt((allowed * (1 - allowed)) / Math.max(1, items.length - 1));
  if (share > most) setting.report('chance', `the answer of another problem is right in ${percent(share)} of all`);
}

export function disagreement(setting: Setting, item: TaskItem, answer: string, second: boolean): void {
  const verdict = setting.judge(item, answer);
  const what = second
    ? 'the second checker accepts what the task refuses'
    : 'the second checker refuses what the task accepts';
  setting.report(second ? 'false reject' : 'false accept', what, {
    prompt: item.prompt,
    answer,
    ...(verdict !== undefined && { verdict }),
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Constant and random answers are right no more often than `chance` says. Returns the share of the commonest answer. */
export function isAboveChance(setting: Setting): number {
  const { heldOut, task, tasks } = setting;
  const { chance } = task;
  if (!(chance > 0 && chance <= 0.5)) setting.report('chance', `chance() is ${chance}; it is above 0, and at most 0.5`);
  const total = heldOut.reduce((sum, { weight }) => sum + weight, 0);
  const deviation = Math.sqrt((chance * (1 - chance)) / heldOut.length);
  const allowed = chance + 3 * deviation;
  // The commonest of many answers is further from its mean than one that was named before.
  const allowedAfterLooking = chance + 5 * deviation;
  const accuracy = (answerTo: (item: TaskItem) => string): number => {
    const right = makeEach(setting.repeat, heldOut.length, (i) => setting.accepts(heldOut[i], answerTo(heldOut[i])));
    return heldOut.reduce((sum, { weight }, i) => sum + (right[i] ? weight : 0), 0) / total;
  };
  const counts = new Map<string, number>();
  for (const { answer } of heldOut) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const commonest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
  for (const constant of [...commonest.map(([answer]) => answer), ...heldOut.slice(0, 4).map(({ answer }) => answer)]) {
    const share = accuracy(() => constant);
    if (share > allowedAfterLooking) {
      setting.report(
        'chance',
        `one answer to everything is right in ${percent(share)}; chance() is ${percent(chance)}`,
        { answer: constant },
      );
    }
  }
  const rng = rngFor('random policy');
  const random = accuracy(({ answer }) => {
    const { length } = tasks.codec.encode(answer);
    return tasks.codec.decode(Array.from({ length }, () => rng.int(0, tasks.codec.vocabSize - 1)));
  });
  if (random > allowed)
    setting.report('chance', `random tokens are right in ${percent(random)}; chance() is ${percent(chance)}`);
  return (commonest[0]?.[1] ?? 0) / heldOut.length;
}

/** No problem is trained on and held out, whatever the seed, by its key or by what is shown and played; held-out ones are unique. */
export function splitsDisjointly(setting: Setting, count: number): void {
  const { definition, task, heldOut } = setting;
  const classOf = (item: TaskItem): string => definition.splitKey?.(item.identity) ?? item.key;
  const keys = new Set(heldOut.map(({ key }) => key));
  const classes = new Set(heldOut.map(classOf));
  if (keys.size !== heldOut.length)
    setting.report('split', `${heldOut.length - keys.size} held-out problems are there twice`);
  for (const item of heldOut) {
    if (splitOfProblem(definition, item.identity) !== 'eval')
      setting.report('split', 'a held-out problem is of the training split', { prompt: item.prompt });
  }
  // An expert may think for long.
  const comparable = definition.environment === undefined ? count : Math.min(count, MOST_PLAYED);
  const shown = new ShownProblems(definition, task.knobs, heldOut.slice(0, comparable));
  for (const { prompt } of shown.doubled()) setting.report('split', 'a held-out problem has two keys', { prompt });
  setting.repeat(count, (index) => {
    const item = task.trainItem(index % 7, index);
    const { prompt } = item;
    if (keys.has(item.key) || classes.has(classOf(item))) {
      setting.report('split', 'a held-out problem, or its class, is trained on', { prompt });
    } else if (index < comparable && shown.like(item) !== undefined) {
      setting.report('split', SHOWN_IN_BOTH, { prompt, answer: item.answer });
    }
  });
}

/** Problems and demonstrations are functions of seed and index; keys tell problems apart. */
export function isReproducible(setting: Setting): void {
  const { trained, task } = setting;
  const other = setting.bind();
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const indices = [trained.length - 1, 0, Math.floor(trained.length / 2)];
  for (const index of indices) {
    const item = other.trainItem(3, index);
    if (!same(item, trained[index]))
      setting.report('reproducible', 'the same seed and index give another problem', { prompt: item.prompt });
    if (!same(task.demonstration(item, 5, index), other.demonstration(item, 5, index))) {
      setting.report('reproducible', 'the same seed and index give another demonstration', { prompt: item.prompt });
    }
  }
  if (!same(other.heldOutItems(), setting.heldOut))
    setting.report('reproducible', 'held-out problems are others when asked again');
  const differs = [0, 1, 2, 3, 4].some((index) => task.trainItem(4, index).key !== trained[index]?.key);
  if (trained.length > 4 && !differs) setting.report('reproducible', 'another seed gives the same problems');
  if (setting.definition.environment !== undefined) return; // a prompt need not say what is hidden
  const byPrompt = new Map<string, TaskItem>();
  for (const item of setting.items) {
    const twin = byPrompt.get(item.prompt);
    if (twin !== undefined && twin.key !== item.key)
      setting.report('key', 'two keys have one prompt', { prompt: item.prompt });
    byPrompt.set(item.prompt, item);
  }
}

/** The twin of a problem is the same problem under another prompt: of its key, and right where it is. */
export function hasTwins(setting: Setting): void {
  if (setting.task.twin === undefined) return;
  setting.each(setting.items, (item) => {
    const twin = setting.task.twin?.(item);
    if (twin === undefined) return;
    const { prompt } = twin;
    if (prompt === item.prompt) setting.report('twin', 'a twin has the same prompt', { prompt });
    if (setting.definition.key(twin.identity) !== item.key)
      setting.report('twin', 'a twin has another key', { prompt });
    if (!setting.accepts(twin, item.answer) || !setting.accepts(item, twin.answer)) {
      setting.report('twin', 'an answer is right of one twin alone', { prompt, answer: item.answer });
    }
  });
}

/** Demonstrations are in the language, within the limits, and answers in form: right or wrong in value. */
export function demonstrates(setting: Setting): void {
  const tasks = oneTask(setting.task);
  setting.each(setting.items.slice(0, 4 * FEW), (item, index) => {
    const { prompt } = item;
    try {
      const ids = tasks.demonstrationTokens(item, 5, index);
      const text = tasks.codec.decode(tasks.fixedCompletionTokens === undefined ? ids.subarray(0, -1) : ids);
      const verdict = setting.judge(item, text);
      if (verdict?.status === 'invalid' || verdict?.status === 'truncated') {
        setting.report('demonstration', 'a demonstration is no answer', { prompt, answer: text, verdict });
      }
    } catch (error) {
      setting.report('demonstration', String(error), { prompt });
    }
  });
}

/** A task that reads prompts reads each of its own back, and no other text. */
export function readsPrompts(setting: Setting): void {
  const { task, items } = setting;
  if (setting.definition.parse === undefined || setting.style === 'plain') return;
  setting.each(items, (item) => {
    const read = task.parse(item.prompt);
    if (read?.key !== item.key || !setting.accepts(read, item.answer)) {
      setting.report('parse', 'a prompt is not read back as its problem', { prompt: item.prompt });
    }
  });
  const alphabet = [...new Set(items.slice(0, FEW).flatMap(({ prompt }) => prompt.split('')))];
  const rng = rngFor('typed prompts');
  const prompts = items.slice(0, FEW).map(({ prompt }) => prompt);
  const near = prompts.flatMap((prompt) => [
    `${prompt} `,
    ` ${prompt}`,
    `${prompt}${prompt}`,
    mutated(prompt, alphabet, rng),
  ]);
  for (const typed of [...JUNK, ...near]) {
    const read = task.parse(typed);
    if (read && setting.definition.prompt(read.identity, setting.knobs) !== typed) {
      setting.report('parse', 'a text is read as a problem that has another prompt', { prompt: typed });
    }
  }
}
