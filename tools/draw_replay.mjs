// Draws docs/replay.svg, the moving picture of the README: what the training page replays of its recorded run, a moment after
// another, from Debian's Chromium on the built page (`npm run build:web`). Where less motion is asked for, it shows the last
// moment alone. To be run when the recording or its view changes:
//   node tools/draw_replay.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { preview } from 'vite';
import { startChromium } from '../bench/chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUT = 'docs/replay.svg';
const MOST_BYTES = 400_000;
/** Pixels of the picture. */
const SIZE = { width: 800, height: 640 };
/** Seconds that a moment is seen, and the last one. */
const MOMENT = 1.2;
const LAST = 5;
/** The replay alone, and of that what moves. */
const STYLE = `
  #replay > p:not(.replay-moment) { display: none; }
  #replay > .buttons { position: absolute; opacity: 0; }
  #replay { position: fixed; z-index: 9; inset: 0; padding: 16px 24px; background: var(--ground, Canvas); overflow: hidden; }`;

const server = await preview({
  configFile: false,
  root: `${root}web`,
  logLevel: 'silent',
  preview: { host: '127.0.0.1', port: 0 },
});
const browser = await startChromium({ webgpu: false });
try {
  const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce', colorScheme: 'light' });
  page.setDefaultTimeout(300_000);
  await page.goto(`${server.resolvedUrls.local[0]}#preset=countdown`);
  await page.waitForSelector('#replay .completion'); // a link to a recorded experiment replays it at once
  const slider = page.locator('#replay input');
  const count = 1 + Number(await slider.getAttribute('max'));
  await page.addStyleTag({ content: STYLE });
  const pictures = [];
  let before;
  for (let moment = 0; moment < count; moment++) {
    if (moment > 0) await slider.press('ArrowRight');
    const pixels = await page.evaluate(pixelsOf, (await page.screenshot()).toString('base64'));
    pictures.push(changesOf(pixels, before).toString('base64'));
    before = pixels;
  }
  const said = await page.textContent('#replay .replay-moment');
  const svg = moving(pictures, said);
  if (svg.length > MOST_BYTES) throw new Error(`${OUT} has ${svg.length} bytes`);
  writeFileSync(`${root}${OUT}`, svg);
  console.log(OUT, svg.length);
} finally {
  await browser.close();
  await server.close();
}

/** Runs in the page. @returns the pixels, each as red, green, blue and 255 */
async function pixelsOf(shot) {
  const picture = new Image();
  picture.src = `data:image/png;base64,${shot}`;
  await picture.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  return [...new Uint32Array(data.buffer)];
}

/** A PNG of the pixels that the picture before does not have, with a palette: half of what Chromium writes. */
function changesOf(pixels, before) {
  const { width, height } = SIZE;
  const isNew = (_, i) => before?.[i] !== pixels[i];
  const counts = new Map();
  for (const pixel of pixels.filter(isNew)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const all = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one)).map(channels);
  const palette = [[0, 0, 0], ...all.slice(0, 255)]; // index 0 is transparent
  const indexOf = new Map([...counts.keys()].map((pixel) => [pixel, nearest(channels(pixel), palette)]));
  const rows = Buffer.alloc((width + 1) * height); // each begins with 0, no filter
  for (const [i, pixel] of pixels.entries()) {
    if (isNew(pixel, i)) rows[i + Math.floor(i / width) + 1] = indexOf.get(pixel);
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]); // 8 bits, a palette
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('tRNS', Buffer.of(0)),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.of()),
  ]);
}

function channels(pixel) {
  return [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
}

/** Index of the colour that is most like this one, from 1. */
function nearest(colour, palette) {
  const distances = palette.map((one) => Math.hypot(...one.map((channel, i) => channel - colour[i])));
  return distances.indexOf(Math.min(...distances.slice(1)), 1);
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Each picture lies on those before it from its moment on. */
function moving(pictures, said) {
  const seconds = (pictures.length - 1) * MOMENT + LAST;
  const images = pictures.map(
    (png, i) => `<image class="m${i}" width="100%" height="100%" href="data:image/png;base64,${png}"/>`,
  );
  const times = pictures.slice(1).map((_, i) => {
    const from = ((100 * (i + 1) * MOMENT) / seconds).toFixed(2);
    return `@keyframes m${i + 1}{0%{opacity:0}${from}%{opacity:1}}.m${i + 1}{animation:m${i + 1} ${seconds}s step-end infinite}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img">
<title>A recorded run learns to search, evaluation by evaluation. The last: ${said}</title>
<style>@media(prefers-reduced-motion:no-preference){${times.join('')}}</style>
${images.join('\n')}
</svg>
`;
}
