/** What a figure of k samples asks of a stage. */
import { ConfigError } from '../../../../../src/errors.ts';

/** @throws ConfigError where an evaluation has fewer samples of a problem */
export function requireSamples(id: string, k: number, most: number): void {
  if (k <= most) return;
  const rule = `needs ${k} samples of a problem; raise num_generations_eval (now ${most}) or lower k`;
  throw new ConfigError('bad-option', `evaluation_figures: ${id}.k: ${k} — ${rule}.`, { key: 'k', value: k });
}
