// `npm run sizes`: how large the house is, by lines: the core and each workspace, and what the loop and the command reach of
// them. What is imported at once is what a start loads; what is imported on demand, and types alone, are counted apart.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Made by the build. */
const MADE = /\/made\/|binaries\.ts$|assets\.ts$|papers\.ts$|evidence_rows\.ts$/;

const TEST = /^packages\/[^/]+\/test\//;

const files = new Map();
for (const folder of ['src', 'packages']) {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const path = posix.join(folder, name.split(sep).join('/'));
    if (path.endsWith('.ts') && !MADE.test(path) && !TEST.test(path))
      files.set(path, readFileSync(join(root, path), 'utf8'));
  }
}
const lines = (paths) => [...paths].reduce((sum, path) => sum + files.get(path).split('\n').length - 1, 0);

/** What a file imports: at once, on demand, or its types alone. */
function importsOf(path) {
  const at = (target) => posix.join(posix.dirname(path), target);
  const text = files.get(path);
  const fixed = text.matchAll(
    /^(?:import\s+(?:(type)\s+)?(?:[^'";]*?\bfrom\s+)?|export\s+(?:(type)\s+)?[*{][^'";]*?\bfrom\s+)'(\.[^']+)'/gm,
  );
  const later = text.matchAll(/\bimport\('(\.[^']+)'\)/g);
  return [
    ...[...fixed].map(([, one, other, target]) => [at(target), (one ?? other) === undefined ? 'value' : 'type']),
    ...[...later].map(([, target]) => [at(target), 'later']),
  ];
}

function reached(entry, kinds) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path) || !files.has(path)) return;
    seen.add(path);
    for (const [target, kind] of importsOf(path)) if (kinds.includes(kind)) visit(target);
  };
  visit(entry);
  return seen;
}

const roomOf = (path) => (path.startsWith('src/') ? 'src' : path.split('/').slice(0, 2).join('/'));
const rooms = new Map();
for (const path of files.keys()) rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), path]);
const row = (name, paths) =>
  console.log(`${String(lines(paths)).padStart(7)} lines ${String(paths.length).padStart(5)} files  ${name}`);
for (const [room, paths] of [...rooms].sort(([a], [b]) => (a === 'src' ? -1 : b === 'src' ? 1 : a.localeCompare(b))))
  row(room, paths);
row('all', [...files.keys()]);
console.log();
for (const entry of ['src/grpo/trainer.ts', 'src/cli/training/train.ts', 'packages/commands/main.ts']) {
  row(`${entry}, at once`, [...reached(entry, ['value'])]);
  row(`${entry}, with what is loaded on demand`, [...reached(entry, ['value', 'later'])]);
}
const dist = join(root, 'dist');
const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
const bytes = built.reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
console.log(`\n${(bytes / 1e6).toFixed(2)} MB of JavaScript in ${built.length} files of dist/`);
