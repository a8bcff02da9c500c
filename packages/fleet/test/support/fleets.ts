/** Small runs whose completions come from a fleet within this process, honest or not. */
import { FleetError } from '../../../../src/errors.ts';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import { localGenerator, type MakeGenerator } from '../../../../src/grpo/generator.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { VerifiedCompletion } from '../../../../src/methods/records.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { plainWasm } from '../../../../test/support/small_runs.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { bindTask } from '../../../zoo/data/index.ts';
import type { LearnerBus, WorkerBus } from '../../bus.ts';
import { huffman } from '../../deflate.node.ts';
import { Fleet } from '../../fleet.ts';
import { MemoryBroker } from '../../memory_bus.ts';
import { openRunModel } from '../../open_model.ts';
import { runCard } from '../../run_card.ts';
import type { FleetFigures } from '../../tally.ts';
import { goBackBefore } from '../../trust/go_back.ts';
import { work } from '../../worker.ts';

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
  /** Milliseconds, in the place of that clock. */
  readonly clock?: () => number;
  /** Draws what is checked. */
  readonly random?: () => number;
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
  const own = fleet && new OpenFleet(fleet);
  const { said = [], makeGenerator } = own ?? {};
  const run = await openRun(config, task, await plainWasm(), { makeGenerator, rewards: { byLength } });
  await own?.open(run);
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
    return { sha256, completions, evaluations, said, ...(own && { figures: own.learning.figures }) };
  } finally {
    await own?.close();
    await run.engine.policy.close();
  }
}

/** A fleet within this process, for one run, which may go back. */
class OpenFleet {
  readonly said: string[] = [];
  readonly learning: Fleet;
  readonly #fleet: TestFleet;
  readonly #broker: MemoryBroker;
  readonly #stop = new AbortController();
  #working: readonly Promise<void>[] = [];

  constructor(fleet: TestFleet) {
    const { hurry = 1, clock = () => hurry * performance.now(), verifyShare = 0, joinMs = 60_000 } = fleet;
    const { random, isNear = false, learner = (bus) => bus } = fleet;
    this.#fleet = fleet;
    this.#broker = new MemoryBroker(fleet.clock === undefined ? clock : undefined);
    this.learning = new Fleet(learner(this.#broker.learner(), this.#broker), {
      ...{ verifyShare, clock, joinMs, random, say: (line: string) => this.said.push(line) },
      ...(!isNear && { deflate: huffman }),
    });
  }

  readonly makeGenerator: MakeGenerator = (policy, version) =>
    this.learning.generator(policy, localGenerator(policy, version));

  async open(run: TrainingRun): Promise<void> {
    const { workers, visitors = [] } = this.#fleet;
    await this.learning.open(RUN, runCard(run, VERSION));
    const buses = [
      ...workers.map((change) => change(this.#broker.worker())),
      ...visitors.map((change) => change(this.#broker.worker(true))),
    ];
    this.#working = buses.map((bus, i) =>
      work({
        bus,
        name: `w${i}`,
        version: VERSION,
        openModel: (card) =>
          openRunModel(card, { openBackend: plainWasm, openBase: () => Promise.reject(new Error()) }),
        say: (line) => this.said.push(line),
        signal: this.#stop.signal,
      }),
    );
    // All are there, so that nothing depends on when they come; where none is waited for, that is.
    if (this.#fleet.joinMs !== 0) return;
    while (this.learning.figures.workers < buses.length) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#working);
    await this.learning.close();
  }
}

/** What a run leaves in its directory, clocks apart. */
export interface KeptRun {
  readonly sha256: string;
  readonly metrics: readonly object[];
  readonly completions: string;
  readonly said: readonly string[];
}

const CLOCKS = ['step_time', 'eval_runtime', 'wall_seconds', 'tokens_per_second'];

/** Trains a config in a directory of its own as the command does: a run that rests on a lie goes back. */
export async function trainPastLies(yaml: string, fleet?: TestFleet): Promise<KeptRun> {
  const { config } = parseConfig(yaml, { file: 'inline' });
  const [{ task: named }] = config.tasks;
  const { name, ...knobs } = named;
  const task = bindTask(getTaskDefinition(name), knobs, { heldOutSample: 6 });
  const own = fleet && new OpenFleet(fleet);
  const store = memoryStore();
  const told: string[] = [];
  const attempt = async (resume: boolean): Promise<boolean> => {
    const run = await openRun(config, task, await plainWasm(), {
      makeGenerator: own?.makeGenerator,
      rewards: { byLength },
    });
    try {
      if (!resume) await own?.open(run);
      const fingerprint = await fingerprintOf(run, {});
      try {
        for await (const _ of session({ run, store, fingerprint, resume, force: false }));
      } catch (error) {
        if (!(error instanceof FleetError)) throw error;
      }
      const lie = own?.learning.takeLie();
      if (lie !== undefined) told.push(await goBackBefore(lie, run, store));
      return lie === undefined;
    } finally {
      await closeEngine(run.engine);
    }
  };
  try {
    for (let resume = false; !(await attempt(resume)); resume = true);
  } finally {
    await own?.close();
  }
  const lines = async (file: string): Promise<string> => new TextDecoder().decode(await store.read(file));
  const metrics = (await lines('metrics.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  return {
    sha256: (JSON.parse(await lines('summary.json')) as { weightsSha256: string }).weightsSha256,
    metrics: metrics.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !CLOCKS.includes(key)))),
    completions: await lines('completions.jsonl'),
    said: [...(own?.said ?? []), ...told],
  };
}

function plain({ text, tokens, labels, logprobs, entropies, finishReason }: VerifiedCompletion): unknown {
  return { text, tokens, labels, logprobs, entropies, finishReason };
}
