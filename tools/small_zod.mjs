// Leaves out of the engine's bundle what its schemas never do, and a bundler cannot tell, since each schema of zod knows
// it: to become JSON Schema, and to be a text of a format (e-mail, URL, …). It is a third of zod. Code that
// asks for it there gets an error that says so.

const SCHEMAS = /zod[\\/]v4[\\/]classic[\\/]schemas\.js$/;
/** A line of each kind of schema, and the methods that ask for it. */
const JSON_SCHEMA = /^ *inst\._zod\.processJSONSchema = .*;$|\bcreate(?:To|Standard)JSONSchemaMethod\(this, [^)]*\)/gm;
/** A method of texts for each format. */
const FORMAT = /\bthis\.check\(core\._\w+\(Zod\w+, params\)\)/g;

const ABSENT = `
function leftOut() {
  throw new Error('The engine of the browser has no JSON Schema and no formats of texts: tools/small_zod.mjs.');
}`;

/** A plugin of rolldown. */
export const smallZod = {
  name: 'small-zod',
  transform(code, id) {
    if (!SCHEMAS.test(id)) return null;
    const found = [JSON_SCHEMA, FORMAT].map((pattern) => [...code.matchAll(pattern)].length);
    if (Math.min(...found) < 20) throw new Error(`${id} has another form than this reads`);
    const methods = code.replace(FORMAT, 'leftOut()');
    return {
      code: methods.replace(JSON_SCHEMA, (part) => (part.startsWith(' ') ? '' : 'leftOut')) + ABSENT,
      map: null,
    };
  },
};
