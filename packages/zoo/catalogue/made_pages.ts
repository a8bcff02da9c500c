/** The pages of docs/reference that are made of the declarations: by path in that folder, as Markdown that ends in a newline. */
import { UNSUPPORTED_MODEL_KEYS } from '../elsewhere/trl_keys.ts';
import { cataloguePage } from './catalogue_page.ts';
import { optionTable, tableCell } from './catalogue_words.ts';
import { keyPlaces } from './key_facts.ts';
import { methodFacts } from './method_facts.ts';
import { type BesideDeclaration, methodPage } from './method_page.ts';
import { METRIC_FACTS, type MetricPlace } from './metric_facts.ts';
import { type TrlKeys, trlTable } from './trl_table.ts';
import { catalogue } from './whole_catalogue.ts';

/**
 * @param trl  TRL's keys with their defaults, for the table of keys.md
 * @param besideOf  what the page of a method has that is not in its declaration
 */
export function madePages(trl: TrlKeys, besideOf?: (id: string) => BesideDeclaration): Map<string, string> {
  const page = methodPages(besideOf);
  return new Map([
    ['catalogue.md', cataloguePage(catalogue())],
    ['keys.md', keysPage(trl)],
    ['metrics.md', metricsPage()],
    ...catalogue().methods.map(({ name }) => [`methods/${name}.md`, page(name) ?? ''] as const),
  ]);
}

/** Makes the page of a method by its id; undefined where no method has it. @param besideOf  as of `madePages` */
export function methodPages(besideOf?: (id: string) => BesideDeclaration): (id: string) => string | undefined {
  const { methods, points } = catalogue();
  const facts = methodFacts();
  return (id) => {
    const method = methods.find(({ name }) => name === id);
    const does = points.find(({ name }) => name === method?.point)?.does ?? '';
    return method && methodPage(method, facts(id), does, besideOf?.(id));
  };
}

/** The page as Markdown, ending in a newline. */
export function keysPage(trl: TrlKeys): string {
  const parts = [
    '# Keys of a config',
    "Made of the declarations: `npm run docs` writes it. `rlvr-train explain KEY` says the same of one key. A key that TRL has too is spelled as there and means the same; where its default differs, the text says so. [TRL's keys](#from-trls-keys-to-these) go the other way. Tasks, rewards and methods with their options are in [the catalogue](catalogue.md).",
    ...keyPlaces().flatMap(({ title, where, keys }) => [`## ${title}`, where, optionTable(keys)]),
    "## From TRL's keys to these",
    'Every key of GRPOConfig, TrainingArguments included, and of SFTConfig, ModelConfig and the script; one without a default there is of other versions of TRL, or has that of the machine. A key that is not here, or is said otherwise, is accepted where it is written with a value that asks for what happens anyway, as GRPOConfig writes out its own defaults; else it is refused with this reason.',
    trlTable(trl),
    '## Keys of a config.json that are not here',
    'Under `model:`, refused in the same way.',
    refusedTable(),
  ];
  return `${parts.join('\n\n')}\n`;
}

function refusedTable(): string {
  const rows = Object.entries(UNSUPPORTED_MODEL_KEYS).map(
    ([name, { because }]) => `| \`${name}\` | ${tableCell(because)} |`,
  );
  return ['| key | why, and what to do |', '|---|---|', ...rows].join('\n');
}

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
