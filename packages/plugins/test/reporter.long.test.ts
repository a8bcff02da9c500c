import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import { memoryStore } from '../../../src/run/store/store.ts';
import type { Tracker } from '../../../src/run/tracker.ts';
import { finish } from '../../../test/run/tiny_run.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { moduleReference } from '../module.node.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';
import { startReporter } from '../threads/reporter_thread.node.ts';

let opened: OpenedPlugins | undefined;

eachInOwnFolder();

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

async function open(reporters: string): Promise<OpenedPlugins> {
  const file = 'my.yaml';
  const loaded = parseConfig(`task: sort_digits\nmax_steps: 3\nreporters: ${reporters}`, { file });
  opened = await openPlugins(loaded, { file, directory: 'runs/one', announce: () => {} });
  return opened;
}

/** Trains a tiny run. @returns the notes, and the weights' hash */
async function train(trackers: readonly Tracker[]) {
  const notes: string[] = [];
  const { weightsSha256 } = await finish({
    store: memoryStore(),
    trackers,
    heard: (event) => void (event.type === 'note' && notes.push(event.message)),
  });
  return { notes, weightsSha256 };
}

const WRITES =
  "import { appendFileSync } from 'node:fs';\nconst write = (text) => appendFileSync('told.txt', text + ' ');\n";

describe('a reporter', () => {
  it('is told what happens, in its order, and waits for its own promises', async () => {
    writeFileSync(
      'mine.mjs',
      `${WRITES}export default { async report({ type, step, config, completions, summary }) {
        await new Promise((resolve) => setTimeout(resolve, type === 'step' ? 20 : 0));
        write([type, step ?? config?.['task.name'] ?? summary?.model, completions?.length].join(':'));
      } };`,
    );
    const { modules, config, reporters } = await open('[./mine.mjs]');
    const { notes } = await train(reporters);
    const told = readFileSync('told.txt', 'utf8');
    expect(notes).toEqual([]);
    const steps = (step: number): string => `completions:${step}:4 step:${step}: `;
    const evaluation = (step: number): string => `evaluation:${step}: `;
    const [first, last] = [`completions:2:4 ${evaluation(2)}step:2: `, `${steps(4)}${evaluation(4)}`];
    const session = `start:sort_digits: stage:0: ${evaluation(0)}`;
    expect(told.replace(/checkpoint:: |diagnosis:\d+: /g, '')).toBe(
      `${session}${steps(1)}${first}${steps(3)}${last}end:last: `,
    );
    expect(modules).toEqual({}); // it decides nothing, and is not in the fingerprint
    expect(resolvedYaml(config)).toContain('reporters:\n  - name: ../../mine.mjs\n');
  });

  it('does not stop or change the run, whatever it does, and that is said once', async () => {
    const texts = {
      throws: 'report() { throw new TypeError("no"); }',
      ends: 'report() { process.exit(3); }',
      writes: 'report(event) { event.type = "x"; event.metrics = {}; }',
      endless: 'report() { for (;;); }',
    };
    const started = await Promise.all(
      Object.entries(texts).map(([name, text]) => {
        writeFileSync(`${name}.mjs`, `\nexport default { ${text} };`);
        const reference = moduleReference(`${name}.mjs`, undefined, '.');
        return startReporter({ reference, options: {} }, { load: 60, end: 0.5 });
      }),
    );
    const { notes, weightsSha256 } = await train(started);
    expect(notes.sort()).toEqual([
      'reporter endless.mjs takes longer than 0.5 s at the end of the run. The run continues without it.',
      'reporter ends.mjs ended its thread by process.exit(3). The run continues without it.',
      'reporter throws.mjs failed: TypeError: no (line 2). The run continues, and it gets the events that follow.',
    ]);
    expect(weightsSha256).toBe((await finish({ store: memoryStore() })).weightsSha256);
  }, 30_000);

  it('is refused before step 1, with its line, where it is none', async () => {
    writeFileSync(
      'mine.mjs',
      'export default { score() {} };\nexport const broken = () => { throw new Error("no"); };',
    );
    const refusal = await open('[./mine.mjs, {name: ./mine.mjs, export: broken}, ./none.mjs, csv]').catch(String);
    for (const rule of [
      'my.yaml:3  reporters.0: ./mine.mjs — its default export is a reward, not a reporter; export {report(event)}',
      'reporters.1: ./mine.mjs — fails: Error: no (line 2); correct it',
      'reporters.2: ./none.mjs — no such file',
      'reporters.3: csv — not a file that ends in',
    ]) {
      expect(refusal).toContain(rule);
    }
  }, 30_000);
});

it('examples/evaluations_csv.ts writes a row per evaluation', async () => {
  copyFileSync(fileURLToPath(new URL('../../../examples/evaluations_csv.ts', import.meta.url)), 'evaluations_csv.ts');
  mkdirSync('runs/one', { recursive: true });
  const { reporters } = await open('[{name: ./evaluations_csv.ts, metrics: [eval_accuracy, eval_problems]}]');
  await finish({ store: memoryStore(), trackers: reporters });
  const rows = readFileSync('runs/one/evaluations.csv', 'utf8').trimEnd().split('\n');
  expect(rows[0]).toBe('stage,step,moment,eval_accuracy,eval_problems');
  expect(rows.slice(1).map((row) => row.replace(/,[\d.]+,\d+$/, ''))).toEqual([
    'grpo,0,baseline',
    'grpo,2,periodic',
    'grpo,4,final',
  ]);
});
