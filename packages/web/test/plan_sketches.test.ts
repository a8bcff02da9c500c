import { afterEach, expect, it, vi } from 'vitest';
import { sortingJob } from '../../../web/src/model/presets.ts';
import { planSketches } from '../plan_run.ts';
import { KNOWN_MODELS } from '../pretrained/known_models.ts';
import type { PlanRefusal, RunPlan } from '../run_plan.ts';

/** What a device of so much memory says, in GiB. */
function onDevice(deviceMemory: number | undefined): Promise<readonly (RunPlan | PlanRefusal)[]> {
  vi.stubGlobal('navigator', { deviceMemory, hardwareConcurrency: 1, userAgent: '' });
  const models = [KNOWN_MODELS[0]!, KNOWN_MODELS.at(-1)!];
  return planSketches({ yaml: sortingJob('model'), backend: { name: 'wasm', threads: 1 }, models });
}

afterEach(() => vi.unstubAllGlobals());

it('plans models that are not there from their shapes', async () => {
  const [smallest, largest] = (await onDevice(undefined)) as readonly RunPlan[];
  expect(smallest?.parameters).toBe(134_515_008);
  expect(smallest?.trained).toBe(4_884_480); // rank 16, in all linear layers
  expect(largest?.parameters).toBe(596_049_920);
  for (const plan of [smallest, largest]) {
    expect(plan?.available).toBe(4 * 2 ** 30);
    expect(plan?.bytes).toBe([...(plan?.memory.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0));
    expect(plan?.secondsPerStep[0]).toBeGreaterThan(0);
    expect(plan?.secondsPerEvaluation[0]).toBeGreaterThan(0);
  }
  expect(largest?.bytes).toBeGreaterThan(2 * (smallest?.bytes ?? 0));
  expect(smallest?.problems).toEqual({ train: null, heldOut: 163 });
  expect(smallest?.examples[0]?.prompt).toContain('Sort these numbers in ascending order');
});

it('says what a model lacks on a device with less memory', async () => {
  const plans = (await onDevice(0.25)) as readonly PlanRefusal[];
  for (const { refused, bytes, available } of plans) {
    expect(refused).toContain('is the memory that this machine has for it');
    expect(available).toBe(2 ** 27);
    expect(bytes).toBeGreaterThan(available);
  }
  const [smallest, largest] = await onDevice(1);
  expect(smallest).not.toHaveProperty('refused');
  expect(largest).toHaveProperty('refused');
});
