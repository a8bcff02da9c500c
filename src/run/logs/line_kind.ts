/**
 * The kind of a line of metrics.jsonl. Only lines of steps advance the count; others belong to a step before or after.
 */

/** `batch`: a generation batch that no step follows at once. */
export type LineKind = 'step' | 'batch' | 'evaluation' | 'diagnosis';

/** The kind of a line, whichever version wrote it. */
export function lineKind(line: Readonly<Record<string, unknown>>): LineKind {
  if (typeof line.diagnosis === 'string') return 'diagnosis';
  if (line.evaluation !== undefined) return 'evaluation';
  return line.batch === undefined ? 'step' : 'batch';
}
