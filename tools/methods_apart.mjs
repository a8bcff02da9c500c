// Gives what makes the part of a method, its `create`, a file of its own in the engine's bundle: a config is read with
// the declarations of all methods, and a run is made of a few. In the source a method is one file. Here it becomes two
// modules: the file without its `create`, and the whole file, which `load` fetches (`loadMethods` in
// src/methods/create.ts) and of which the bundle takes what `create` reaches.
import { readFileSync } from 'node:fs';

const METHOD_FILE = /[\\/]src[\\/]methods[\\/]\w+[\\/]\w+\.ts$/;
const WHOLE = '?whole';

/** A plugin of rolldown. */
export const methodsApart = {
  name: 'methods-apart',
  resolveId: (id) => (id.endsWith(WHOLE) ? id : null),
  load: (id) =>
    id.endsWith(WHOLE) ? { code: readFileSync(id.slice(0, -WHOLE.length), 'utf8'), moduleType: 'ts' } : null,
  transform(code, id) {
    if (!METHOD_FILE.test(id) || !code.includes('= method({')) return null;
    const found = declared(this.parse(code, { lang: 'ts' }));
    if (found.length !== 1) throw new Error(`${id} declares ${found.length} methods; a method is a file`);
    const [{ name, create }] = found;
    const load = `async () => { create = (await import(${JSON.stringify(id + WHOLE)})).${name}.create; }`;
    const later = `create: (...given) => create(...given), load: ${load}`;
    return { code: `${code.slice(0, create.start)}${later}${code.slice(create.end)}\nlet create;`, map: null };
  },
};

/** The methods that a module exports, with the property that makes their part. */
function declared({ body }) {
  return body.flatMap(({ type, declaration }) => {
    if (type !== 'ExportNamedDeclaration' || declaration?.type !== 'VariableDeclaration') return [];
    return declaration.declarations.flatMap(({ id, init }) => {
      if (init?.type !== 'CallExpression' || init.callee.name !== 'method') return [];
      const create = init.arguments[0].properties.find(({ key }) => key?.name === 'create');
      return create === undefined ? [] : [{ name: id.name, create }];
    });
  });
}
