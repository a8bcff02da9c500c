/** The curves of a whole log at once, for tests; the page and the report read it as it grows. */
import type { JsonObject } from '../../../src/run/json.ts';
import { CurveReader, type Curves } from '../series.ts';

/** @param planned  stages of the config, in order */
export function readCurves(lines: readonly JsonObject[], planned: readonly { readonly stage: string }[]): Curves {
  const reader = new CurveReader(planned);
  for (const line of lines) reader.read(line);
  return reader.curves();
}
