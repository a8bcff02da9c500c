// Leaves out of the engine's bundle what its schemas never do, and a bundler cannot tell, since each schema of zod knows
// it: to become JSON Schema, to be a text of a format (e-mail, URL, …), to be encoded, and the ways to combine schemas that
// no declaration uses. It is half of zod. The engine reads all declarations as it starts: one that asks for any of it fails
// then, and with it every test of the page.

const SCHEMAS = /zod[\\/]v4[\\/]classic[\\/]schemas\.js$/;
/** A line of each kind of schema, and a property that all of them have. */
const JSON_SCHEMA = /^ *inst\._zod\.processJSONSchema = .*;$/gm;
const STANDARD = /\bcreateStandardJSONSchemaMethod\(this, [^)]*\)/g;

/** Methods of a schema that nothing here calls, formats of texts among them. */
const UNUSED = new Set(
  [
    'with brand register overwrite exactOptional nonoptional or and prefault catch isOptional isNullable apply spa',
    'toJSONSchema validate validateAsync encode decode encodeAsync decodeAsync',
    'safeEncode safeDecode safeEncodeAsync safeDecodeAsync',
    'includes startsWith endsWith lowercase uppercase normalize toLowerCase toUpperCase slugify',
    'email url jwt emoji guid uuid uuidv4 uuidv6 uuidv7 nanoid cuid cuid2 ulid base64 base64url xid ksuid',
    'ipv4 ipv6 cidrv4 cidrv6 e164 datetime date time duration',
    'multipleOf step keyof safeExtend merge pick omit partial exactPartial required',
  ].flatMap((line) => line.split(' ')),
);
/** A method as zod's file writes it; a getter and its setter are two. */
const METHOD = /^ {4}(?:async |[gs]et )?(\w+)(?:: (?:async )?function \w+)?\(.*\) \{\n(?: {8,}.*\n)* {4}\},?\n/gm;

const ABSENT = `
function leftOut() {
  throw new Error('The engine of the browser has no JSON Schema: tools/small_zod.mjs.');
}`;

/** A plugin of rolldown. */
export const smallZod = {
  name: 'small-zod',
  transform(code, id) {
    if (!SCHEMAS.test(id)) return null;
    const found = new Set();
    const small = code
      .replace(METHOD, (method, name) => {
        if (!UNUSED.has(name)) return method;
        found.add(name);
        return '';
      })
      .replace(JSON_SCHEMA, '')
      .replace(STANDARD, 'leftOut');
    const missed = [...UNUSED].filter((name) => !found.has(name));
    if (missed.length > 0) throw new Error(`${id} has another form than this reads: it has no ${missed.join(', ')}`);
    return { code: small + ABSENT, map: null };
  },
};
