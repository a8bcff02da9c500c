/** `--fleet` and `--workers`: a training whose completions other processes sample. */
import { resolve } from 'node:path';
import type { TrainingFleet } from '../../../src/cli/training/training_parts.ts';
import { localGenerator, type MakeGenerator } from '../../../src/grpo/generator.ts';
import type { ConfiguredModel, Progress } from '../../../src/grpo/run.ts';
import type { OpenedBase } from '../../../src/run/base.ts';
import { packageVersion } from '../../../src/run/fingerprint/fingerprint.node.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Store } from '../../../src/run/store/store.ts';
import type { BaseFiles } from '../../fleet/base/sent_base.ts';
import { huffman } from '../../fleet/deflate.node.ts';
import { Fleet } from '../../fleet/fleet.ts';
import { runCard, runName } from '../../fleet/run_card.ts';
import { fleetLines } from '../../fleet/tally.ts';
import { goBackBefore } from '../../fleet/trust/go_back.ts';
import { type FleetPlace, openFleetPlace } from './fleet_place.ts';
import { FleetRecorder } from './fleet_recorder.ts';
import type { FleetFlags } from './train_options.ts';

const VERIFY_SHARE = 0.05;

/** Connects to the server, or starts one of its own. @throws FleetError */
export async function connectFleet(flags: FleetFlags): Promise<TrainingFleet> {
  return new NatsFleet(await openFleetPlace(flags), flags);
}

class NatsFleet implements TrainingFleet {
  readonly #fleet: Fleet;
  readonly #place: FleetPlace;
  /** What was said before anything showed it. */
  #waiting: string[] = [];
  #recorder: FleetRecorder | undefined;
  #isOpen = false;
  #say: ((line: string) => void) | undefined;

  constructor(place: FleetPlace, { verifyShare = VERIFY_SHARE }: FleetFlags) {
    const say = (line: string): void => {
      if (this.#say === undefined) this.#waiting.push(line);
      else this.#say(line);
    };
    // On one machine it is sooner to send weights as they are.
    this.#fleet = new Fleet(place.bus, { verifyShare, say, ...(place.isFar && { deflate: huffman }) });
    this.#place = place;
  }

  readonly makeGenerator: MakeGenerator = (policy, version) =>
    this.#fleet.generator(policy, localGenerator(policy, version));

  async open(
    run: ConfiguredModel,
    { directory, pretrained }: { readonly directory: string; readonly pretrained: OpenedBase | undefined },
    say: (line: string) => void,
  ): Promise<void> {
    this.#say = say;
    for (const line of this.#waiting.splice(0)) say(line);
    await this.#recorder?.close();
    this.#recorder = new FleetRecorder(fileStore(directory));
    if (this.#isOpen) return;
    this.#isOpen = true;
    await this.#fleet.open(
      await runName(run, resolve(directory)),
      runCard(run, packageVersion()),
      baseFiles(run, pretrained),
    );
  }

  async record(step: { readonly stage: string; readonly step: number }): Promise<void> {
    await this.#recorder?.record(step, this.#fleet.figures);
  }

  async goBack(run: Progress, store: Store): Promise<string | undefined> {
    const version = this.#fleet.takeLie();
    return version === undefined ? undefined : goBackBefore(version, run, store);
  }

  get lines(): string[] {
    return fleetLines(this.#fleet.figures);
  }

  async close(): Promise<void> {
    await this.#recorder?.close();
    await this.#fleet.close();
    await this.#place.close();
  }
}

/** Files of the model that an adapter is beside: what a worker opens it from. */
function baseFiles({ base, config }: ConfiguredModel, pretrained: OpenedBase | undefined): BaseFiles | undefined {
  if (base === undefined || pretrained === undefined || config.adapter === undefined) return undefined;
  return { files: pretrained.place.files, names: Object.keys(base.files) };
}
