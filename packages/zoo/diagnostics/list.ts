/** What is looked for in a run, loaded as far as it is needed. */
import type { DiagnosticList } from '../../../src/diagnostics/diagnostic.ts';
import { START_DIAGNOSTICS } from './starts.ts';

export const DIAGNOSTICS: DiagnosticList = {
  start: START_DIAGNOSTICS,
  load: async () => (await import('./catalogue.ts')).RUN_DIAGNOSTICS,
};
