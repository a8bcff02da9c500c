// Makes the kernels small in the bundle of a browser: WebAssembly deflated (254 kB of base64 become 101 kB), WGSL without
// indentation and comments. What runs is the same to the bit.
import { deflateRawSync } from 'node:zlib';

const BINARY = /export const (\w+) =\s*'([^']+)'/g;
/** Asked for by engine switches, which no browser has (`EngineSwitches` in src/kernels/wasm/modules.ts). */
const NOT_IN_BROWSERS = 'threadsFmaWide';

const INFLATE = `import { inflateSync } from 'fflate';
const inflated = (text) => {
  const bytes = inflateSync(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  let letters = '';
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
};
`;

/** A plugin of rolldown. */
export const smallKernels = {
  name: 'small-kernels',
  transform(code, id) {
    if (/kernels[\\/]wasm[\\/]binaries\.ts$/.test(id)) return { code: deflated(code), moduleType: 'js', map: null };
    if (/kernels[\\/]webgpu[\\/]\w+\.ts$/.test(id)) return { code: withoutIndentation(code), map: null };
    return null;
  },
};

function deflated(code) {
  const constants = [...code.matchAll(BINARY)].map(([, name, base64]) => {
    if (name === NOT_IN_BROWSERS) return `export const ${name} = '';`;
    const small = deflateRawSync(Buffer.from(base64, 'base64'), { level: 9 }).toString('base64');
    return `export const ${name} = inflated('${small}');`;
  });
  if (constants.length < 4) throw new Error('src/kernels/wasm/binaries.ts has another form than this reads');
  return INFLATE + constants.join('\n');
}

/** Line by line: in TypeScript it changes nothing, and no line of a template there needs its indentation. */
function withoutIndentation(code) {
  return code.replace(/^[ \t]+/gm, '').replace(/^\/\/.*\n/gm, '');
}
