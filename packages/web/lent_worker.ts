/** A tab that is lent to a fleet, in the engine's worker: samples what tasks ask, and keeps nothing. */
import { FleetError } from '../../src/errors.ts';
import { memoryKeeper } from '../fleet/base/memory_keeper.ts';
import { receiveBase } from '../fleet/base/received_base.ts';
import { inboxPrefix } from '../fleet/nats/nats_names.ts';
import { NatsSocket, socketPlace } from '../fleet/nats/nats_socket.ts';
import { natsWorkerBus } from '../fleet/nats/nats_worker_bus.ts';
import { type ModelSources, openRunModel, storageOfKeys } from '../fleet/open_model.ts';
import { work } from '../fleet/worker.ts';
import { chooseBackend } from './choose_backend.ts';
import type { LendingNews, LendOptions } from './lending_messages.ts';

/** Put in by the bundler of the worker (tools/build_web.mjs). */
declare const PACKAGE_VERSION: string;

/** Works until the worker is ended. @throws FleetError for an address that is none, or that a page cannot reach */
export async function lend(
  { server, threads, pageProtocol }: Required<LendOptions>,
  tell: (news: LendingNews) => void,
): Promise<void> {
  const stop = new AbortController();
  const socket = new NatsSocket(socketPlace(server, pageProtocol), inboxPrefix('visitor'), {
    connected: () => tell({ state: 'connected' }),
    away: () => tell({ state: 'away' }),
    refused: (reason) => {
      tell({ state: 'refused', line: reason });
      stop.abort();
    },
  });
  let [groups, tokens] = [0, 0];
  const bus = natsWorkerBus(socket, 'visitor');
  const say = (line: string): void => tell({ line });
  const keeper = memoryKeeper();
  const { signal } = stop;
  await work({
    bus,
    name: 'tab',
    version: PACKAGE_VERSION,
    openModel: (card) =>
      openRunModel(card, {
        ...sourcesOf(threads),
        receiveBase: (own) => receiveBase(own, { bus, keeper, say, signal }),
      }),
    say,
    sampled: (more) => {
      [groups, tokens] = [groups + more.groups, tokens + more.tokens];
      tell({ groups, tokens });
    },
    signal,
  });
}

/** What a tab has: WebAssembly, and no model but those that are sent to it. */
function sourcesOf(threads: number): ModelSources {
  return {
    async openBackend(name, { fma, keys }) {
      if (name !== 'wasm') throw new FleetError('fleet-class', `it is computed on ${name}, and a tab computes on wasm`);
      const asked = { name: 'wasm', threads, fma: fma !== 'none' } as const;
      return (await chooseBackend(asked, storageOfKeys(keys))).backend;
    },
    openBase: async (path) => {
      throw new FleetError('fleet-base', `its adapter is beside ${path}, and a tab has no models`);
    },
  };
}
