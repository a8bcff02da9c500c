/** What a config of configs/systems comes to in few steps of reinforcement, with its own rewards and its own supervised steps. */
import { parse, stringify } from 'yaml';
import { COMBINATION } from '../../../../src/diagnostics/codes.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { closeEngine, createTasks } from '../../index.ts';

export interface TrainedSystem {
  readonly sha256: string;
  /** Updates of reinforcement. */
  readonly steps: number;
  /** Warnings before step 1, and notes that a method does nothing or lacks what it is meant to have. */
  readonly faults: readonly string[];
}

type Keys = Readonly<Record<string, unknown>>;

const IS_FAULT = /does nothing|changes? nothing|gives what|is meant to have|nothing to correct/;

/** @param steps  of each stage of reinforcement, at most */
export async function trainedSystem(backend: Backend, text: string, steps: number): Promise<TrainedSystem> {
  const { config } = parseConfig(shortened(parse(text), steps), { file: 'system' });
  const run = await openRun(config, await createTasks(config, { heldOutSample: 4 }), backend);
  const faults: string[] = [];
  let taken = 0;
  try {
    for await (const event of train(run)) {
      if (event.type === 'step' && event.stage === 'grpo') taken++;
      if (event.type !== 'diagnosis' || event.diagnosis.code !== COMBINATION) continue;
      const { level, message } = event.diagnosis;
      if (level === 'warning' || IS_FAULT.test(message)) faults.push(message);
    }
    return { sha256: await weightsSha256(run.engine.policy), steps: taken, faults };
  } finally {
    await closeEngine(run.engine);
  }
}

function shortened({ stages, ...top }: Keys, steps: number): string {
  const cut = ({ max_steps: all, ...keys }: Keys): Keys => ({ ...keys, max_steps: Math.min(Number(all), steps) });
  const stage = (keys: Keys): Keys => (keys.stage === 'sft' ? keys : cut(keys));
  return stringify(Array.isArray(stages) ? { ...top, stages: stages.map(stage) } : cut({ ...top }));
}
