/** The folder of this package: the nearest above this file that has a package.json, from src/ as from build/src/ and dist/. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function packageFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  if (dirname(from) === from) throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
  return packageFolder(dirname(from));
}

const FOLDER = packageFolder(dirname(fileURLToPath(import.meta.url)));

/** A file or folder of the package. @param path  from its root, with `/` */
export const packageFile = (path: string): string => join(FOLDER, path);
