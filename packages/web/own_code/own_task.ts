/**
 * A task that a visitor writes, or that came with a link or a file: its code runs in a sandbox as a reward's does
 * (`sandboxes.ts`), so its problems are drawn before the run, and its verdicts are asked for a batch at a time.
 *
 * The code declares `generate(rng)`, which gives a problem as plain data, `prompt(problem)`, `oracle(problem)`, which
 * gives a right answer, and `verify(problem, answer)`: true, false, a score from 0 to 1, or `{score, reason}`.
 */
import { correct } from '../../../src/data/judge.ts';
import { splitOf } from '../../../src/data/split.ts';
import type { GivenAnswer, Split, Task, TaskItem, TaskLanguage } from '../../../src/data/task.ts';
import { PluginError } from '../../../src/errors.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import type { Json } from '../../../src/options/json.ts';
import { truncated, wrongValue } from '../../../src/rewards/reject.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { characterTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import { RIGHT_SHARE, SLACK_TOKENS } from '../../zoo/data/line_task.ts';
import { SandboxThread } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { LIMITS, LONGEST_CODE, openSandbox, withoutDomPrefix } from './open_sandbox.ts';
import type { DrawSeed, SandboxQuestion } from './sandbox_program.ts';
import type { StartSandbox } from './sandboxes.ts';

/** What `task:` of the YAML names it. */
const OWN_TASK = 'yours';

/** Draws, and how many of them are asked for at once: each question has seconds. */
const DRAWS = 6000;
const DRAWS_AT_ONCE = 1500;
const ANSWERS_AT_ONCE = 1024;
const MOST_HELD_OUT = 512;
/** Fewer different problems are no task. */
const LEAST_PROBLEMS = 20;
/** Characters of a prompt or an answer: a small policy learns to read a character at a time. */
const LONGEST_TEXT = 96;
const MOST_CHARACTERS = 120;

/** A drawn problem. */
interface Drawn {
  /** As canonical as the code makes it: the same text, the same problem. */
  readonly json: string;
  readonly prompt: string;
  readonly answer: string;
}

/** Starts the code and draws its problems. @throws PluginError in words, with the line where there is one */
export async function startOwnTask(code: string, start: StartSandbox): Promise<OwnTask> {
  if (code.length > LONGEST_CODE) {
    throw failed(`has ${code.length} characters of code; ${LONGEST_CODE} are the most — shorten it`);
  }
  const sandbox = openSandbox(start, (host) => new SandboxThread(host, LIMITS));
  try {
    await sandbox.load({ code, declares: 'task' } satisfies SandboxQuestion);
  } catch (error) {
    throw error instanceof PluginError ? failed(withoutDomPrefix(error.message)) : error;
  }
  const asker = new Asker(sandbox);
  try {
    return new OwnTask(asker, await asker.draw(0, DRAWS));
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** The questions to a task's sandbox, with their answers looked at. */
class Asker {
  readonly #sandbox: SandboxThread;
  /** The sandbox answers one question at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(sandbox: SandboxThread) {
    this.#sandbox = sandbox;
  }

  /** Draws `first` to `end`; those that gave nothing are left out. */
  async draw(first: number, end: number): Promise<Drawn[]> {
    const drawn: Drawn[] = [];
    for (let at = first; at < end; at += DRAWS_AT_ONCE) {
      const draws = Array.from({ length: Math.min(DRAWS_AT_ONCE, end - at) }, (_, i) => seedOf(at + i));
      const values = await this.#ask('generate', { draws }, draws.length);
      for (const value of values) if (value !== null) drawn.push(drawnOf(value));
    }
    return drawn;
  }

  /** Scores and reasons of answers. */
  async judge(answers: readonly { readonly problem: Json; readonly answer: string }[]): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    for (let at = 0; at < answers.length; at += ANSWERS_AT_ONCE) {
      const some = answers.slice(at, at + ANSWERS_AT_ONCE);
      const values = await this.#ask('verify', { answers: some }, some.length);
      verdicts.push(...values.map((value, i) => verdictOf(value, some[i] as (typeof some)[number])));
    }
    return verdicts;
  }

  close(): Promise<void> {
    return this.#sandbox.close();
  }

  #ask(part: string, question: SandboxQuestion, count: number): Promise<readonly unknown[]> {
    const answer = this.#last.then(() => this.#askNow(part, question, count));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #askNow(part: string, question: SandboxQuestion, count: number): Promise<readonly unknown[]> {
    const answer = await this.#sandbox.ask(LIMITS.score, question);
    if (answer.type === 'late') {
      throw failed(`${part} gave nothing within ${LIMITS.score} s — it hangs or is too slow; correct it`);
    }
    if (answer.type === 'ended') throw failed(`${answer.reason} — correct it`);
    const { reply } = answer;
    if (reply.type === 'threw') throw failed(`${reply.thrown} — correct it`);
    if (reply.type !== 'scores' || !Array.isArray(reply.values) || reply.values.length !== count) {
      throw failed(`${part} gave something else — correct it`);
    }
    return reply.values;
  }
}

export class OwnTask implements Task {
  readonly name = OWN_TASK;
  readonly version = 1;
  readonly knobs = {};
  readonly style = 'compact';
  readonly language: TaskLanguage;
  readonly chance: number;
  readonly #asker: Asker;
  readonly #train: readonly Drawn[];
  readonly #heldOut: readonly TaskItem[];

  constructor(asker: Asker, drawn: readonly Drawn[]) {
    this.#asker = asker;
    const problems = [...new Map(drawn.map((one) => [one.json, one])).values()];
    this.language = languageOf(problems);
    const heldOut = problems.filter(({ json }) => splitOf(OWN_TASK, json) === 'eval').slice(0, MOST_HELD_OUT);
    this.#train = problems.filter(({ json }) => splitOf(OWN_TASK, json) === 'train');
    this.#heldOut = heldOut.map((one, i) => itemOf(one, 'eval', String(i)));
    this.chance = commonestShare(heldOut.map(({ answer }) => answer));
  }

  trainItem(seed: number, index: number): TaskItem {
    const at = rngFor(`${OWN_TASK}|train|${seed}|${index}`).int(0, this.#train.length - 1);
    return itemOf(this.#train[at] as Drawn, 'train', `${seed}/${index}`);
  }

  trainProblems(): number {
    return this.#train.length;
  }

  heldOutItems(): readonly TaskItem[] {
    return this.#heldOut;
  }

  parse(): undefined {
    return undefined;
  }

  demonstration(item: TaskItem, seed: number, index: number): string {
    const rng = rngFor(`${OWN_TASK}|demonstration|${item.key}|${seed}|${index}`);
    if (rng.float() < RIGHT_SHARE) return item.answer;
    return (this.#train[rng.int(0, this.#train.length - 1)] as Drawn).answer;
  }

  verify(): never {
    throw failed(
      'is verified in a thread of its own, so no method may judge texts of its own with it — choose another',
    );
  }

  async judge(given: readonly GivenAnswer[]): Promise<readonly Verdict[]> {
    const whole = given.filter(({ context }) => context.finishReason !== 'length');
    const verdicts = await this.#asker.judge(
      whole.map(({ item, completion }) => ({ problem: item.identity, answer: completion })),
    );
    let next = 0;
    return given.map(({ context }) =>
      context.finishReason === 'length' ? truncated() : (verdicts[next++] as Verdict),
    );
  }

  /** The same draws once more, for the check: a task whose problems depend on anything else gives others. */
  async drawAgain(count: number): Promise<readonly string[]> {
    return (await this.#asker.draw(0, count)).map(({ json, prompt, answer }) => `${json} ${prompt} ${answer}`);
  }

  close(): Promise<void> {
    return this.#asker.close();
  }
}

function seedOf(index: number): DrawSeed {
  const rng = rngFor(`${OWN_TASK}|draw|${index}`);
  const word = (): number => rng.int(0, 4294967295);
  return [word(), word(), word(), word()];
}

function drawnOf(value: unknown): Drawn {
  if (!Array.isArray(value)) throw failed(`generate gave ${shown(value)} — give plain data, or null to draw again`);
  const [json, prompt, answer] = value as readonly unknown[];
  const text = (part: string, given: unknown): string => {
    if (typeof given === 'string' && given.length > 0 && given.length <= LONGEST_TEXT) return given;
    throw failed(
      `${part} gave ${shown(given)} for problem ${shown(json)} — give a text of 1 to ${LONGEST_TEXT} characters`,
    );
  };
  return { json: json as string, prompt: text('prompt', prompt), answer: text('oracle', answer) }; // as JSON.stringify gave it
}

function verdictOf(value: unknown, { problem, answer }: { readonly problem: Json; readonly answer: string }): Verdict {
  const [score, reason] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const about = `for problem ${JSON.stringify(problem)} and answer ${shown(answer)}`;
    throw failed(`verify gave ${shown(score)} ${about} — give true, false, or a score from 0 to 1`);
  }
  const said = typeof reason === 'string' && reason !== '' ? reason : undefined;
  return score === 1 ? correct(said ?? 'right', answer) : { ...wrongValue(said ?? 'not right'), score };
}

function languageOf(problems: readonly Drawn[]): TaskLanguage {
  if (problems.length < LEAST_PROBLEMS) {
    const rule = `${DRAWS} draws give ${problems.length} different problems; ${LEAST_PROBLEMS} are the least`;
    throw failed(`${rule} — let rng choose more in generate`);
  }
  const characters = [...new Set(problems.flatMap(({ prompt, answer }) => [...prompt, ...answer]))].sort();
  if (characters.length > MOST_CHARACTERS || characters.some((one) => one.length > 1)) {
    throw failed(`its texts have ${characters.length} characters; ${MOST_CHARACTERS} of two bytes are the most`);
  }
  const longest = (part: 'prompt' | 'answer'): number =>
    problems.reduce((most, problem) => Math.max(most, problem[part].length), 0);
  return {
    tokenizer: characterTokenizer({ name: OWN_TASK, tokens: characters }),
    promptTokens: longest('prompt'),
    completionTokens: longest('answer') + 1 + SLACK_TOKENS,
    fixedCompletionTokens: undefined,
  };
}

function itemOf({ json, prompt, answer }: Drawn, split: Split, place: string): TaskItem {
  const identity = JSON.parse(json) as Json;
  return { id: `${OWN_TASK}/${split}/${place}`, key: json, split, prompt, answer, identity, weight: 1 };
}

/** What always giving the commonest answer reaches. */
function commonestShare(answers: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return Math.max(0, ...counts.values()) / Math.max(1, answers.length);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function failed(rule: string): PluginError {
  return new PluginError('task-failed', `Your task: ${rule}.`);
}
