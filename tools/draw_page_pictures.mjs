// Draws the pictures of the page, in Debian's Chromium on the built page (`npm run build:web`): its icons and the picture
// of link previews in web/public, and docs/browser.png. To be run when the page looks different:
//   node tools/draw_page_pictures.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { startChromium } from '../bench/chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Most bytes of a picture. */
const MOST_BYTES = { 'web/public/preview.png': 150_000, 'docs/browser.png': 200_000 };
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
/** The icon of index.html, on the whole square: launchers cut their own shape out of it. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="100%" height="100%">
  <rect width="16" height="16" fill="#0b62d6"/>
  <path d="M4 11l3-4 3 2 2-4" fill="none" stroke="white" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`;

function write(path, bytes) {
  if (bytes.length > (MOST_BYTES[path] ?? 50_000)) throw new Error(`${path} has ${bytes.length} bytes`);
  writeFileSync(`${root}${path}`, bytes);
  console.log(path, bytes.length);
}

const server = await preview({
  configFile: false,
  root: `${root}web`,
  logLevel: 'silent',
  preview: { host: '127.0.0.1', port: 0, headers: HEADERS },
});
const browser = await startChromium({ webgpu: false });
try {
  for (const size of [192, 512]) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<body style="margin: 0">${ICON}</body>`);
    write(`web/public/icon-${size}.png`, await page.screenshot());
    await page.close();
  }
  const [url] = server.resolvedUrls.local;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}#preset=sort-digits`);
  await page.click('#train');
  await page.waitForFunction(() => Number(document.getElementById('bar')?.ariaValueNow) >= 160, undefined, {
    timeout: 600_000,
  });
  await page.click('#train');
  await page.waitForFunction(() => document.body.dataset.status === 'resting');
  await page.waitForTimeout(2000); // the charts take their last points, and the round ends
  write('docs/browser.png', await page.screenshot());
  await page.setViewportSize({ width: 1200, height: 630 });
  await page.waitForTimeout(500);
  write('web/public/preview.png', await page.screenshot());
} finally {
  await browser.close();
  await server.close();
}
