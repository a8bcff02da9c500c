/**
 * The report: one HTML page of a run, made of its directory alone, with everything inside.
 *
 * The page asks nothing of a network and its policy forbids it to. It runs one script, known to the policy by its
 * hash; a completion reaches the page as JSON and is shown as text, so what a policy writes is never run.
 */
import type { Store } from '../../src/run/store/store.ts';
import { readCompletions } from './completion_groups.ts';
import type { ReportData } from './data.ts';
import { pageHtml } from './page_html.ts';
import { readRun } from './read_run.ts';
import type { RunLog } from './run_log.ts';
import { renderBody } from './sections.ts';

/** Bytes of a page, at most; what the rest of it leaves is for completions. */
const MOST_BYTES = 950_000;

/**
 * @param name  what the page calls the run: the name of its directory
 * @param log  what was read of the run's metrics before
 * @returns HTML below 1 MB, for a run that has finished as for one under way
 * @throws CheckpointError where the directory holds no run, or a file of it cannot be read
 */
export async function makeReport(store: Store, name: string, log?: RunLog): Promise<string> {
  const run = await readRun(store, log);
  const { curves, newestStep } = run;
  const page = async (completions: ReportData['completions']): Promise<string> =>
    pageHtml(name, renderBody(name, run), { page: 'report', ...curves, completions });
  const stages = curves.stages.map(({ stage }) => stage);
  const empty = await page({ groups: [], reasons: [], rewardNames: [], stepsRecorded: 0, stepsKept: 0, isEnd: false });
  const left = MOST_BYTES - new TextEncoder().encode(empty).length;
  return page(await readCompletions(run.completions, stages, left, run.summary ? undefined : newestStep));
}
