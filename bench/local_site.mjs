/** Pages of this machine, for benchmarks in a browser. */
import { createServer } from 'node:http';
import { extname } from 'node:path';

/** Headers by which a page has shared memory. */
export const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/json',
};

/** Media type of a file, by its name. */
export function typeOf(file) {
  return TYPES[extname(file)] ?? 'application/octet-stream';
}

/** A server of loopback. @param answer  called with the path that was asked for, request and response @param port  default: a free one */
export async function serveLocally(answer, port = 0) {
  const server = createServer((request, response) =>
    answer(new URL(request.url, 'http://localhost').pathname, request, response),
  );
  await new Promise((listening) => server.listen(port, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
