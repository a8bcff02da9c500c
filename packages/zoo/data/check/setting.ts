/** A task under one setting of its knobs, as the checks see it: problems, answers, and a verdict of whatever they try. */
import { bindTask, HELD_OUT_SAMPLE } from '../../../../src/data/create_task.ts';
import type { PlayedTurn } from '../../../../src/data/environment.ts';
import { verdictsOf } from '../../../../src/data/judging/judged.ts';
import { makeEach, type Repeat, repeatPlainly } from '../../../../src/data/repeat.ts';
import type {
  AnyTaskDefinition,
  GivenAnswer,
  Knobs,
  Style,
  Task,
  TaskItem,
  VerifyContext,
} from '../../../../src/data/task.ts';
import { oneTask, type TaskSet } from '../../../../src/data/task_set.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import type { Findings, TaskFinding } from './findings.ts';

/** A problem as it is asked, for a checker that was written apart from the task. */
export interface AskedProblem {
  readonly prompt: string;
  readonly identity: Json;
  readonly knobs: Knobs;
}

/**
 * Whether an answer is right, decided without the task's own code; compact style. Undefined: what is known does not tell.
 *
 * @param turns  who said what, of an episode whose actions are the answer; absent where nothing was played
 */
export type SecondChecker = (
  problem: AskedProblem,
  answer: string,
  turns?: readonly PlayedTurn[],
) => boolean | undefined;

export interface SettingOptions {
  readonly items: number;
  readonly second?: SecondChecker | undefined;
  readonly repeat?: Repeat | undefined;
}

/** Held-out problems for each that is looked at closely: enough for a training stream to meet one that is in both. */
const HELD_OUT_PER_ITEM = 8;
/** Answers of those that are asked about together that are asked about twice. */
const ASKED_AGAIN = 50;
/** Solutions of a problem that are looked at. */
const MOST_SOLUTIONS = 500;

/** Verdicts on texts that are known to be right or wrong without the verifier. */
export interface KnownVerdicts {
  readonly right: number;
  /** Right ones that do not score 1. */
  readonly refused: number;
  readonly wrong: number;
  /** Wrong ones that score 1. */
  readonly accepted: number;
}

export class Setting {
  readonly name: string;
  readonly definition: AnyTaskDefinition;
  readonly given: Readonly<Record<string, unknown>>;
  readonly task: Task;
  readonly tasks: TaskSet;
  readonly second: SecondChecker | undefined;
  readonly trained: readonly TaskItem[];
  readonly heldOut: readonly TaskItem[];
  /** Some of both. */
  readonly items: readonly TaskItem[];
  readonly repeat: Repeat;
  readonly remarks: string[] = [];
  readonly #findings: Findings;
  readonly #heldOutSample: number;
  verdicts = 0;
  counted: KnownVerdicts = { right: 0, refused: 0, wrong: 0, accepted: 0 };
  /** Verdicts that take time, once they are there, and the answers whose verdicts are not. */
  readonly #known = new Map<string, Verdict>();
  #missing = new Map<string, GivenAnswer>();

  constructor(
    definition: AnyTaskDefinition,
    given: Readonly<Record<string, unknown>>,
    findings: Findings,
    { items, second, repeat = repeatPlainly }: SettingOptions,
  ) {
    this.definition = definition;
    this.given = given;
    this.repeat = repeat;
    this.#heldOutSample = Math.min(HELD_OUT_SAMPLE, HELD_OUT_PER_ITEM * items);
    this.task = this.bind();
    this.tasks = oneTask(this.task);
    this.name = `${Object.keys(given).length === 0 ? 'default knobs' : JSON.stringify(given)}`;
    this.#findings = findings;
    this.second = this.style === 'compact' ? second : undefined;
    this.trained = makeEach(repeat, items, (index) => this.task.trainItem(3, index));
    this.heldOut = this.task.heldOutItems();
    this.items = [...this.trained, ...this.heldOut.slice(0, items)];
  }

  /** The task once more, which has drawn no problem yet. */
  bind(): Task {
    return bindTask(this.definition, this.given, { repeat: this.repeat, heldOutSample: this.#heldOutSample });
  }

  /** Looks at each of these. */
  each<T>(list: readonly T[], look: (one: T, index: number) => void): void {
    this.repeat(list.length, (index) => look(list[index], index));
  }

  get knobs(): Knobs {
    return this.task.knobs;
  }

  get style(): Style {
    return this.task.style;
  }

  /** The end of a completion that is whole. */
  get whole(): VerifyContext {
    return { finishReason: this.tasks.fixedCompletionTokens === undefined ? 'eos' : 'stop' };
  }

  report(rule: string, what: string, facts: Pick<TaskFinding, 'prompt' | 'answer' | 'verdict'> = {}): void {
    this.#findings.add({ rule, setting: this.name, what, ...facts });
  }

  /** Says what is no broken rule. */
  remark(what: string): void {
    this.remarks.push(what);
  }

  /**
   * Makes a check, and makes it once more with the verdicts that it asked for, where they take time, until it lacks none: a
   * check asks for the same ones whenever it is made.
   */
  async untilJudged<T>(check: () => T): Promise<T> {
    for (;;) {
      const takeBack = this.#findings.mark();
      const before = this.counted;
      const result = check();
      if (this.#missing.size === 0) return result;
      takeBack();
      this.counted = before;
      await this.#ask();
    }
  }

  async #ask(): Promise<void> {
    const asked = [...this.#missing];
    this.#missing = new Map();
    this.verdicts += asked.length;
    const given = asked.map(([, answer]) => answer);
    const verdicts = await verdictsOf(this.tasks, given);
    const again = await verdictsOf(this.tasks, given.slice(0, ASKED_AGAIN));
    for (const [i, [key]] of asked.entries()) this.#known.set(key, verdicts[i]);
    const other = again.findIndex((verdict, i) => JSON.stringify(verdict) !== JSON.stringify(verdicts[i]));
    if (other < 0) return;
    const { item, completion } = given[other];
    const facts = { prompt: item.prompt, answer: completion, verdict: again[other] };
    this.report('pure', 'judge says something else when it is asked again', facts);
  }

  /**
   * The verdict of a completion; a verifier that throws is reported, and has judged nothing. One that takes time is not there
   * at the first time of asking (`untilJudged`).
   */
  judge(item: TaskItem, completion: string, context: VerifyContext = this.whole): Verdict | undefined {
    if (this.tasks.judge !== undefined) {
      const key = JSON.stringify([item.identity, completion, context]);
      const known = this.#known.get(key);
      if (known === undefined) this.#missing.set(key, { item, completion, context });
      return known;
    }
    this.verdicts++;
    try {
      return this.tasks.verify(item, completion, context);
    } catch (error) {
      this.report('total', `verify threw ${String(error)}`, { prompt: item.prompt, answer: completion });
      return undefined;
    }
  }

  /** Counts a verdict on a text that is known to be right, or wrong. */
  count(isRight: boolean, { score }: Verdict): void {
    const { right, refused, wrong, accepted } = this.counted;
    this.counted = isRight
      ? { ...this.counted, right: right + 1, refused: refused + Number(score !== 1) }
      : { ...this.counted, wrong: wrong + 1, accepted: accepted + Number(score === 1) };
  }

  accepts(item: TaskItem, completion: string): boolean {
    return this.judge(item, completion)?.score === 1;
  }

  /** The answer of an item without what its style puts around it. */
  oracle(item: TaskItem): string {
    return this.definition.oracle(item.identity, this.knobs);
  }

  /** Right answers that the task lists: the oracle first. */
  listed(item: TaskItem): readonly string[] {
    const answers = [this.oracle(item)];
    for (const solution of this.definition.solutions?.(item.identity, this.knobs) ?? []) {
      if (answers.length > MOST_SOLUTIONS) break;
      answers.push(solution);
    }
    return answers;
  }

  /** A bare answer as a completion has it. */
  completion(answer: string): string {
    return this.style === 'plain' ? `<answer>${answer}</answer>` : answer;
  }

  /** What the second checker says; undefined where there is none, or it cannot tell. */
  secondly(item: TaskItem, answer: string, turns?: readonly PlayedTurn[]): boolean | undefined {
    const { prompt, identity } = item;
    return this.second?.({ prompt, identity, knobs: this.knobs }, answer, turns);
  }
}
