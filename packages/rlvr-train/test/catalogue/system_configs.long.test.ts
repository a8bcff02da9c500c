/**
 * Each config of configs/systems as it ships, with its own rewards: three steps of reinforcement, without a warning, come to
 * other weights than the same without what the system proposes. In CI a thirtieth of them, by turns; before a release all.
 */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { TIER } from '../../../../test/support/budget.ts';
import {
  plainConfig,
  proposedLines,
  systemConfig,
  systemsWithConfigs,
} from '../../../zoo/catalogue/systems/system_config.ts';
import { trainedSystem } from '../support/trained_system.ts';

const STEPS = 3;
const TURNS = 30;

/** Another one for each commit. */
const turn = Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).slice(0, 8), 16) % TURNS;
const systems = [...systemsWithConfigs()].filter((_, index) => TIER === 'release' || index % TURNS === turn);

const backend = await wasmBackend({ inline: true });
/** Of several systems on one task from one base. */
const plain = new Map<string, Promise<string>>();
const plainSha256 = (text: string): Promise<string> => {
  const known =
    plain.get(text) ?? trainedSystem(backend, text, { steps: STEPS, heldOut: 4 }).then(({ sha256 }) => sha256);
  plain.set(text, known);
  return known;
};

it.each(systems)('systems/%s trains, and differs from leaving it out', { timeout: 600_000 }, async (_, system) => {
  const own = await trainedSystem(backend, systemConfig(system), { steps: STEPS, heldOut: 4 });
  expect(own.faults).toEqual([]);
  expect(own.steps).toBeGreaterThanOrEqual(STEPS);
  if (proposedLines(system).length > 0) expect(own.sha256).not.toBe(await plainSha256(plainConfig(system)));
});
