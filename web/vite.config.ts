/** The page: `npm run demo` serves it, `npm run build:web` writes web/dist, a static folder for any host and any path. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { thirdPartyNotices } from '../tools/third_party_notices.mjs';
import { packagedEngine } from './packaged_engine.mjs';
import { precache } from './precache.mjs';

// Threads of WebAssembly need these; the static build brings service_worker.js, which adds them.
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const root = fileURLToPath(new URL('.', import.meta.url));

/** Crawlers of link previews want whole addresses: the host's, where the build is told it. */
const preview = {
  name: 'preview-address',
  transformIndexHtml: (html: string): string => {
    const { RLVR_PAGE_URL: host } = process.env;
    return host === undefined ? html : html.replace('./preview.png', new URL('preview.png', host).href);
  },
};

/** A first visit does not load the blanks that lines begin with. */
const indentation = {
  name: 'indentation',
  apply: 'build' as const,
  transformIndexHtml: { order: 'post' as const, handler: (html: string): string => html.replace(/\n\s+/g, '\n') },
};

// The engine's worker comes bundled, with notices of its own.
const engine = fileURLToPath(new URL('../dist/web/', import.meta.url));
const notices = thirdPartyNotices([`${engine}THIRD_PARTY_NOTICES.txt`]);

export default defineConfig({
  root,
  base: './',
  // What npm publishes, not the sources: the page is a user like any other.
  resolve: { alias: { 'rlvr-train/web': fileURLToPath(new URL('../dist/web/index.js', import.meta.url)) } },
  server: { headers, host: '127.0.0.1', fs: { allow: ['..'] } },
  preview: { headers, host: '127.0.0.1' },
  plugins: [
    preview,
    indentation,
    packagedEngine(engine),
    notices.collect,
    notices.write,
    precache(fileURLToPath(new URL('./service_worker.js', import.meta.url))),
  ],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    // The page has none of them; named here, or 1.2 MB that nothing asks for would be written beside it.
    rolldownOptions: {
      input: ['index.html', 'lend.html', 'model.html'].map((page) => `${root}${page}`),
      external: ['@sqlite.org/sqlite-wasm', 're2js', '@cfworker/json-schema'],
    },
  },
});
