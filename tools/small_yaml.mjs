// Leaves YAML 1.1 out of the engine's bundle: configs are read as YAML 1.2 (src/config/yaml/yaml_document.ts refuses a text
// that says otherwise), and no tag of the older version is known to it.

const TAGS = /yaml[\\/]browser[\\/]dist[\\/]schema[\\/]tags\.js$/;
/** `<<` stays: the reader of mappings asks for it. */
const OLD_TAGS = /^import \{ ([^}]+) \} from '\.\/yaml-1\.1\/(?!merge)[\w-]+\.js';$/gm;

/** A walk over tokens, which nothing here does; it is bundled for what it hangs on its function. */
const TOKEN_WALK = /yaml[\\/]browser[\\/]dist[\\/]parse[\\/]cst-visit\.js$/;

/** A plugin of rolldown. */
export const smallYaml = {
  name: 'small-yaml',
  transform(code, id) {
    if (TOKEN_WALK.test(id)) return { code, moduleSideEffects: false };
    if (!TAGS.test(id)) return null;
    const names = [...code.matchAll(OLD_TAGS)].flatMap(([, list]) => list.split(', '));
    if (names.length !== 8) throw new Error(`${id} has another form than this reads`);
    const absent = names.map((name) => `${name.split(' as ').at(-1)} = undefined`);
    return { code: `${code.replace(OLD_TAGS, '')}\nvar ${absent.join(', ')};`, map: null };
  },
};
