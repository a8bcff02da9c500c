/** The page: `npm run demo` serves it, `npm run build:web` writes web/dist, a static folder for any host and any path. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { thirdPartyNotices } from '../tools/third_party_notices.mjs';

// Threads of WebAssembly need these; the static build brings public/isolation.js, which adds them.
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const root = fileURLToPath(new URL('.', import.meta.url));

// The engine's worker comes bundled, with notices of its own.
const notices = thirdPartyNotices([fileURLToPath(new URL('../dist/web/THIRD_PARTY_NOTICES.txt', import.meta.url))]);

export default defineConfig({
  root,
  base: './',
  // What npm publishes, not the sources: the page is a user like any other.
  resolve: { alias: { 'rlvr-train/web': fileURLToPath(new URL('../dist/web/index.js', import.meta.url)) } },
  server: { headers, host: '127.0.0.1', fs: { allow: ['..'] } },
  preview: { headers, host: '127.0.0.1' },
  plugins: [notices.collect, notices.write],
  worker: { format: 'es', plugins: () => [notices.collect] },
  build: { outDir: 'dist', emptyOutDir: true, target: 'es2022', modulePreload: false },
});
