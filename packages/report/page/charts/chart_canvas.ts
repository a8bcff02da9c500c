/** What a panel's canvas has besides uPlot's own lines and bands: grounds of the stages, their names, diagnoses. */
import type uPlot from 'uplot';
import { FONT } from './chart_look.ts';
import { paletteColor } from './palette.ts';

/** Pixels of a stage below which its name has no room. */
const LEAST_NAMED = 30;

export interface StageGround {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** A ground for every other stage, and their names where there is room. */
export function drawStages({ ctx, bbox, valToPos }: uPlot, stages: readonly StageGround[]): void {
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = FONT.replace('11px', `600 ${11 * ratio}px`);
  ctx.textBaseline = 'top';
  stages.forEach(({ name, begin, end }, i) => {
    const left = Math.max(bbox.left, valToPos(begin, 'x', true));
    const right = Math.min(bbox.left + bbox.width, valToPos(end, 'x', true));
    if (right <= left) return;
    if (i % 2 === 1) {
      ctx.fillStyle = paletteColor('--shade');
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.fillStyle = paletteColor('--faint');
    if (right - left > LEAST_NAMED * ratio) ctx.fillText(name, left + 5 * ratio, bbox.top + 3 * ratio);
  });
  ctx.restore();
}

/** Small triangles on the axis. */
export function drawMarks({ ctx, bbox, valToPos }: uPlot, xs: readonly number[]): void {
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height + ratio;
  ctx.save();
  ctx.fillStyle = paletteColor('--warn');
  const places = xs.map((x) => Math.round(valToPos(x, 'x', true)));
  for (const x of new Set(places.filter((at) => at >= bbox.left && at <= bbox.left + bbox.width))) {
    ctx.beginPath();
    ctx.moveTo(x - 4 * ratio, bottom);
    ctx.lineTo(x + 4 * ratio, bottom);
    ctx.lineTo(x, bottom - 7 * ratio);
    ctx.fill();
  }
  ctx.restore();
}
