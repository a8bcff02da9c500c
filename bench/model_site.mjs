/** The page for pretrained models and, beside it, a model's file in ranges: two servers of this machine. */
import { existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from './command.mjs';
import { ISOLATED, serveLocally, typeOf } from './local_site.mjs';

const DIST = fileURLToPath(new URL('../web/dist', import.meta.url));

/**
 * @param model  a .gguf file
 * @param ports  of the page and of the model; by default free ones. What a browser keeps belongs to the page's
 * @returns what the caller sets on the way: `cuts`, how many of the next ranges break off in the middle, and `isOffline`
 */
export async function serveModelSite(model, [pagePort, modelPort] = []) {
  if (!existsSync(join(DIST, 'model.html'))) fail('web/dist/model.html — no such file; run npm run build.');
  const file = { descriptor: openSync(model), size: statSync(model).size };
  const site = { cuts: 0, isOffline: false };
  const serve = (answer, port) =>
    serveLocally(
      (path, request, response) => (site.isOffline ? response.destroy() : answer(path, request, response)),
      port,
    );
  const page = await serve(servePage, pagePort);
  const models = await serve((_, request, response) => serveRange(file, site, request, response), modelPort);
  const close = () => {
    page.close();
    models.close();
  };
  return Object.assign(site, { pageUrl: `${page.url}model.html`, modelUrl: `${models.url}SmolLM2.gguf`, close });
}

function servePage(path, _, response) {
  const file = join(DIST, path === '/' ? 'index.html' : path);
  if (!file.startsWith(DIST) || !existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'Content-Type': typeOf(file), ...ISOLATED });
  response.end(readFileSync(file));
}

/** To pages of any site. */
function serveRange({ descriptor, size }, site, { headers, method }, response) {
  const shared = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Expose-Headers': '*',
  };
  if (method === 'OPTIONS') return response.writeHead(204, shared).end();
  const [, begin = 0, last = size - 1] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
  const bytes = Buffer.alloc(Math.min(last, size - 1) - begin + 1);
  readSync(descriptor, bytes, 0, bytes.length, begin);
  response.writeHead(206, {
    ...shared,
    'Content-Range': `bytes ${begin}-${begin + bytes.length - 1}/${size}`,
    'Content-Length': bytes.length,
    ETag: '"one"',
  });
  if (begin === 0 || bytes.length === 1 || site.cuts === 0) return response.end(bytes);
  site.cuts--;
  response.write(bytes.subarray(0, bytes.length / 2));
  setTimeout(() => response.destroy(), 50);
}
