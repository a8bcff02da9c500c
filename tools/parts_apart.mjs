// Gives what makes the part of a method, or a reward, its `create`, a file of its own in the engine's bundle: a config is
// read with the declarations of all methods and rewards, and a run is made of a few. In the source a declaration is one
// piece. Here it becomes two modules: the file without its `create`s, and the whole file, which `load` fetches
// (`loadMethods` in src/methods/create.ts, `loadRewards` in src/rewards/built_in.ts) and of which the bundle takes what
// `create` reaches.
import { readFileSync } from 'node:fs';

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
const CREATE_LATER = `export function createLater(load) {
  let create;
  return { create: (...given) => create(...given), load: async () => { create = await load(); } };
}`;

/** A plugin of rolldown. */
export const partsApart = {
  name: 'parts-apart',
  resolveId: (id) => (id.endsWith(WHOLE) || id === LATER ? id : null),
  load(id) {
    if (id === LATER) return CREATE_LATER;
    return id.endsWith(WHOLE) ? { code: readFileSync(id.slice(0, -WHOLE.length), 'utf8'), moduleType: 'ts' } : null;
  },
  transform(code, id) {
    const kind = KINDS.find(({ file }) => file.test(id));
    if (kind === undefined || !code.includes(`= ${kind.declaredBy}({`)) return null;
    const found = declared(this.parse(code, { lang: 'ts' }), kind.declaredBy);
    if (found.length === 0) throw new Error(`${id} declares nothing by ${kind.declaredBy}; a declaration is exported`);
    const imported = `import { createLater } from ${JSON.stringify(LATER)};\n`;
    return { code: imported + found.reduceRight((rest, one) => withoutCreate(rest, one, id), code), map: null };
  },
};

/** The text with what fetches a `create` in its place. */
function withoutCreate(code, { name, create }, id) {
  const later = `...createLater(async () => (await import(${JSON.stringify(id + WHOLE)})).${name}.create)`;
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
