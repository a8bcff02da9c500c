/** The learner as its fleet sees it. */
import type { EngineTurns } from '../../src/grpo/engine_turns.ts';
import type { Generator } from '../../src/grpo/generator.ts';
import type { Policy } from '../../src/model/policy.ts';

export interface Learner {
  readonly policy: Policy;
  /** Samples and scores on its own engine. */
  readonly local: Generator;
  /** At that engine, where an update is under way beside sampling. */
  readonly turns?: EngineTurns;
}

/** The learner while it learns: its engine does one thing at a time. */
export function besideUpdate({ policy, local }: Learner, turns: EngineTurns): Learner {
  const inTurn: Generator = {
    sample: (requests, settings) => turns.take(() => local.sample(requests, settings)),
    score: (sequences, settings) => turns.take(() => local.score(sequences, settings)),
    get weightsVersion() {
      return local.weightsVersion;
    },
  };
  return { policy, local: inTurn, turns };
}
