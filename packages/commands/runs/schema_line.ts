/** The line by which an editor finds the schema of a config. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFile } from '../../../src/package_folder.node.ts';

/** Where the build puts what `rlvr-train schema` prints, in the package. */
const SCHEMA_FILE = 'dist/config.schema.json';

/** The first line of a shipped config, as the YAML language server reads it: the path has no space. */
const SCHEMA_LINE = /^# yaml-language-server: \$schema=\S+$/m;

/**
 * A shipped config as it must read in another folder, so that the language server finds the schema from there: in the
 * project's own copy of the package, in the checkout that the folder belongs to, or else, for a package that lies
 * elsewhere (npx, a global installation), by its URL.
 *
 * @param folder  must exist
 */
export function relinkSchema(yaml: string, folder: string): string {
  return yaml.replace(SCHEMA_LINE, () => `# yaml-language-server: $schema=${schemaFrom(realpathSync(folder))}`);
}

function schemaFrom(folder: string): string {
  const installed = ancestors(folder)
    .map((place) => join(place, 'node_modules/rlvr-train', SCHEMA_FILE))
    .find(existsSync);
  if (installed !== undefined && !/\s/.test(relative(folder, installed)))
    return withSlashes(relative(folder, installed));
  const root = realpathSync(packageFile(''));
  const inside = relative(root, folder);
  const isInside = !inside.startsWith('..') && !isAbsolute(inside);
  if (isInside && !/\s/.test(inside)) return withSlashes(relative(folder, join(root, SCHEMA_FILE)));
  return pathToFileURL(installed ?? join(root, SCHEMA_FILE)).href;
}

/** A folder and those around it. */
function ancestors(folder: string): string[] {
  const around = dirname(folder);
  return around === folder ? [folder] : [folder, ...ancestors(around)];
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}
