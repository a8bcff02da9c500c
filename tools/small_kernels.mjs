// Makes the kernels small in the bundle of a browser: each build of the WebAssembly in a file of its own, so that a page
// loads the one that it runs, 25 kB of 254; WGSL without indentation and comments. What runs is the same to the bit.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BINARIES = fileURLToPath(new URL('../src/kernels/wasm/binaries.ts', import.meta.url));
const BINARY = /export const (\w+)(?:: string)? =\s*'([^']+)'/g;
/** Asked for by engine switches, which no browser has (`EngineSwitches` in src/kernels/wasm/modules.ts). */
const NOT_IN_BROWSERS = 'threadsFmaWide';
/** Before the name of a build, as the name of its module. */
const MODULE = 'kernels_';

const BINARY_OF = `export async function binary(name) {
  const { deflated } = await builds[name]();
  return inflated(deflated);
}
`;

/** A plugin of rolldown. */
export const smallKernels = {
  name: 'small-kernels',
  resolveId: (id) => (id.startsWith(MODULE) ? `\0${id}` : null),
  load(id) {
    if (!id.startsWith(`\0${MODULE}`)) return null;
    const deflated = builds().get(id.slice(MODULE.length + 1));
    return { code: `export const deflated = '${deflated}';`, moduleType: 'js' };
  },
  transform(code, id) {
    if (/kernels[\\/]wasm[\\/]binary\.ts$/.test(id)) return { code: loadedByName(), moduleType: 'js', map: null };
    if (/kernels[\\/]webgpu[\\/](?:shaders[\\/])?\w+\.ts$/.test(id))
      return { code: withoutIndentation(code), map: null };
    return null;
  },
};

/** Deflated, in base64, by the name of the build. */
function builds() {
  const found = new Map([...readFileSync(BINARIES, 'utf8').matchAll(BINARY)].map(([, name, base64]) => [name, base64]));
  if (found.size < 4) throw new Error('src/kernels/wasm/binaries.ts has another form than this reads');
  return found;
}

/** What replaces src/kernels/wasm/binary.ts. */
function loadedByName() {
  const names = [...builds().keys()].filter((name) => name !== NOT_IN_BROWSERS);
  const entries = names.map((name) => `${name}: () => import('${MODULE}${name}')`);
  return `import { inflated } from './inflated.ts';\nconst builds = { ${entries.join(', ')} };\n${BINARY_OF}`;
}

/** Line by line: in TypeScript it changes nothing, and no line of a template there needs its indentation. */
function withoutIndentation(code) {
  return code.replace(/^[ \t]+/gm, '').replace(/^\/\/.*\n/gm, '');
}
