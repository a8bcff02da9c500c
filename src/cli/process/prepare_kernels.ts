/** Reports progress while a GPU's driver compiles the kernels, if that takes a while. */
import type { Engine } from '../../kernels/engine.ts';

const SAY_EVERY_MS = 3000;

/** Compiles before the first step. @throws BackendError if a kernel does not compile */
export async function prepareKernels(engine: Engine, say: (line: string) => void): Promise<void> {
  const start = performance.now();
  let saidAt = start;
  await engine.prepare?.((compiled, all) => {
    const now = performance.now();
    if (compiled === all && now - start >= SAY_EVERY_MS)
      say(`compiled ${all} kernels in ${((now - start) / 1000).toFixed(1)} s`);
    else if (compiled < all && now - saidAt >= SAY_EVERY_MS) {
      saidAt = now;
      say(`compiling kernels: ${compiled} of ${all}`);
    }
  });
}
