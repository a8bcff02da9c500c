// Bundles the page of docs/browser.md from the package's tarball with Vite, webpack 5, esbuild and Next, each as it is without
// a configuration, and trains in Chromium what each has made: `node tools/bundlers.mjs [NAME…]`. Needs the npm registry,
// Chromium, a minute of two cores for all four, and `npm run build` before.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChromium } from '../bench/chromium.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A page of one's own has no more files than this. */
const MOST_FILES = 30;
/** Steps that are waited for. */
const STEPS = 3;

/** By name: what is installed beside the package, and how a page is made of main.js. */
const BUNDLERS = {
  vite: { packages: ['vite@8'], words: ['vite', 'build'], made: 'dist' },
  webpack: {
    packages: ['webpack@5', 'webpack-cli'],
    words: ['webpack', '--mode', 'production', '--entry', './main.js'],
    made: 'dist',
  },
  esbuild: {
    packages: ['esbuild'],
    words: [
      'esbuild',
      'main.js',
      '../node_modules/rlvr-train/dist/web/engine_worker.js',
      '--bundle',
      '--format=esm',
      '--outdir=dist',
      '--entry-names=[name]',
    ],
    made: 'dist',
  },
  next: {
    packages: ['next@16', 'react@19', 'react-dom@19'],
    words: ['next', 'build'],
    made: '.next/static',
  },
};

const PAGE = '<!doctype html><script type="module" src="main.js"></script>';
const NEXT_PAGE = `'use client';
import { useEffect } from 'react';
export default function Page() {
  useEffect(() => { import('../main.js'); }, []);
  return null;
}
`;
const NEXT_LAYOUT = 'export default ({ children }) => <html><body>{children}</body></html>;\n';

const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
const run = (folder, ...words) => execFileSync(words[0], words.slice(1), { cwd: folder, encoding: 'utf8', env });

/** Every file in a folder, and their bytes. */
function filesOf(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return { files: files.length, bytes: files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) };
}

/** Serves a folder; `close` ends it. */
async function serve(folder) {
  const types = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer(({ url }, response) => {
    const name = url === '/' ? 'index.html' : decodeURIComponent(url.split('?')[0]);
    try {
      const bytes = readFileSync(join(folder, name));
      response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Next serves by itself, and says where. */
async function serveNext(folder) {
  const next = join(folder, '../node_modules/next/dist/bin/next');
  const child = spawn(process.execPath, [next, 'start', '-p', '0', '-H', '127.0.0.1'], { cwd: folder, env });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
      const [found] = /http:\S+(?=\s)/.exec(said) ?? [];
      if (found !== undefined && /ready/i.test(said)) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`next start ended with ${code}: ${said}`)));
  });
  return { url, close: () => child.kill() };
}

/** Resolves once the page has logged that many steps, and rejects at its first error. */
async function trains(browser, url) {
  const page = await browser.newPage();
  try {
    await new Promise((resolve, reject) => {
      page.on('console', (message) => new RegExp(`^${STEPS} [\\d.]+$`).test(message.text()) && resolve());
      page.on('pageerror', reject);
      page.goto(url).catch(reject);
    });
  } finally {
    await page.close();
  }
}

const [, text = ''] =
  /^## In a page of your own\n+```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(ROOT, 'docs/browser.md'), 'utf8')) ?? [];
const folder = mkdtempSync(join(tmpdir(), 'rlvr-bundlers-'));
const browser = await startChromium({ webgpu: false });
try {
  const [{ filename }] = JSON.parse(
    run(ROOT, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder),
  );
  const asked = process.argv.slice(2);
  const bundlers = Object.entries(BUNDLERS).filter(([name]) => asked.length === 0 || asked.includes(name));
  const packages = bundlers.flatMap(([, bundler]) => bundler.packages);
  const project = '{"type": "module", "private": true}';
  writeFileSync(join(folder, 'package.json'), project);
  run(
    folder,
    'npm',
    'install',
    '--silent',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    `./${filename}`,
    ...packages,
  );
  for (const [name, { words, made }] of bundlers) {
    const home = join(folder, name);
    mkdirSync(join(home, 'app'), { recursive: true });
    writeFileSync(join(home, 'package.json'), project);
    writeFileSync(join(home, 'main.js'), text);
    writeFileSync(join(home, 'index.html'), PAGE);
    if (name === 'next') {
      writeFileSync(join(home, 'app/page.jsx'), NEXT_PAGE);
      writeFileSync(join(home, 'app/layout.jsx'), NEXT_LAYOUT);
    }
    const begun = Date.now();
    run(home, join(folder, 'node_modules/.bin', words[0]), ...words.slice(1));
    const seconds = (Date.now() - begun) / 1000;
    if (name === 'webpack' || name === 'esbuild') writeFileSync(join(home, made, 'index.html'), PAGE);
    const { files, bytes } = filesOf(join(home, made));
    const site = name === 'next' ? await serveNext(home) : await serve(join(home, made));
    try {
      await trains(browser, site.url);
    } finally {
      site.close();
    }
    if (files > MOST_FILES) throw new Error(`${name} makes ${files} files of the page, more than ${MOST_FILES}`);
    process.stdout.write(
      `${name}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, built in ${seconds.toFixed(0)} s, trains\n`,
    );
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
