// Leaves out of the engine's bundle what only people read of a declaration: texts of options, what tasks, rewards and
// methods do, their formulas and sources. They are 70 kB, and the page gets them as data, once it lists what there is
// (src/web/catalogue.ts). The engine reads none of them.

/** Parts of a declaration, by name. */
const TEXTS = new Set(['about', 'does', 'says']);
/** Modules that make something of the texts. In the engine they would find none. */
const READERS = /src[\\/](options[\\/]describe|config[\\/]schema|catalogue[\\/]\w+)\.ts$/;

/** A plugin of rolldown. */
export const withoutTexts = {
  name: 'without-texts',
  transform(code, id) {
    if (READERS.test(id)) throw new Error(`${id} reads texts, and the engine of the browser has none; import it apart`);
    if (!/[\\/]src[\\/].*\.ts(?:\?whole)?$/.test(id) || !/\.describe\(|\b(?:about|does|says): /.test(code)) return null;
    const cuts = [];
    collect(this.parse(code, { lang: 'ts' }), cuts);
    return cuts.length === 0 ? null : { code: without(code, cuts), map: null };
  },
};

/** Gathers the spans [start, end) of the texts below a node of the syntax tree. */
function collect(node, cuts) {
  if (Array.isArray(node)) for (const one of node) collect(one, cuts);
  if (typeof node?.type !== 'string') return;
  const { type, callee, key, value } = node;
  const isDescribed =
    type === 'CallExpression' && callee.type === 'MemberExpression' && callee.property.name === 'describe';
  if (isDescribed) cuts.push([callee.object.end, node.end]);
  const isText = type === 'Property' && TEXTS.has(key.name) && isWritten(value);
  if (isText) cuts.push([node.start, node.end]);
  if (isDescribed) collect(callee.object, cuts);
  else if (!isText) for (const child of Object.values(node)) if (typeof child === 'object') collect(child, cuts);
}

/** Whether a value is a text or a mapping written there, not what a variable holds. */
function isWritten({ type }) {
  return type === 'Literal' || type === 'TemplateLiteral' || type === 'ObjectExpression';
}

/** A cut property leaves its comma, which an object may not begin with. */
function without(code, cuts) {
  let rest = '';
  let at = 0;
  for (const [start, end] of cuts.sort(([a], [b]) => a - b)) {
    rest += code.slice(at, start);
    const comma = /^\s*,/.exec(code.slice(end));
    const isProperty = !/^\s*\./.test(code.slice(start, end));
    at = isProperty && comma !== null ? end + comma[0].length : end;
  }
  return rest + code.slice(at);
}
