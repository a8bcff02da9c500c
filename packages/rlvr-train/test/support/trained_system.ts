/** What a config of configs/systems comes to, with its own rewards and its own supervised steps: as it ships, or in few steps. */
import { parse, stringify } from 'yaml';
import { COMBINATION } from '../../../../src/diagnostics/codes.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import type { Evaluation } from '../../../../src/methods/records.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { closeEngine, createTasks } from '../../index.ts';

export interface TrainedSystem {
  readonly sha256: string;
  /** Updates of reinforcement. */
  readonly steps: number;
  /** Warnings before step 1, and notes that a method does nothing or lacks what it is meant to have. */
  readonly faults: readonly string[];
  /** Of held-out problems: as reinforcement begins, and the last one. */
  readonly start?: Evaluation;
  readonly evaluation?: Evaluation;
  /** Of the policy, at the last step. */
  readonly entropy?: number;
}

interface Trial {
  /** Batches of each stage of reinforcement, at most; absent: as it ships. */
  readonly steps?: number;
  /** Held-out problems at most; absent: as it ships. */
  readonly heldOut?: number;
  readonly seed?: number;
}

type Keys = Readonly<Record<string, unknown>>;

const IS_FAULT = /does nothing|changes? nothing|gives what|is meant to have|nothing to correct/;

/** Trains to the end. @throws RlvrError where the run is refused or stops */
export async function trainedSystem(backend: Backend, text: string, trial: Trial): Promise<TrainedSystem> {
  const { config } = parseConfig(tried(parse(text), trial), { file: 'system' });
  const run = await openRun(config, await createTasks(config, { heldOutSample: trial.heldOut }), backend);
  const faults: string[] = [];
  let start: Evaluation | undefined;
  let evaluation: Evaluation | undefined;
  let entropy: number | undefined;
  let taken = 0;
  try {
    for await (const event of train(run)) {
      if (event.type === 'evaluation') {
        evaluation = event.evaluation;
        if (event.stage === 'grpo') start ??= evaluation;
      }
      if (event.type === 'step' && event.stage === 'grpo') {
        const { entropy: nats } = event.metrics; // a step of dead groups alone has none
        if (typeof nats === 'number') entropy = nats;
        taken++;
      }
      if (event.type !== 'diagnosis' || event.diagnosis.code !== COMBINATION) continue;
      const { level, message } = event.diagnosis;
      if (level === 'warning' || IS_FAULT.test(message)) faults.push(message);
    }
    return { sha256: await weightsSha256(run.engine.policy), steps: taken, faults, start, evaluation, entropy };
  } finally {
    await closeEngine(run.engine);
  }
}

function tried({ stages, ...top }: Keys, { steps = Number.POSITIVE_INFINITY, seed }: Trial): string {
  const updates = steps * Number(top.num_iterations ?? 1);
  const cut = ({ max_steps: all, ...keys }: Keys): Keys => ({ ...keys, max_steps: Math.min(Number(all), updates) });
  const stage = (keys: Keys): Keys => (keys.stage === 'sft' ? keys : cut(keys));
  const seeded = { ...top, ...(seed !== undefined && { seed }) };
  return stringify(Array.isArray(stages) ? { ...seeded, stages: stages.map(stage) } : cut(seeded));
}
