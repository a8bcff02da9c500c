/** Progress of `eval` and `sample`: asked in parts, an answer keeps its bits, and what is left is said. */
import { expect, it } from 'vitest';
import { evaluate } from '../../../src/grpo/evaluate.ts';
import { openSmallRun, plainWasm, smallConfig } from '../../../test/support/small_runs.ts';
import { tellingEngine } from '../runs/told_generator.ts';

it('says how much is left every five seconds, and changes no bit of an evaluation', async () => {
  const run = await openSmallRun(await plainWasm(), { yaml: smallConfig('') });
  try {
    const { engine, config } = run;
    const [stage] = config.stages;
    const items = Array.from({ length: 40 }, (_, i) => ({ ...engine.tasks.trainItem(1, i), weight: 1 / 40 }));
    const tasks = Object.assign(Object.create(engine.tasks), { heldOutItems: () => items });
    const many = { ...engine, tasks };
    const lines: string[] = [];
    let now = 0;
    const told = tellingEngine(many, {
      what: 'evaluating',
      total: 40 * (1 + stage.evaluation.samples),
      say: (line) => lines.push(line),
      clock: () => (now += 3000),
    });
    const plain = await evaluate({ engine: many, figures: [], seed: 3 }, stage);
    expect(await evaluate({ engine: told, figures: [], seed: 3 }, stage)).toEqual(plain);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines[0]).toMatch(/^evaluating: \d+ of \d+ completions, about .+ left$/);
  } finally {
    await run.engine.policy.close();
  }
});

it('says nothing of work that is soon done', async () => {
  const run = await openSmallRun(await plainWasm(), { yaml: smallConfig('') });
  try {
    const [stage] = run.config.stages;
    const lines: string[] = [];
    const told = tellingEngine(run.engine, {
      what: 'evaluating',
      total: 20,
      say: (line) => lines.push(line),
      clock: () => 0,
    });
    await evaluate({ engine: told, figures: [], seed: 3 }, stage);
    expect(lines).toEqual([]);
  } finally {
    await run.engine.policy.close();
  }
});
