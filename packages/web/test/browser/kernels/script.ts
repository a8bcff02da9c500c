/** Tests of Node's, bundled for a page. */
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TIER } from '../../../../../test/support/budget.ts';
import { smallKernels } from '../../../../../tools/small_kernels.mjs';
import { bundled } from '../script_page.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '../../../../..');

/**
 * One script with all of these tests, and of this folder what they need of vitest and of Node. The kernels are as npm
 * publishes them. Before a release all is drawn; else what `npm test` draws, as Node draws the rest on the same adapter.
 *
 * @param files  from the root @param backends  file of this folder with the backends that they run on
 */
export async function scriptOf(files: readonly string[], backends: string): Promise<string> {
  const entry = [
    `import { run } from ${JSON.stringify(join(HERE, 'vitest.ts'))};`,
    `import ${JSON.stringify(join(HERE, 'lists.ts'))};`,
    ...files.map((file) => `import ${JSON.stringify(join(ROOT, file))};`),
    'globalThis.results = run();',
  ].join('\n');
  const script = await bundled(entry, {
    treeshake: false, // the package says that its files have no side effects; tests have nothing else
    plugins: [
      smallKernels,
      {
        name: 'tests in a page',
        resolveId: (source) => {
          if (source === 'vitest') return join(HERE, 'vitest.ts');
          if (source.startsWith('node:')) return join(HERE, 'node.ts');
          if (source.endsWith('/workers.node.ts')) return { id: source, external: true };
          if (basename(source) === 'backends.ts') return join(HERE, backends);
          if (basename(source) === 'required_adapters.ts') return '\0adapters';
          return undefined;
        },
        load: (id) => (id === '\0adapters' ? "export const REQUIRED_ADAPTERS = ['Chromium'];" : undefined),
      },
    ],
  });
  return `globalThis.RLVR_TEST_BUDGET = '${TIER === 'release' ? 'release' : 'quick'}';\n${script}`;
}
