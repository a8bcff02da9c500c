/**
 * Countdown by steps, configs/countdown-steps.yaml, as work of a benchmark: its supervised stage cut short, so that a step of
 * reinforcement is soon reached, and no evaluations in between.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createTasks, openRun, parseConfig, wasmBackend } from '../build/packages/rlvr-train/index.js';

const CONFIG = fileURLToPath(new URL('../configs/countdown-steps.yaml', import.meta.url));
/** Supervised steps, of the config's 3,300: answers then have the form and length of later ones, which decide a step's work. */
export const SUPERVISED_STEPS = 300;

/** @returns a run whose first SUPERVISED_STEPS steps are supervised, and the following ones reinforcement */
export async function openCountdown({ threads, backend = wasmBackend({ threads }) }) {
  const overrides = [`sft.max_steps=${SUPERVISED_STEPS}`, 'sft.eval_strategy=no', 'grpo.eval_strategy=no'];
  const { config } = parseConfig(readFileSync(CONFIG, 'utf8'), { file: CONFIG }, overrides);
  return openRun(config, await createTasks(config), await backend);
}
