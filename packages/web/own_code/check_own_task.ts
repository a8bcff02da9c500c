/**
 * The check of a visitor's task before it is trained on: what `checkTask` asks of a task of the package, as far as a
 * sandbox can be asked. Its code has run only in the sandbox.
 */
import type { GivenAnswer, TaskItem } from '../../../src/data/task.ts';
import { fewHeldOut } from '../../../src/methods/statistics.ts';
import type { CheckedTask, CheckFinding } from '../browser_run.ts';
import type { OwnTask } from './own_task.ts';

/** Problems whose answers are judged. */
const PROBLEMS = 200;
const EXAMPLES = 6;
/** A constant answer that is right so often leaves little to learn. */
const MOST_CHANCE = 0.5;
/** Answers that are no answer to most problems of any task. */
const JUNK = ['', ' ', '\n', '?', 'undefined', 'null', 'NaN', '[object Object]'];

export async function checkOwnTask(task: OwnTask): Promise<CheckedTask> {
  const findings: CheckFinding[] = [];
  const stop = (text: string): void => void findings.push({ level: 'stop', text });
  const warn = (text: string): void => void findings.push({ level: 'warn', text });
  const items = Array.from({ length: PROBLEMS }, (_, i) => task.trainItem(0, i));
  const judge = (answers: readonly GivenAnswer[]) => task.judge(answers);

  const [once, again] = [await task.drawAgain(PROBLEMS), await task.drawAgain(PROBLEMS)];
  const changed = once.findIndex((draw, i) => draw !== again[i]);
  if (changed >= 0 || once.length !== again.length) {
    stop(
      `The same draw gives another problem: ${once[changed] ?? ''}, then ${again[changed] ?? ''}. Let rng alone decide; no Math.random, no Date, nothing that is remembered.`,
    );
  }

  const right = await judge(items.map((item) => given(item, item.answer)));
  const wrong = right.findIndex(({ score }) => score !== 1);
  if (wrong >= 0) {
    const { prompt, answer } = items[wrong] as TaskItem;
    stop(
      `verify refuses the answer of oracle: ${JSON.stringify(prompt)} and ${JSON.stringify(answer)} (${right[wrong]?.reason}).`,
    );
  }
  const twice = await judge(items.map((item) => given(item, item.answer)));
  if (twice.some(({ score }, i) => score !== right[i]?.score))
    stop('verify judges the same answer differently when it is asked again.');

  for (const junk of JUNK) {
    const verdicts = await judge(items.map((item) => given(item, junk)));
    const accepted = verdicts.filter(({ score }, i) => score === 1 && items[i]?.answer !== junk).length;
    if (accepted > 0)
      stop(`verify takes ${JSON.stringify(junk)} for a right answer, of ${accepted} problems in ${PROBLEMS}.`);
  }
  const others = items.map((item, i) => given(item, (items[(i + 1) % PROBLEMS] as TaskItem).answer));
  const foreign = (await judge(others)).filter(
    ({ score }, i) => score === 1 && items[i]?.answer !== others[i]?.completion,
  );
  if (foreign.length > PROBLEMS / 10) {
    warn(`The answer of another problem is right in ${foreign.length} cases of ${PROBLEMS}: is verify strict enough?`);
  }

  const answerByPrompt = new Map<string, string>();
  const ambiguous = items.find(
    ({ prompt, answer }) => (answerByPrompt.get(prompt) ?? answer) !== answer || !answerByPrompt.set(prompt, answer),
  );
  if (ambiguous !== undefined) {
    warn(
      `One prompt asks two problems with different answers: ${JSON.stringify(ambiguous.prompt)}. The policy cannot tell them apart.`,
    );
  }
  if (task.chance > MOST_CHANCE) {
    warn(
      `One answer is right for ${(100 * task.chance).toFixed(0)} % of the problems: always giving it is hard to beat.`,
    );
  }
  const heldOut = task.heldOutItems();
  const few = fewHeldOut(heldOut.length);
  if (few !== undefined) warn(`${few[0].toUpperCase()}${few.slice(1)}.`);
  return {
    examples: heldOut.slice(0, EXAMPLES).map(({ prompt, answer }) => ({ prompt, answer })),
    problems: { train: task.trainProblems(), heldOut: heldOut.length },
    chance: task.chance,
    findings,
  };
}

function given(item: TaskItem, completion: string): GivenAnswer {
  return { item, completion, context: { finishReason: 'eos' } };
}
