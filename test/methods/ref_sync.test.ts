/** The reference after syncs, on a run in float64: TRL's weighted mean, at the steps that it is due. */
import { expect, it } from 'vitest';
import { controlAfterStep } from '../../src/grpo/control.ts';
import { stageOf } from '../../src/grpo/run.ts';
import { openStep } from '../../src/grpo/step.ts';
import { nudge, reinforced } from '../grpo/step_parts.ts';

it('is alpha of the policy and the rest of itself, every so many steps', async () => {
  const run = await reinforced({ beta: 0.1, sync_ref_model: true, ref_model_sync_steps: 2 });
  const stage = stageOf(run);
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  await run.engine.policy.copySet('reference', 'policy');
  const before = await run.engine.policy.readVector('reference');
  await nudge(run, 0.1);
  const weights = await run.engine.policy.readVector('weights');
  run.journal.state.step = 1;
  await controlAfterStep(run, openStep(run, stage), {}, { groups: [], temperature: 1 });
  expect(await run.engine.policy.readVector('reference')).toEqual(before);
  run.journal.state.step = 2;
  await controlAfterStep(run, openStep(run, stage), {}, { groups: [], temperature: 1 });
  const after = await run.engine.policy.readVector('reference');
  after.forEach((value, i) => expect(value).toBeCloseTo(0.6 * weights[i] + 0.4 * before[i], 6));
  expect(after.some((value, i) => Math.abs(value - before[i]) > 0.01)).toBe(true);
  await run.engine.policy.close();
});
