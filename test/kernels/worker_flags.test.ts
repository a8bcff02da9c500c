/** Compute threads of a process that was started in its own way. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

it.each([['--input-type=module'], ['--input-type=commonjs'], ['--no-warnings']])(
  'start in a process with %s',
  (flag) => {
    const file = new URL('../../src/kernels/wasm/workers.node.ts', import.meta.url).pathname;
    // A pool that is given no kernels stops at once, having looked for them: the body of its thread has run.
    const code = `
      globalThis.process.getBuiltinModule ??= undefined;
      import('node:module').then(async ({ createRequire }) => {
        const { createJiti } = createRequire(${JSON.stringify(import.meta.url)})(${JSON.stringify(createRequire(import.meta.url).resolve('jiti'))});
        const { startWorkers } = await createJiti(${JSON.stringify(import.meta.url)}).import(${JSON.stringify(file)});
        const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
        const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
        startWorkers({ module, memory, work: [[]], onFailure: (error) => console.log(error.message) });
      });`;
    const { stdout } = spawnSync(process.execPath, [flag, '-e', code], { encoding: 'utf8' });
    expect(stdout).not.toContain('require');
    expect(stdout).toContain('a compute thread stopped: ');
  },
);
