/** The page comes alive: a report by the data that it carries, the others by what their server tells. */
import type { PageData, ReportData } from '../data.ts';
import { ChartSection, sourceOf } from './charts/charts.ts';
import { showOverlay } from './charts/overlay.ts';
import { forget, setTheme } from './charts/palette.ts';
import { CompletionsViewer } from './completions.ts';
import { byId } from './dom.ts';
import { showListedRuns } from './listed_runs.ts';
import { showLiveRun } from './live_run.ts';
import { Curves } from './track.ts';

const data = JSON.parse(byId('data').textContent ?? '') as PageData; // written by page_html.ts, of this type
if (data.page === 'report') showReport(data);
if (data.page === 'run') showLiveRun(data.run);
if (data.page === 'overlay') showOverlay(data.runs);
if (data.page === 'runs') showListedRuns(byId('runs'));

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
};
byId('theme').addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', forget);

// Paper is light; what a canvas holds does not follow by itself.
let onScreen: string | undefined;
addEventListener('beforeprint', () => {
  onScreen = document.documentElement.dataset.theme;
  setTheme('light');
});
addEventListener('afterprint', () => setTheme(onScreen));

function showReport(data: ReportData): void {
  const curves = new Curves(data);
  const completions = byId('completions');
  const viewer = new CompletionsViewer(completions, curves);
  const charts = new ChartSection(byId('charts'), (position) => {
    viewer.goTo(position);
    completions.scrollIntoView({ block: 'start' });
  });
  charts.update(sourceOf(curves));
}
