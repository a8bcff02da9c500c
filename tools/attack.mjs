/**
 * `npm run attack -- [--attempts N] [--task NAME] [--seed TEXT]`: tries to cheat the verifier of every task.
 *
 * Texts near right answers, in all the ways of packages/zoo/data/check/attempts.ts, at each level; each verdict is compared with
 * that of a second checker, which was written apart (test/data/second_checkers). Any that differs is printed with problem,
 * answer and verdict, and makes the exit status 1. Attacks build/: `npm run build:js` first.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createJiti } from 'jiti';
import { table } from '../bench/command.mjs';
import { registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { attack } from '../build/packages/zoo/data/check/attack.js';
import { remarksOnSpeed } from '../build/packages/zoo/data/check/checks.js';
import { Findings, findingText } from '../build/packages/zoo/data/check/findings.js';
import { Setting } from '../build/packages/zoo/data/check/setting.js';

/** Right answers of different problems that a task must accept, or all that it has. */
const RIGHT_ANSWERS = 1000;
/** Draws for each of them before a level counts as having no more. */
const DRAWS = 20;
const ITEMS = 300;

const options = {
  attempts: { type: 'string', default: '1000000' },
  task: { type: 'string' },
  seed: { type: 'string', default: 'attack' },
};
const { values } = parseArgs({ options });
const attempts = Number(values.attempts);
const names = Object.keys(registeredTasks).filter((name) => values.task === undefined || name === values.task);
if (!Number.isInteger(attempts) || attempts < 1 || names.length === 0) {
  const wrong = names.length === 0 ? `--task: ${values.task} — no such task` : `--attempts: ${values.attempts}`;
  process.stderr.write(`${wrong}; use --attempts N, --task NAME of rlvr-train tasks ls, --seed TEXT.\n`);
  process.exit(2);
}

const checkers = fileURLToPath(new URL('../packages/zoo/test/data/second_checkers/index.ts', import.meta.url));
const { SECOND_CHECKERS } = await createJiti(import.meta.url).import(checkers);

/** Milliseconds of this process: what else runs on the machine is not the verifier's. */
const clock = () => process.cpuUsage().user / 1000;

/** How many different problems' own answers are accepted, by task and second checker; all levels together. */
function acceptedOracles(settings, findings) {
  const keys = new Set();
  for (const [level, setting] of settings.entries()) {
    const most = Math.ceil((RIGHT_ANSWERS * (level + 1)) / settings.length); // a level makes up for a smaller one
    for (let index = 0; keys.size < most && index < DRAWS * RIGHT_ANSWERS; index++) {
      const item = setting.task.trainItem(1, index);
      if (keys.has(item.key)) continue;
      keys.add(item.key);
      if (setting.accepts(item, item.answer) && setting.secondly(item, setting.oracle(item))) continue;
      findings.add({
        rule: 'oracle',
        setting: setting.name,
        what: 'refused',
        prompt: item.prompt,
        answer: item.answer,
      });
    }
  }
  return keys.size;
}

const started = performance.now();
const rows = [];
const byKind = new Map();
let wrong = 0;
for (const name of names) {
  const second = SECOND_CHECKERS[name];
  if (second === undefined) {
    process.stderr.write(`${name} has no second checker in test/data/second_checkers\n`);
    wrong++;
    continue;
  }
  const findings = new Findings();
  const definition = await registeredTasks[name].load();
  const levels = definition.levels.map((_, level) => ({ level }));
  const start = clock();
  const settings = levels.map((level) => new Setting(definition, level, findings, { items: ITEMS, second }));
  const oracles = acceptedOracles(settings, findings);
  let texts = 0;
  let right = 0;
  for (const setting of settings) {
    for (const [kind, tried] of attack(setting, Math.ceil(attempts / names.length / levels.length), values.seed)) {
      const all = byKind.get(kind) ?? { texts: 0, right: 0 };
      byKind.set(kind, { texts: all.texts + tried.texts, right: all.right + tried.right });
      texts += tried.texts;
      right += tried.right;
    }
    remarksOnSpeed(setting, clock);
    for (const remark of setting.remarks) process.stderr.write(`${name}: ${remark}\n`);
  }
  wrong += findings.count;
  for (const finding of findings.kept) process.stderr.write(`${name}: ${findingText(finding)}\n`);
  rows.push([name, oracles, texts, right, findings.count, ((clock() - start) / 1000).toFixed(1)]);
}
const total = (column) => rows.reduce((sum, row) => sum + row[column], 0);
rows.push([
  `${rows.length} tasks`,
  total(1),
  total(2),
  total(3),
  wrong,
  ((performance.now() - started) / 1000).toFixed(1),
]);
console.log(table(['task', 'right answers', 'attempts', 'right after all', 'wrong verdicts', 'seconds'], rows));
console.log();
console.log(
  table(
    ['kind of attempt', 'texts', 'right after all'],
    [...byKind].map(([kind, tried]) => [kind, tried.texts, tried.right]),
  ),
);
process.exitCode = wrong > 0 ? 1 : 0;
