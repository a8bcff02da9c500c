/** A report: everything is here. */
import type { ReportData } from '../data.ts';
import { ChartSection, sourceOf } from './charts/charts.ts';
import { CompletionsViewer } from './completions.ts';
import { byId } from './dom.ts';
import { Curves } from './track.ts';

export function showReport(data: ReportData): void {
  const curves = new Curves(data);
  const completions = byId('completions');
  const viewer = new CompletionsViewer(completions, curves);
  const charts = new ChartSection(byId('charts'), (position) => {
    viewer.goTo(position);
    completions.scrollIntoView({ block: 'start' });
  });
  charts.update(sourceOf(curves));
}
