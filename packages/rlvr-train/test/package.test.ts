/** What npm publishes and installs: every promise of package.json, without building or packing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

interface Manifest {
  readonly type: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>;
}

function readJson<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(ROOT, ...path), 'utf8')) as T; // the shape that npm guarantees
}

const manifest = readJson<Manifest>('package.json');

/** The source of a file of dist/: tools/build_dist.mjs leaves what it names in its place. */
function sourceOf(built: string): string {
  const place = built.replace(/^(\.\/)?dist\/(types\/packages\/)?/, '').replace(/(\.d\.ts|\.js)$/, '.ts');
  return `packages/${place.replace(/^cli\//, 'commands/')}`;
}

/** Folders that a build makes; packages/commands/test/e2e/package.long.test.ts packs and installs them. */
const BUILT = new Set(['dist', 'web/dist']);

describe('package.json', () => {
  it('is an ES module for Node 20 and later', () => {
    expect(manifest.type).toBe('module');
    expect(manifest.engines.node).toMatch(/^>=20\.\d+$/);
  });

  it('names a license whose text is in the package', () => {
    expect(manifest.license).toBe('Apache-2.0');
    expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toContain('Version 2.0, January 2004');
  });

  it('exports only files that the build makes, types beside code', () => {
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === 'string') {
        expect(existsSync(join(ROOT, target)), entry).toBe(true);
        continue;
      }
      expect(target.types, entry).toBe(
        target.default.replace('/dist/', '/dist/types/packages/').replace(/\.js$/, '.d.ts'),
      );
      for (const built of Object.values(target)) expect(existsSync(join(ROOT, sourceOf(built))), built).toBe(true);
    }
  });

  it('installs a command that the build makes and that Node can start', () => {
    for (const built of Object.values(manifest.bin)) {
      expect(readFileSync(join(ROOT, sourceOf(built)), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it('publishes what bin, exports and the README need, and nothing that is not there', () => {
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'configs', 'README.md', 'LICENSE']));
    for (const path of manifest.files.filter((one) => !one.startsWith('!')))
      if (!BUILT.has(path)) expect(existsSync(join(ROOT, path.replace(/\*.*$/, ''))), path).toBe(true);
  });
});

describe('dependencies', () => {
  it.each(Object.entries(manifest.dependencies))('%s is pinned to the version that is tested: %s', (name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(readJson<{ version: string }>('node_modules', name, 'package.json').version).toBe(version);
  });

  it.each(Object.keys(manifest.dependencies))('%s runs no script when it is installed', (name) => {
    const { scripts = {} } = readJson<{ scripts?: Record<string, string> }>('node_modules', name, 'package.json');
    expect(INSTALL_SCRIPTS.filter((script) => script in scripts)).toEqual([]);
  });

  it('neither does anything that they bring along', () => {
    const { packages } = readJson<LockFile>('node_modules/.package-lock.json');
    const scripted = Object.entries(packages).filter(
      ([path, entry]) => path !== '' && entry.hasInstallScript && !entry.dev,
    );
    expect(scripted.map(([path]) => path)).toEqual([]);
  });

  it('are exactly the packages that src/ and packages/ import, besides optional peers', () => {
    const sources = ['src', 'packages']
      .flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
      )
      .filter((path) => path.endsWith('.ts') && !path.includes('assembly') && !path.endsWith('binaries.ts'))
      // The report's page is bundled into a text, with the licences of what it holds; tests are not in the package.
      .filter((path) => !/^packages.(?:report.page|[^/\\]+.test\b)/.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8'));
    // At the start of a line: an import in a doc comment's example is not one.
    const atStart = /^(?:import|export|\}) ?.*\bfrom '((?:@[^/']+\/)?[^./'][^/']*)/gm;
    const whenNeeded = /\bimport\('((?:@[^/']+\/)?[a-z][^/']*)/g;
    const namesIn = (text: string): string[] =>
      [atStart, whenNeeded].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] as string));
    const names = new Set(sources.flatMap(namesIn));
    for (const name of names) if (name.startsWith('node:') || name in manifest.peerDependencies) names.delete(name);
    expect([...names].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });
});
