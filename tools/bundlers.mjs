// Bundles the page of docs/browser.md from the package's tarball with Vite, webpack 5, esbuild and Next, each as it is without
// a configuration, and trains in Chromium what each has made: `node tools/bundlers.mjs [NAME…]`. Needs the npm registry,
// Chromium, a minute for each, and `npm run build` before.
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
const MOST_MS = 300_000;
const NEXT_PORT = 43_117;

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
      'node_modules/rlvr-train/dist/web/engine_worker.js',
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

const run = (folder, ...words) => execFileSync(words[0], words.slice(1), { cwd: folder, encoding: 'utf8' });

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

/** Next serves by itself. */
async function serveNext(folder) {
  const child = spawn('node_modules/.bin/next', ['start', '-p', `${NEXT_PORT}`], { cwd: folder });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => /ready/i.test(text) && resolve());
    child.on('exit', (code) => reject(new Error(`next start ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${NEXT_PORT}/`, close: () => child.kill() };
}

/** Resolves once the page has logged that many steps. */
async function trains(browser, url) {
  const page = await browser.newPage();
  try {
    await new Promise((resolve, reject) => {
      const lines = [];
      const late = setTimeout(
        () => reject(new Error(`no ${STEPS} steps; the page said ${lines.join(' | ')}`)),
        MOST_MS,
      );
      page.on('console', (message) => {
        lines.push(message.text());
        if (!new RegExp(`^${STEPS} [\\d.]+$`).test(message.text())) return;
        clearTimeout(late);
        resolve();
      });
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
  for (const [name, { packages, words, made }] of Object.entries(BUNDLERS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const home = join(folder, name);
    mkdirSync(join(home, 'app'), { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type": "module", "private": true}');
    writeFileSync(join(home, 'main.js'), text);
    writeFileSync(join(home, 'index.html'), PAGE);
    if (name === 'next') {
      writeFileSync(join(home, 'app/page.jsx'), NEXT_PAGE);
      writeFileSync(join(home, 'app/layout.jsx'), NEXT_LAYOUT);
    }
    run(home, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename), ...packages);
    const begun = Date.now();
    run(home, 'npx', '--no-install', ...words);
    const seconds = (Date.now() - begun) / 1000;
    if (name === 'webpack' || name === 'esbuild') writeFileSync(join(home, made, 'index.html'), PAGE);
    const { files, bytes } = filesOf(join(home, made));
    const site = name === 'next' ? await serveNext(home) : await serve(join(home, made));
    try {
      await trains(browser, site.url);
    } finally {
      site.close();
    }
    process.stdout.write(
      `${name}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, built in ${seconds.toFixed(0)} s, trains\n`,
    );
    if (files > MOST_FILES) process.exitCode = 1;
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
