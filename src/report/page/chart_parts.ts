/** The drawing of a panel: axes, grounds of the stages, bands, curves, marks. Pixels in, SVG out. */
import { formatTick, type Kind } from '../format.ts';
import type { Line } from './chart_lines.ts';
import { shape } from './dom.ts';
import { type Domain, ticksOf } from './scales.ts';

const MARGIN = { left: 46, right: 12, top: 18, bottom: 22 } as const;
const PIXELS_A_TICK = 70;

/** Where values lie in a drawing of `width` × `height` pixels. */
export class Frame {
  readonly x: Domain;
  readonly y: Domain;
  readonly left = MARGIN.left;
  readonly right: number;
  readonly top = MARGIN.top;
  readonly bottom: number;

  constructor(x: Domain, y: Domain, width: number, height: number) {
    this.x = x;
    this.y = y;
    this.right = width - MARGIN.right;
    this.bottom = height - MARGIN.bottom;
  }

  pixelX(value: number): number {
    return rounded(this.left + ((this.right - this.left) * (value - this.x.low)) / (this.x.high - this.x.low));
  }

  pixelY(value: number): number {
    return rounded(this.bottom - ((this.bottom - this.top) * (value - this.y.low)) / (this.y.high - this.y.low));
  }

  /** The value of x at a share of the way from the left to the right of a drawing. */
  valueAt(share: number): number {
    const width = this.right + MARGIN.right;
    return this.x.low + ((share * width - this.left) / (this.right - this.left)) * (this.x.high - this.x.low);
  }
}

/** Levels with their values, at the left. */
export function verticalAxis(frame: Frame, count: number, kind: Kind): SVGElement[] {
  const { values, step } = ticksOf(frame.y, count);
  return values.flatMap((value) => {
    const y = frame.pixelY(value);
    return [
      shape('line', { class: value === 0 ? 'zero' : 'grid', x1: frame.left, x2: frame.right, y1: y, y2: y }),
      shape('text', { x: frame.left - 6, y: y + 3.5, 'text-anchor': 'end' }, formatTick(value, step, kind)),
    ];
  });
}

/** Values of x, below. @param offset  of x where the numbers begin to count */
export function horizontalAxis(frame: Frame, offset: number, isTime: boolean): SVGElement[] {
  const domain = { low: frame.x.low - offset, high: frame.x.high - offset };
  const count = Math.max(2, Math.floor((frame.right - frame.left) / PIXELS_A_TICK));
  const { values, step } = ticksOf(domain, count, isTime);
  return values.map((value) => {
    const x = frame.pixelX(value + offset);
    const isLast = x > frame.right - 14;
    const place = { x: isLast ? frame.right + 8 : x, y: frame.bottom + 16, 'text-anchor': isLast ? 'end' : 'middle' };
    return shape('text', place, formatTick(value, step, isTime ? 'seconds' : 'number'));
  });
}

/** A ground for every other stage, and their names where there is room. */
export function stageGrounds(
  frame: Frame,
  stages: readonly { readonly name: string; readonly begin: number; readonly end: number }[],
): SVGElement[] {
  return stages.flatMap(({ name, begin, end }, i) => {
    const [x, width] = [frame.pixelX(begin), frame.pixelX(end) - frame.pixelX(begin)];
    const place = { x, y: frame.top, width, height: frame.bottom - frame.top };
    const ground = shape('rect', { class: i % 2 === 0 ? 'stage' : 'stage other', ...place });
    return width < 30 ? [ground] : [ground, shape('text', { class: 'name', x: x + 5, y: frame.top + 12 }, name)];
  });
}

/** The interval around a line, where it has one. */
export function band(frame: Frame, { low, high, x, color, series }: Line): SVGElement[] {
  if (series.low === undefined) return [];
  const point = (at: number, y: number): string => `${frame.pixelX(at)},${frame.pixelY(y)}`;
  const there = x.map((at, i) => point(at, high[i] ?? 0));
  const back = x.map((at, i) => point(at, low[i] ?? 0)).reverse();
  return [shape('polygon', { class: `band ${color}`, points: [...there, ...back].join(' ') })];
}

/** The line, over a faint one of single values where it is an average; dots where each point is a measurement. */
export function curve(frame: Frame, line: Line, isAverage: boolean): SVGElement[] {
  const { series, x, color, values, averages } = line;
  const drawn = shape('path', { class: `curve ${color}`, d: path(frame, line, averages) });
  if (series.isMeasured || x.length === 1) {
    const dot = (at: number, i: number): SVGElement =>
      shape('circle', { class: color, cx: frame.pixelX(at), cy: frame.pixelY(values[i] ?? 0), r: 3 });
    return [drawn, ...x.map(dot)];
  }
  return isAverage && !series.isExact
    ? [shape('path', { class: `curve raw ${color}`, d: path(frame, line, values) }), drawn]
    : [drawn];
}

/** A stage's line begins anew: between two stages nothing was measured. Evaluations are of one policy throughout. */
function path(frame: Frame, { x, stages, series }: Line, ys: readonly number[]): string {
  return x
    .map((at, i) => {
      const isBreak = i === 0 || (!series.isMeasured && stages[i] !== stages[i - 1]);
      return `${isBreak ? 'M' : 'L'}${frame.pixelX(at)} ${frame.pixelY(ys[i] ?? 0)}`;
    })
    .join('');
}

/** Where the cursor is, above the curves: beside its line, on the side that has room. */
export function cursorLabel(frame: Frame, x: number, text: string): SVGElement {
  const isRight = x > (frame.left + frame.right) / 2;
  return shape(
    'text',
    { x: isRight ? x + 4 : x - 4, y: frame.top - 6, 'text-anchor': isRight ? 'end' : 'start' },
    text,
  );
}

/** Small triangles on the axis. */
export function marks(frame: Frame, xs: readonly number[]): SVGElement[] {
  const inSight = xs.filter((x) => x >= frame.x.low && x <= frame.x.high).map((x) => frame.pixelX(x));
  return [...new Set(inSight)].map((x) =>
    shape('path', { class: 'mark', d: `M${x - 4} ${frame.bottom + 1}h8l-4 -7z` }),
  );
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
