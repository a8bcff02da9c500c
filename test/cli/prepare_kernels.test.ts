import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { prepareKernels } from '../../src/cli/process/prepare_kernels.ts';
import type { Engine } from '../../src/kernels/engine.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An engine that compiles a kernel in so many milliseconds; preparing asks for nothing else of it. */
function compiling(kernels: number, milliseconds: number): Engine {
  const prepare: Engine['prepare'] = async (onProgress) => {
    for (let i = 1; i <= kernels; i++) {
      vi.advanceTimersByTime(milliseconds);
      onProgress(i, kernels);
    }
  };
  return { prepare } as Partial<Engine> as Engine;
}

async function linesOf(engine: Engine): Promise<string[]> {
  const lines: string[] = [];
  await prepareKernels(engine, (line) => lines.push(line));
  return lines;
}

it('says nothing where kernels compile at once, or not at all', async () => {
  expect(await linesOf(compiling(40, 10))).toEqual([]);
  expect(await linesOf({} as Partial<Engine> as Engine)).toEqual([]);
});

it('says every three seconds how far it is, and at the end how long it took', async () => {
  expect(await linesOf(compiling(8, 1000))).toEqual([
    'compiling kernels: 3 of 8',
    'compiling kernels: 6 of 8',
    'compiled 8 kernels in 8.0 s',
  ]);
});
