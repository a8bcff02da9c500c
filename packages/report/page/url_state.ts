/** What is looked at, in the address after `#`: a link restores it. The report's file keeps it as well as a server's page. */
import type { View } from './charts/chart_lines.ts';
import type { Axis } from './track.ts';

const AXES: readonly string[] = ['step', 'time', 'tokens'] satisfies Axis[];

/** The completions that are shown: a stage, by its position in the run, and a step of it. */
export interface ShownStep {
  readonly stage: number;
  readonly step: number;
}

/** Sets keys of the address; undefined takes one away. */
export function writeState(changes: Readonly<Record<string, string | undefined>>): void {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) state.delete(key);
    else state.set(key, value);
  }
  const text = state.toString();
  if (text !== location.hash.slice(1)) {
    history.replaceState(null, '', text === '' ? location.pathname + location.search : `#${text}`);
  }
}

/** One key of the address; null where it does not say. */
export function readState(key: string): string | null {
  return new URLSearchParams(location.hash.slice(1)).get(key);
}

/** What the address says of the curves; anything else in it is passed over. @param stages  of the run */
export function readView(stages: number): Partial<View> {
  const state = new URLSearchParams(location.hash.slice(1));
  const [axis, stage, scale] = [state.get('over'), state.get('stage'), state.get('scale')];
  const smoothing = numberIn(state.get('smoothing'));
  const [low, high] = (state.get('part') ?? '').split('~').map((text) => numberIn(text));
  return {
    ...(axis !== null && AXES.includes(axis) && { axis: axis as Axis }),
    ...(stage !== null && /^\d+$/.test(stage) && Number(stage) < stages && { stage: Number(stage) }),
    ...(scale === 'log' && { scale }),
    ...(smoothing !== undefined && smoothing >= 0 && smoothing < 1 && { smoothing }),
    ...(low !== undefined && high !== undefined && low < high && { zoom: { low, high } }),
    ...(state.has('off') && { hidden: new Set(state.getAll('off').flatMap((list) => list.split('|'))) }),
  };
}

/** What of the curves was set by hand. */
export function writeView({ axis, stage, scale, smoothing, zoom, hidden }: Partial<View>): void {
  writeState({
    over: axis,
    stage: stage === undefined || stage === 'all' ? undefined : String(stage),
    scale: scale === 'log' ? scale : undefined,
    smoothing: smoothing === undefined ? undefined : String(smoothing),
    part: zoom ? `${Number(zoom.low.toPrecision(6))}~${Number(zoom.high.toPrecision(6))}` : undefined,
    off: hidden && hidden.size > 0 ? [...hidden].join('|') : undefined,
  });
}

export function readStep(): ShownStep | undefined {
  const [, stage, step] = /^(\d+)-(\d+)$/.exec(new URLSearchParams(location.hash.slice(1)).get('step') ?? '') ?? [];
  return step === undefined ? undefined : { stage: Number(stage), step: Number(step) };
}

function numberIn(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
