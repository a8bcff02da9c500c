/** The command that measures a GPU runs as README says; figures of a software adapter are not judged. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDriver } from '../../../webgpu/test/support/adapters.ts';
import { temporaryFolder } from '../e2e/command_line.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = temporaryFolder();
beforeAll(() => useDriver('lavapipe'));
afterAll(() => folder.remove());

it('bench -- webgpu without a Python says so, and races webgpu and wasm', async () => {
  const file = join(folder.path, 'webgpu.json');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bench/run.mjs', 'webgpu', '--quick', '--repeats', '1', '--json', file],
    { cwd: ROOT, env: { ...process.env, PATH: folder.path, RLVR_PEER_PYTHON: join(folder.path, 'no-python') } },
  );
  expect(stdout).toMatch(/^no Python with CUDA PyTorch: neither PyTorch nor TRL runs\./m);
  const [race] = (JSON.parse(readFileSync(file, 'utf8')) as { readonly races: readonly Race[] }).races;
  expect(race?.stopped).toEqual({});
  for (const what of ['rollout', 'step'] as const) {
    const { webgpu, wasm, ...others } = race?.results[what] ?? {};
    expect(others).toEqual({});
    expect(wasm?.ratio?.ofMedians).toBeCloseTo((wasm?.median ?? 0) / (webgpu?.median ?? 1), 12);
    expect(stdout).toContain(`${what}: webgpu `);
  }
  expect(race?.results.step.webgpu?.median).toBeGreaterThan(race?.results.rollout.webgpu?.median ?? Infinity);
});

interface Race {
  readonly stopped: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<'rollout' | 'step', Readonly<Record<string, Figures>>>>;
}

interface Figures {
  readonly median: number;
  readonly ratio?: { readonly ofMedians: number };
}
