/** `rlvr-train worker --fleet nats://host:4222`: samples completions for runs of other processes. */
import { hostname } from 'node:os';
import { print } from '../../../src/cli/display/output.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { FleetError } from '../../../src/errors.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { packageVersion } from '../../../src/run/fingerprint/fingerprint.node.ts';
import { basesFolder, folderKeeper } from '../../fleet/base/folder_keeper.node.ts';
import { receiveBase as receiveModel } from '../../fleet/base/received_base.ts';
import { connectWorker } from '../../fleet/nats/nats_connect.node.ts';
import { type ModelSources, openRunModel, storageOfKeys } from '../../fleet/open_model.ts';
import { machineClass, requireMachine } from '../../fleet/series/series_card.ts';
import { type TrainingTools, work } from '../../fleet/worker.ts';
import { findModel } from '../../models/run/model/find_model.node.ts';
import { openPretrained } from '../../models/run/model/open_pretrained.ts';
import { makeRunFolder } from '../process/own_training.ts';
import { thisPlatform } from '../training/given_series.ts';

/** Longest name of a machine that is shown. */
const NAME_LENGTH = 100;

/** Works until it is stopped. @param fleet  address of the server */
export async function workerCommand(
  fleet: string,
  { threads, quiet = false }: { readonly threads?: number; readonly quiet?: boolean },
): Promise<void> {
  const say = (line: string): void => {
    if (!quiet) print(line);
  };
  const stop = new AbortController();
  const release = onStop(() => stop.abort());
  try {
    const bus = await connectWorker(fleet, say, stop.signal);
    if (bus === undefined) return;
    const name = `${hostname().slice(0, NAME_LENGTH)}:${process.pid}`;
    const keeper = folderKeeper(basesFolder());
    const receiveBase: ModelSources['receiveBase'] = (card) =>
      receiveModel(card, { bus, keeper, say, signal: stop.signal });
    const openModel: Parameters<typeof work>[0]['openModel'] = (card) =>
      openRunModel(card, { ...sources(threads), receiveBase });
    const training: TrainingTools = {
      async requireFit(card) {
        const backend = await sources(threads).openBackend(card.backend, card.features);
        requireMachine(card, await machineClass(backend, thisPlatform()));
      },
      makeFolder: () => makeRunFolder(threads),
    };
    await work({ bus, name, version: packageVersion(), openModel, training, say, signal: stop.signal });
  } finally {
    release();
  }
}

/** What this machine has. */
function sources(threads: number | undefined): ModelSources {
  return {
    async openBackend(name, { fma, keys }) {
      if (name === 'wasm') return wasmBackend({ threads, fma: fma !== 'none', storageDtype: storageOfKeys(keys) });
      if (name === 'webgpu' || name === 'reference') return chooseBackend({ backend: name });
      throw new FleetError('fleet-class', `a run on ${name} cannot be joined: its bits are those of its own process.`);
    },
    openBase: (path) => openPretrained(findModel(path)),
  };
}

/** Ctrl-C, kill, or the end of the training that started this worker. */
function onStop(stop: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, stop);
  process.once('disconnect', stop);
  if (process.connected === false) stop(); // it ended before this process could notice
  return () => {
    for (const signal of signals) process.off(signal, stop);
    process.off('disconnect', stop);
    if (process.connected) process.disconnect();
  };
}
