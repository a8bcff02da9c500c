/** One palette: no page has a colour of its own, and what curves mean is read on every ground. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, it } from 'vitest';
import { PANELS } from '../../../web/src/curve_tables.ts';

const PALETTE = 'packages/report/page/palette.css';
const FOLDERS = ['packages/report/page', 'web/src', 'site/page'];
/** A colour that is written out. */
const COLOR = /#[0-9a-f]{3,8}\b(?![\w-])|\b(?:rgba?|hsla?|oklch)\(\s*[\d.]/gi;

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ['.css', '.ts'].includes(extname(name)))
    .map((name) => join(folder, name)),
);
const palette = new Map(
  [...readFileSync(PALETTE, 'utf8').matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Of a name, in light and in dark. */
function colorsOf(name: string): readonly [light: string, dark: string] {
  const value = palette.get(name) ?? '';
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (other !== undefined) return colorsOf(other);
  const [, light = '', dark = ''] = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value) ?? [];
  return [light, dark];
}

/** Of WCAG 2. */
function contrast(a: string, b: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

it('colours are written out in the palette alone', () => {
  const written = sources
    .filter((path) => path !== PALETTE)
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8').replace(
        /\/\*[\s\S]*?\*\/|\/\/.*|(?:this|object|other|import)\.#\w+|^\s*(?:readonly )?#\w+/gm,
        '',
      );
      const styles = extname(path) === '.css' ? text.replace(/(?:^|[\s,>(])#[\w-]+(?=[^;{}]*\{)/gm, '') : text;
      return (styles.match(COLOR) ?? []).map((color) => `${path}: ${color}`);
    });
  expect(written).toEqual([]);
});

it('every colour that a page names is in the palette, or is set by the page', () => {
  const texts = sources.map((path) => readFileSync(path, 'utf8'));
  const set = new Set(texts.flatMap((text) => [...text.matchAll(/--([\w-]+)['"]?(?::|, )/g)].map(([, name]) => name)));
  const named = texts.flatMap((text) => [...text.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = '']) => name));
  expect(named.length).toBeGreaterThan(200);
  expect([...new Set(named)].filter((name) => !set.has(name))).toEqual([]);
});

it('curves of the training page are coloured by what they mean', () => {
  for (const { curve, color } of PANELS) expect(color).toBe(curve === 'accuracy' ? '--greedy' : '--train');
});

it.each([
  'greedy',
  'sampled',
  'reach',
  'train',
  'a',
  'b',
  'up',
  'down',
  ...Array.from({ length: 8 }, (_, i) => `c${i}`),
])('%s is told from the ground of a chart, in light and in dark', (name) => {
  const surfaces = colorsOf('surface');
  for (const [i, color] of colorsOf(name).entries()) {
    expect(contrast(color, surfaces[i] ?? ''), `${name} ${color}`).toBeGreaterThanOrEqual(3);
  }
});

it.each(['ink', 'faint', 'right', 'wrong', 'warn', 'accent', 'up', 'greedy', 'sampled', 'a', 'b'])(
  '%s can be read as text',
  (name) => {
    for (const ground of ['surface', 'ground', 'shade']) {
      const grounds = colorsOf(ground);
      for (const [i, color] of colorsOf(name).entries()) {
        expect(contrast(color, grounds[i] ?? ''), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
  },
);
