/** Buses that lose, double and delay messages, and workers that lie: for tests alone. */
import { rngFor } from '../../../../src/kernels/philox.ts';
import type { LearnerBus, WorkerBus } from '../../bus.ts';
import type { MemoryBroker } from '../../memory_bus.ts';
import {
  decodeResult,
  decodeTask,
  encodeResult,
  encodeTask,
  type FleetResult,
  type FleetTask,
  type WeightsName,
} from '../../protocol.ts';

const WIDE = 2 ** 20;
const DELAY_MS = 15;
const SLOW_MS = 150;

/** What a worker does to its bus. */
export type WorkerFault = (bus: WorkerBus) => WorkerBus;

/** It does not wait for long, so that it ends with the test. */
export const honest: WorkerFault = (bus) => ({ ...bus, next: (run, wait) => bus.next(run, Math.min(wait, 20)) });

/** Loses, doubles and delays one message in four each, in another order. */
export function lossy(seed: number): WorkerFault {
  const rng = rngFor(`lossy|${seed}`);
  return (bus) => ({
    ...honest(bus),
    async answer(run, result) {
      if (rng.float() < 0.25) return undefined;
      // By a time of its own, so that answers overtake each other.
      if (rng.float() < 0.25) await new Promise((resolve) => setTimeout(resolve, DELAY_MS * rng.float()));
      if (rng.float() < 0.25) await bus.answer(run, result);
      return bus.answer(run, result);
    },
    async readWeights(run, key, part) {
      return rng.float() < 0.25 ? undefined : bus.readWeights(run, key, part);
    },
  });
}

/** Takes a hundred times as long as another to answer, so that most of its leases run out. */
export const slow: WorkerFault = (bus) => ({
  ...honest(bus),
  async answer(run, result) {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return bus.answer(run, result);
  },
});

/** A server that loses one task in four, and once in a while everything. */
export function forgetful(seed: number) {
  const rng = rngFor(`forgetful|${seed}`);
  return (bus: LearnerBus, broker: MemoryBroker): LearnerBus => ({
    ...bus,
    async offer(to, bytes) {
      const isThere = await bus.offer(to, bytes);
      if (rng.float() < 0.2) broker.forget();
      return isThere;
    },
    async give(task, bytes) {
      if (rng.float() < 0.1) broker.forget();
      if (rng.float() < 0.75) await bus.give(task, bytes);
    },
  });
}

/** Half of the offers find their worker gone, and a quarter are lost. */
export function vanishing(bus: LearnerBus): LearnerBus {
  const rng = rngFor('vanishing');
  return {
    ...bus,
    async offer(to, bytes) {
      if (rng.float() < 0.5) return false;
      return rng.float() < 0.5 || bus.offer(to, bytes);
    },
  };
}

/** A worker that changes what it answers, or the message that has it. */
export function liar(
  lie: (result: FleetResult, task: FleetTask) => FleetResult | Uint8Array<ArrayBuffer>,
): WorkerFault {
  return (bus) => {
    const tasks = new Map<number, FleetTask>();
    const { next } = honest(bus);
    return {
      ...bus,
      async next(run, wait) {
        const bytes = await next(run, wait);
        if (bytes instanceof Uint8Array) tasks.set(decodeTask(bytes).id, decodeTask(bytes));
        return bytes;
      },
      answer(run, bytes) {
        const task = tasks.get(new DataView(bytes.buffer, bytes.byteOffset).getUint32(3, true)) as FleetTask;
        const told = lie(decodeResult(bytes, task, WIDE), task);
        return bus.answer(run, told instanceof Uint8Array ? told : encodeResult(told));
      },
    };
  };
}

/** A worker that takes the first weights it is told of, and samples by them whatever a task names. */
export const lagging: WorkerFault = (bus) => {
  let first: WeightsName | undefined;
  const { next } = honest(bus);
  return {
    ...bus,
    async next(run, wait) {
      const bytes = await next(run, wait);
      if (!(bytes instanceof Uint8Array)) return bytes;
      const task = decodeTask(bytes);
      first ??= task.weights;
      return encodeTask({ ...task, weights: first });
    },
  };
};
