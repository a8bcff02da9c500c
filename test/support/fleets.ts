/** Small runs whose completions come from a fleet within this process, honest or not. */

import { parseConfig } from '../../src/config/load.ts';
import { bindTask } from '../../src/data/index.ts';
import type { LearnerBus, WorkerBus } from '../../src/fleet/bus.ts';
import { huffman } from '../../src/fleet/deflate.node.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { MemoryBroker } from '../../src/fleet/memory_bus.ts';
import { openRunModel } from '../../src/fleet/open_model.ts';
import { runCard } from '../../src/fleet/run_card.ts';
import type { FleetFigures } from '../../src/fleet/tally.ts';
import { work } from '../../src/fleet/worker.ts';
import { localGenerator, type MakeGenerator } from '../../src/grpo/generator.ts';
import { train } from '../../src/grpo/trainer.ts';
import type { VerifiedCompletion } from '../../src/methods/records.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { openRun } from '../../src/run/open_run.ts';
import { plainWasm } from './small_runs.ts';
import { getTaskDefinition } from './tasks.ts';

export const RUN = '0123456789abcdef';
export const VERSION = 'test';

/** A fleet to train with. */
export interface TestFleet {
  /** One for each worker: what it does to its bus. */
  readonly workers: readonly ((bus: WorkerBus) => WorkerBus)[];
  /** The same for those that nobody vouches for: they sign. */
  readonly visitors?: readonly ((bus: WorkerBus) => WorkerBus)[];
  /** What the learner's bus does; default: what it should. */
  readonly learner?: (bus: LearnerBus, broker: MemoryBroker) => LearnerBus;
  readonly verifyShare?: number;
  readonly joinMs?: number;
  /** Weights are sent whole, as they are on one machine; default: as steps. */
  readonly isNear?: boolean;
  /** How much faster the fleet's clock is; default 1. */
  readonly hurry?: number;
}

/** Of an untrained policy too some completions are better than others. */
const byLength: RewardFunction = {
  name: 'byLength',
  score: ({ completionTokens }) => completionTokens.map(({ length }) => (length % 5) / 4),
};

/** What a run leaves behind, all that was sampled included. */
export interface Trained {
  readonly sha256: string;
  readonly completions: readonly unknown[];
  readonly evaluations: readonly unknown[];
  readonly figures?: FleetFigures;
  readonly said: readonly string[];
}

/** Trains a config to its end, by itself or with a fleet. */
export async function trainSmall(yaml: string, fleet?: TestFleet): Promise<Trained> {
  const { config } = parseConfig(yaml, { file: 'inline' });
  const [{ task: named }] = config.tasks;
  const { name, ...knobs } = named;
  const task = bindTask(getTaskDefinition(name), knobs, { heldOutSample: 6 });
  const said: string[] = [];
  const { workers = [], visitors = [], verifyShare = 0, joinMs = 60_000, hurry = 1, isNear = false } = fleet ?? {};
  const { learner = (bus: LearnerBus) => bus } = fleet ?? {};
  const stop = new AbortController();
  const clock = (): number => hurry * performance.now();
  const broker = new MemoryBroker(clock);
  const learning =
    fleet &&
    new Fleet(learner(broker.learner(), broker), {
      ...{ verifyShare, clock, joinMs, say: (line: string) => said.push(line) },
      ...(!isNear && { deflate: huffman }),
    });
  const makeGenerator: MakeGenerator | undefined =
    learning && ((policy, version) => learning.generator(policy, localGenerator(policy, version)));
  const run = await openRun(config, task, await plainWasm(), { makeGenerator, rewards: { byLength } });
  await learning?.open(RUN, runCard(run, VERSION));
  const buses = [
    ...workers.map((change) => change(broker.worker())),
    ...visitors.map((change) => change(broker.worker(true))),
  ];
  const working = buses.map((bus, i) =>
    work({
      bus,
      name: `w${i}`,
      version: VERSION,
      openModel: (card) => openRunModel(card, { openBackend: plainWasm, openBase: () => Promise.reject(new Error()) }),
      say: (line) => said.push(line),
      signal: stop.signal,
    }),
  );
  const completions: unknown[] = [];
  const evaluations: unknown[] = [];
  try {
    for await (const event of train(run)) {
      if (event.type === 'evaluation') evaluations.push(event.evaluation);
      if (event.type === 'rollouts')
        completions.push(
          event.groups.map(({ rollouts }) => rollouts.map((rollout: VerifiedCompletion) => plain(rollout))),
        );
    }
    const sha256 = await weightsSha256(run.engine.policy);
    return { sha256, completions, evaluations, said, ...(learning && { figures: learning.figures }) };
  } finally {
    stop.abort();
    await Promise.all(working);
    await learning?.close();
    await run.engine.policy.close();
  }
}

function plain({ text, tokens, labels, logprobs, entropies, finishReason }: VerifiedCompletion): unknown {
  return { text, tokens, labels, logprobs, entropies, finishReason };
}
