/** docs/reference/metrics.md: every number of metrics.jsonl, by where it is logged. */

import { tableCell } from './catalogue_words.ts';
import { METRIC_FACTS, type MetricPlace } from './metric_facts.ts';

const PLACES: Readonly<Record<MetricPlace, string>> = {
  'every step': 'Every step',
  'steps of grpo': 'Steps of a grpo stage',
  evaluations: 'Evaluations',
  diagnoses: 'Diagnoses',
};

/** The page as Markdown, ending in a newline. */
export function metricsPage(): string {
  const places = Object.keys(PLACES) as MetricPlace[]; // of the table above
  const parts = [
    '# Metrics',
    "What [metrics.jsonl](../run_directory.md#metricsjsonl), TensorBoard and other trackers show, under TRL's names where TRL has the number. `rlvr-train explain reward_std` says the same of one. `npm run docs` writes this page.",
    ...places.flatMap((place) => [`## ${PLACES[place]}`, table(place)]),
    '## Of methods',
    'A number that a method logs is called `<method>/<name>`, as `majority/share`; the [page of the method](catalogue.md#methods) says what it is, and `rlvr-train explain majority/share` where to look.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function table(place: MetricPlace): string {
  const rows = METRIC_FACTS.filter((metric) => metric.place === place).map(
    ({ name, text }) => `| \`${name}\` | ${tableCell(text)} |`,
  );
  return ['| metric | what it is |', '|---|---|', ...rows].join('\n');
}
