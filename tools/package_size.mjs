// `npm run size`: what takes the room in the tarball that npm would publish, by folder and kind, and its largest files.
// Bytes are those of each file deflated by itself; the tarball is a little smaller, since its files resemble each other.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const MOST_GROUPS = 30;
const MOST_FILES = 20;

const root = fileURLToPath(new URL('..', import.meta.url));
const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
const packed = execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const [{ size, unpackedSize, files }] = JSON.parse(packed);

const groups = new Map();
const deflated = files.map(({ path, size: written }) => {
  const bytes = deflateRawSync(readFileSync(`${root}${path}`), { level: 9 }).length;
  const folder = path.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
  const name = `${folder} ${path.endsWith('.d.ts') ? '.d.ts' : extname(path)}`;
  const group = groups.get(name) ?? { name, count: 0, written: 0, bytes: 0 };
  groups.set(name, { name, count: group.count + 1, written: group.written + written, bytes: group.bytes + bytes });
  return { name: path, count: 1, written, bytes };
});

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(11);
const largest = (list, most) => [...list].sort((a, b) => b.bytes - a.bytes).slice(0, most);
const line = ({ name, count, written, bytes }) =>
  `${kilobytes(bytes)}${kilobytes(written)}${String(count).padStart(6)}  ${name}`;

console.log(
  `tarball ${(size / 1e6).toFixed(2)} MB, unpacked ${(unpackedSize / 1e6).toFixed(1)} MB, ${files.length} files`,
);
console.log('\n   deflated    written files  by folder and kind');
console.log(largest(groups.values(), MOST_GROUPS).map(line).join('\n'));
console.log('\n   deflated    written        largest files');
console.log(largest(deflated, MOST_FILES).map(line).join('\n'));
