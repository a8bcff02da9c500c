/**
 * The pages of `rlvr-train ui`: the runs of a folder, one run as it advances, several laid over each other. They are the
 * report's sections and its script; what changes, the script asks the server for.
 */
import { endOfLastLine } from '../../src/run/logs/log_lines.ts';
import type { Store } from '../../src/run/store/store.ts';
import { logLines } from '../trackers/log_lines.ts';
import { type MadeComparison, renderComparisons } from './compared.ts';
import { readCompletions } from './completion_groups.ts';
import type { CompletionsData, ServedRun } from './data.ts';
import { html } from './markup.ts';
import { pageHtml } from './page_html.ts';
import { readRun } from './read_run.ts';
import type { RunLog } from './run_log.ts';
import { renderBody } from './sections.ts';

/** Bytes at the end of completions.jsonl that a page shows: of a run under way few, since it asks again and again. */
const NEWEST_BYTES = { underWay: 256 * 1024, over: 32 * 1024 ** 2 } as const;
/** Bytes of JSON that a page gets of them. */
const MOST_JSON_BYTES = 500_000;

const THEME = html`<button type="button" id="theme" title="Switch between light and dark">Theme</button>`;

/**
 * @param folder     as it was given, for the title
 * @param canTrain   whether the server has the training page
 */
export async function makeRunsPage(folder: string, canTrain: boolean): Promise<string> {
  const body = html`
<header class="top">
  <div><h1>Runs</h1><p class="about">in the folder <code>${folder}</code></p></div>
  ${THEME}
</header>
<main>
  <nav class="ways" aria-label="Pages">
    ${canTrain ? html`<a href="train/">Train in this browser</a>` : undefined}
    <a href="docs/ui.md">About these pages</a>
    <a href="docs/README.md">All documentation</a>
  </nav>
  <div id="runs"></div>
</main>
<noscript><p class="notice">The list needs JavaScript.</p></noscript>`;
  return pageHtml('Runs', body, { page: 'runs' });
}

/** A run that pages are made of again and again. */
export interface KeptRun {
  readonly store: Store;
  /** What was read of it. */
  readonly log: RunLog;
}

/** @throws CheckpointError where the directory holds no run, or a file of it cannot be read */
export async function makeRunPage({ store, log }: KeptRun, run: ServedRun, canTrain: boolean): Promise<string> {
  const records = await readRun(store, log);
  const name = encodeURIComponent(run.name);
  const ways = html`
  <nav class="ways" aria-label="Pages">
    <a href="./">All runs</a>
    <a href="report?run=${name}" target="_blank">Report to keep</a>
    ${canTrain ? html`<a href="train/?run=${name}">Open in the training page</a>` : undefined}
  </nav>
  ${run.note === '' ? undefined : html`<p class="own-note">${run.note}</p>`}
  <section id="commands" class="commands" aria-label="Run"></section>`;
  const body = renderBody(run.title, { ...records, isRunning: run.isRunning }, ways);
  return pageHtml(run.title, body, { page: 'run', run });
}

/** @param comparisons  of the first group with each of the others, by their last evaluations */
export async function makeOverlayPage(
  runs: readonly ServedRun[],
  comparisons: readonly MadeComparison[],
): Promise<string> {
  const body = html`
<header class="top">
  <div><h1>Compare ${runs.length} runs</h1><p class="about">Finished runs whose configs differ in the seed alone are one curve.</p></div>
  ${THEME}
</header>
<main>
  <nav class="ways" aria-label="Pages"><a href="./">All runs</a></nav>
  <section aria-labelledby="runs-title"><h2 id="runs-title">Groups</h2><div id="groups"></div></section>
  <section aria-labelledby="curves-title"><h2 id="curves-title">Curves</h2><div id="charts"></div></section>
  ${
    comparisons.length === 0
      ? undefined
      : html`<section aria-labelledby="problems-title"><h2 id="problems-title">Problem by problem</h2>
  <p class="quiet">The last evaluations, with 95 % intervals over problems, and over seeds where a group has several.</p>
  ${renderComparisons(comparisons)}</section>`
  }
</main>
<noscript><p class="notice">Curves need JavaScript.</p></noscript>`;
  return pageHtml(`Compare ${runs.length} runs`, body, { page: 'overlay', runs });
}

/** The newest completions of a run, under way or not; of a long log its end alone. */
export async function newestCompletions({ store, log }: KeptRun): Promise<CompletionsData> {
  const run = await readRun(store, log);
  const size = (await store.size('completions.jsonl')) ?? 0;
  const most = NEWEST_BYTES[run.summary === undefined ? 'underWay' : 'over'];
  const begin = size <= most ? 0 : await endOfLastLine(store, 'completions.jsonl', size - most);
  const stages = run.curves.stages.map(({ stage }) => stage);
  // The end of a long log is of the last stage that samples.
  const last = stages.lastIndexOf('grpo');
  return readCompletions(
    (range) => logLines(store, 'completions.jsonl', range ?? { begin, end: size }),
    begin === 0 ? stages : stages.map((stage, i) => (i === last ? stage : `before ${stage}`)),
    MOST_JSON_BYTES,
    run.summary ? undefined : run.newestStep,
    begin > 0,
  );
}
