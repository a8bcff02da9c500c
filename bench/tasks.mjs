/**
 * How many problems does each task draw in a second, and how many answers does it judge?
 *
 * At the default knobs and at the hardest level, one thread. Problems are those of the training stream, each with its
 * prompt, key and right answer; answers are right ones and those of other problems, as a policy that learns gives both.
 * A task without a solver draws 20,000 a second and more, one with a solver 1,000; each judges 100,000.
 */
import { bindTask, registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { callRate } from './call_rate.mjs';
import { describeMachine, machineLine, readFlags, table, writeJson } from './command.mjs';

/** Milliseconds of one measurement. */
const MS = 100;
const PROBLEMS = 256;
/** Calls between two looks at the clock. */
const CHUNK = 16;

/** Draw a problem by searching for one that is solvable, or whose solution is the only one. */
const WITH_SOLVER = new Set([
  'puzzle24',
  'mini_sudoku',
  'futoshiki',
  'n_queens',
  'binairo',
  'maze',
  'graph_color',
  'knights_knaves',
  'syllogism',
  'propositional_logic',
  'number_sequence',
  'lights_out',
  'constraints',
  'wordle',
  'hangman',
  'minesweeper',
  'sokoban',
]);
const LEAST = { problems: 20_000, solved: 1000, verdicts: 100_000 };

const { repeats, json } = readFlags({ repeats: 5, quickRepeats: 2 });
const rate = (call) => callRate(call, { repeats, ms: MS, chunk: CHUNK });

/** Problems and verdicts per second of a task at some knobs. */
function measure(definition, knobs) {
  const task = bindTask(definition, knobs);
  const problems = rate((index) => task.trainItem(0, index));
  const items = Array.from({ length: PROBLEMS }, (_, index) => task.trainItem(1, index));
  const finishReason = task.language.fixedCompletionTokens === undefined ? 'eos' : 'stop';
  const verdicts = rate((index) => {
    const answerOf = items[(index % 2 === 0 ? index : index + 1) % PROBLEMS];
    return task.verify(items[index % PROBLEMS], answerOf.answer, { finishReason });
  });
  return { problemsPerSecond: problems, verdictsPerSecond: verdicts };
}

const machine = describeMachine();
const results = [];
for (const [name, { load }] of Object.entries(registeredTasks)) {
  const definition = await load();
  const hardest = definition.levels.length - 1;
  const least = WITH_SOLVER.has(name) ? LEAST.solved : LEAST.problems;
  for (const [level, knobs] of [
    ['default', {}],
    [`level ${hardest}`, { level: hardest }],
  ]) {
    const rates = measure(definition, knobs);
    const isFast = rates.problemsPerSecond >= least && rates.verdictsPerSecond >= LEAST.verdicts;
    results.push({ task: name, level, ...rates, isFast });
  }
}

console.log(machineLine(machine));
const number = (value) => value.toLocaleString('en-US');
const rows = results.map(({ task, level, problemsPerSecond, verdictsPerSecond, isFast }) => [
  `${task}, ${level}`,
  number(problemsPerSecond),
  number(verdictsPerSecond),
  isFast ? '' : 'slow',
]);
console.log(table(['task', 'problems/s', 'verdicts/s', ''], rows));
for (const [what, of] of [
  ['problems', ({ problemsPerSecond }) => problemsPerSecond],
  ['verdicts', ({ verdictsPerSecond }) => verdictsPerSecond],
]) {
  const slowest = [...results].sort((a, b) => of(a) - of(b)).slice(0, 5);
  const names = slowest.map((row) => `${row.task} (${row.level}) ${number(of(row))}/s`);
  console.log(`slowest five in ${what}: ${names.join(', ')}`);
}
if (json)
  writeJson(json, 'tasks', { machine, settings: { repeats, least: LEAST, withSolver: [...WITH_SOLVER] }, results });
