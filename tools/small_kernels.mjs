// Makes the kernels small in what npm publishes: each build of the WebAssembly is a file of its own in dist/web/engine, so
// that a page loads the one that it runs, and Node has no copies of them; WGSL without comments, indentation and most of its spaces. What runs
// is the same to the bit.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BINARIES = fileURLToPath(new URL('../src/kernels/wasm/binaries.ts', import.meta.url));
const BINARY = /export const (\w+)(?:: string)? =\s*'([^']+)'/g;
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
    return { code: codeOf(builds().get(id.slice(MODULE.length + 1))), moduleType: 'js' };
  },
  transform(code, id) {
    if (/kernels[\\/]wasm[\\/]binary\.ts$/.test(id)) {
      return { code: loadedByName('./inflated.ts', (name) => `${MODULE}${name}`), moduleType: 'js', map: null };
    }
    if (!/packages[\\/]webgpu[\\/](?:shaders[\\/])?\w+\.ts$/.test(id)) return null;
    const flush = withoutIndentation(code);
    const isShader = /shaders[\\/]\w+\.ts$|[\\/](?:shader|packed)\.ts$/.test(id);
    return { code: isShader ? withSmallTemplates(this.parse(flush, { lang: 'ts' }), flush) : flush, map: null };
  },
};

/** Deflated, in base64, by the name of the build. */
function builds() {
  const found = new Map([...readFileSync(BINARIES, 'utf8').matchAll(BINARY)].map(([, name, base64]) => [name, base64]));
  if (found.size !== 4) throw new Error('src/kernels/wasm/binaries.ts has another form than this reads');
  return found;
}

/** The files of dist/web/engine, by the name of the build. */
export function kernelFiles() {
  return new Map(
    [...builds()].map(([name, deflated]) => [name, { file: `_${MODULE}${name}.js`, code: codeOf(deflated) }]),
  );
}

const codeOf = (deflated) => `export const deflated = '${deflated}';\n`;

/**
 * What replaces src/kernels/wasm/binary.ts.
 * @param inflate  the module of `inflated`
 * @param moduleOf a build by its name
 */
export function loadedByName(inflate, moduleOf) {
  const entries = [...builds().keys()].map((name) => `${name}: () => import('${moduleOf(name)}')`);
  return `import { inflated } from '${inflate}';\nconst builds = { ${entries.join(', ')} };\n${BINARY_OF}`;
}

/** Line by line: in TypeScript it changes nothing, and no line of a template there needs its indentation. */
function withoutIndentation(code) {
  return code.replace(/^[ \t]+/gm, '').replace(/^\/\/.*\n/gm, '');
}

/** The text of a file of shaders, whose templates are WGSL throughout. */
function withSmallTemplates(program, code) {
  const spans = [];
  templateTexts(program, spans);
  return spans.reduceRight((rest, [start, end]) => {
    return rest.slice(0, start) + withoutSpaces(rest.slice(start, end)) + rest.slice(end);
  }, code);
}

/** Gathers the spans [start, end) of what is written between the expressions of templates, below a node, in their order. */
function templateTexts(node, spans) {
  if (Array.isArray(node)) for (const one of node) templateTexts(one, spans);
  if (typeof node?.type !== 'string') return;
  if (node.type === 'TemplateElement') spans.push([node.start, node.end]);
  else for (const child of Object.values(node)) if (typeof child === 'object') templateTexts(child, spans);
}

/** WGSL of the same tokens. Between an operator and what a template puts there the space stays: `- ${x}` may get a sign. */
function withoutSpaces(wgsl) {
  return wgsl
    .replace(/\/\/.*$/gm, '')
    .replace(/(?<=[\w)\]]) ([-+*%&|^<>=!]=?|\/=?|&&|\|\||<<|>>) (?=[\w(])/g, '$1')
    .replace(/ ?([,;{}]) ?/g, '$1')
    .replace(/(?<=[;{},])\n|\n(?=\})/g, '');
}
