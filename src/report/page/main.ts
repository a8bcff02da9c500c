/** The report's page comes alive: reads the data that it carries, draws the curves, shows the completions. */
import type { ReportData } from '../data.ts';
import { showCharts } from './charts.ts';
import { showCompletions } from './completions.ts';
import { byId } from './dom.ts';
import { Curves } from './track.ts';

const data = JSON.parse(byId('data').textContent ?? '') as ReportData; // written by report.ts, of this type
const curves = new Curves(data);
const completions = byId('completions');
const goTo = showCompletions(completions, curves);
showCharts(byId('charts'), curves, (position) => {
  goTo(position);
  completions.scrollIntoView({ block: 'start' });
});

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
};
byId('theme').addEventListener('click', () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
});
