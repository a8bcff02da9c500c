// Gives what makes the part of a method, or a reward, its `create`, a file of its own in the engine's bundle: a config is
// read with the declarations of all methods and rewards, and a run is made of a few. In the source a declaration is one
// piece. Here it becomes two modules: the file without its `create`s, and the whole file, which `load` fetches
// (`loadMethods` in src/methods/create.ts, `loadRewards` in src/rewards/built_in.ts) and of which the bundle takes what
// `create` reaches; of methods it fetches all of a point at once.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files with declarations, and what is called with them there. */
const KINDS = [
  { file: /[\\/]src[\\/]methods[\\/]\w+[\\/]\w+\.ts$/, declaredBy: 'method' },
  { file: /[\\/]src[\\/]rewards[\\/](?:functions[\\/]\w+|shaped)\.ts$/, declaredBy: 'defineReward' },
];
const WHOLE = '?whole';

/** Whether a module has declarations, which are read without their `create`. */
export const isDeclaration = (id) => KINDS.some(({ file }) => file.test(id));

/** Replaces a `create` until it is loaded; one function for all of them, since there are two hundred and sixty. */
const LATER = '\0create-later';
const CREATE_LATER = `export function createLater(load, name) {
  let create;
  return { create: (...given) => create(...given), load: async () => { ({ create } = (await load())[name]); } };
}`;

/** A point's methods together, which one file of the bundle has, and what loads that file: a name is all that a method adds. */
const POINT = '\0point:';
const LOAD_POINT = '\0load-point:';

/** All that the files of a folder declare, with its `create`s. */
function pointOf(folder, isAlone) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !isAlone(join(folder, name)));
  const lines = files.map((name) => {
    const path = join(folder, name);
    const names = [...readFileSync(path, 'utf8').matchAll(/^export const (\w+) = method\(\{/gm)].map(([, one]) => one);
    return names.length === 0 ? '' : `export { ${names.join(', ')} } from ${JSON.stringify(path + WHOLE)};\n`;
  });
  return lines.join('');
}

/**
 * A plugin of rolldown.
 *
 * @param isAlone  the files whose whole is loaded by itself
 */
export const partsApart = (isAlone) => ({
  name: 'parts-apart',
  resolveId: (id) =>
    id.endsWith(WHOLE) || id === LATER || id.startsWith(POINT) || id.startsWith(LOAD_POINT) ? id : null,
  load(id) {
    if (id === LATER) return CREATE_LATER;
    if (id.startsWith(POINT)) return pointOf(id.slice(POINT.length), isAlone);
    if (id.startsWith(LOAD_POINT)) {
      return `export const load = () => import(${JSON.stringify(POINT + id.slice(LOAD_POINT.length))});`;
    }
    return id.endsWith(WHOLE) ? { code: readFileSync(id.slice(0, -WHOLE.length), 'utf8'), moduleType: 'ts' } : null;
  },
  transform(code, id) {
    const kind = KINDS.find(({ file }) => file.test(id));
    if (kind === undefined || !code.includes(`= ${kind.declaredBy}({`)) return null;
    const found = declared(this.parse(code, { lang: 'ts' }), kind.declaredBy);
    if (found.length === 0) throw new Error(`${id} declares nothing by ${kind.declaredBy}; a declaration is exported`);
    const isOfPoint = kind.declaredBy === 'method' && !isAlone(id);
    const point = isOfPoint ? `import { load as loadPoint } from ${JSON.stringify(LOAD_POINT + dirname(id))};\n` : '';
    const imported = `import { createLater } from ${JSON.stringify(LATER)};\n${point}`;
    const load = isOfPoint ? 'loadPoint' : `() => import(${JSON.stringify(id + WHOLE)})`;
    return { code: imported + found.reduceRight((rest, one) => withoutCreate(rest, one, load), code), map: null };
  },
});

/** The text with what fetches a `create` in its place. */
function withoutCreate(code, { name, create }, load) {
  const later = `...createLater(${load}, '${name}')`;
  return code.slice(0, create.start) + later + code.slice(create.end);
}

/** What a module exports that is declared by calling `maker`, with the property that makes its part. */
function declared({ body }, maker) {
  return body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ id, init }) => {
      if (init?.type !== 'CallExpression' || init.callee.name !== maker) return [];
      const create = init.arguments[0].properties.find(({ key }) => key?.name === 'create');
      return create === undefined ? [] : [{ name: id.name, create }];
    });
  });
}
