/** A step and what its methods are given, without a run. */

import type { Step } from '../../src/grpo/step.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { Ledger } from '../../src/methods/ledger.ts';
import type { StepContext } from '../../src/methods/method.ts';
import type { RolloutTools } from '../../src/methods/points.ts';
import { SharedStates } from '../../src/methods/shared_states.ts';
import type { GrpoStageConfig } from '../../src/methods/stage.ts';
import { createMethods } from './everything.ts';
import { VOCABULARY } from './rollouts.ts';

export function stepContext(stage: GrpoStageConfig, step = 3, shared = new SharedStates()): StepContext {
  const { maxSteps } = stage.optimizer;
  const [rng, ledger] = [rngFor('test'), new Ledger()];
  return {
    step,
    progress: step / maxSteps,
    stage,
    rng,
    ledger,
    shared,
    vocabularySize: VOCABULARY,
    searchSpace: () => undefined,
    tokenText: String,
    metric: () => {},
  };
}

/** The methods of a stage at one of its steps. */
export function stepOf(stage: GrpoStageConfig, step = 3): Step {
  const methods = createMethods(stage);
  methods.moveTo(step);
  return {
    methods,
    stage,
    stageIndex: 0,
    number: step,
    seed: 0,
    get tasks(): never {
      throw new Error('a step without a run has no tasks');
    },
    rewards: [],
    ledger: new Ledger(),
    logged: {},
    context: () => stepContext(stage, step, methods.shared),
  };
}

/** The `metric` of a context that keeps what is logged. */
export const metricsInto =
  (logged: Record<string, number>): StepContext['metric'] =>
  (name, value) => {
    logged[name] = value;
  };

/** What a strategy may ask for, of a run that knows nothing; with what a test knows better. */
export function rolloutTools(stage: GrpoStageConfig, known: Partial<RolloutTools> = {}): RolloutTools {
  return {
    ...stepContext(stage),
    draw: async () => [],
    expect: () => undefined,
    mostTokens: 64,
    solution: () => new Int32Array(),
    solutions: () => [],
    hints: () => [],
    twin: () => undefined,
    followUp: (_, ...turns) => Int32Array.from(turns.flatMap(([reply]) => [...reply, 0])),
    said: (word) => word,
    shown: (_, ...texts) => Int32Array.from([...texts.flatMap((tokens) => [...tokens]), 0]),
    ended: (tokens) => Int32Array.from([...tokens, 0]),
    end: Int32Array.of(0),
    tokensOf: (text) => Int32Array.from(text, Number),
    references: async () => [],
    logprobs: async (_, completions) => completions.map(({ length }) => new Float32Array(length)),
    likeliest: async () => [],
    regroup: (group, rollouts) => ({ ...group, rollouts }),
    ...known,
  };
}
