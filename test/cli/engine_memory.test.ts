import { expect, it } from 'vitest';
import { mostEngineBytes, requireAddressSpace } from '../../src/cli/process/engine_memory.ts';

it('finds memory for the engine where tests run', () => {
  expect(mostEngineBytes()).toBeGreaterThanOrEqual(2 ** 30);
  expect(() => requireAddressSpace()).not.toThrow();
});

it('a limit on the address space is told apart from a model that is too large', () => {
  expect(() => requireAddressSpace(() => false)).toThrow(
    'wasm: the system reserves no address space for WebAssembly, which takes about 10 GiB of it for any model. ' +
      'It is not memory in use: raise the limit with `ulimit -v unlimited`, or that of the container.',
  );
});
