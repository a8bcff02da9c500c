/** The pages of the site, by what a reader wants to do. Every page is in one group; pages of methods are under the list of them. */

export interface Group {
  readonly title: string;
  /** Path of a Markdown file from the root of the repository, with or without an anchor, and how the menu calls it. */
  readonly pages: readonly (readonly [path: string, label: string])[];
}

/** Where a build of the training page is mounted, from the root of the site. */
export const TRAINING_PAGE = 'try/index.html';

export const HOME = 'README.md';

const METHODS = 'docs/reference/catalogue.md#methods';

export const NAVIGATION: readonly Group[] = [
  {
    title: 'Begin',
    pages: [
      [HOME, 'What it is'],
      ['docs/tutorial.md', 'Ten minutes: a task and a reward'],
      ['docs/search.md', 'A policy that tries'],
      ['docs/choosing.md', 'Choose a method, numbers, memory'],
      ['docs/glossary.md', 'Glossary'],
      ['docs/README.md', 'All pages, short answers'],
    ],
  },
  {
    title: 'Train',
    pages: [
      ['docs/command.md', 'The command and its config'],
      ['docs/run_directory.md', 'Resume a run, use its model'],
      ['docs/ui.md', 'Watch and compare runs'],
      ['docs/serve.md', "A server with OpenAI's API"],
      ['docs/diagnostics.md', 'Why does it not learn?'],
      ['docs/stages.md', 'Stages, levels, mixtures'],
      ['docs/trackers.md', 'Trackers'],
      ['docs/trl.md', 'Coming from TRL'],
      ['docs/reference/catalogue.md#tasks', 'Which tasks there are'],
    ],
  },
  { title: 'My own questions', pages: [['docs/datasets.md', 'Data sets and files of rows']] },
  {
    title: 'My own task',
    pages: [
      ['docs/own_task.md', 'Problems and a checker'],
      ['docs/environments.md', 'Multi-turn: tools, games'],
      ['docs/sandboxes.md', 'Sandboxes for programs'],
    ],
  },
  {
    title: 'A reward',
    pages: [
      ['docs/rewards.md', 'Built in, or your own'],
      ['docs/reference/catalogue.md#rewards', 'Which there are'],
      ['docs/plugins.md', 'Rules for code of yours'],
    ],
  },
  {
    title: 'A language model',
    pages: [
      ['docs/pretrained.md', 'Start from one, and export'],
      ['docs/gpu.md', 'On a GPU'],
    ],
  },
  {
    title: 'In a page',
    pages: [
      ['docs/browser.md', 'In a browser'],
      ['docs/reference/api/web.md', 'rlvr-train/web'],
    ],
  },
  {
    title: 'In a program',
    pages: [
      ['docs/run_directory.md#from-a-program', 'Ask a trained model'],
      ['docs/reference/api/library.md', 'rlvr-train'],
      ['docs/reference/api/node.md', 'rlvr-train/node'],
      ['docs/reference/api/rewards.md', 'rlvr-train/rewards'],
      ['docs/reference/api/tasks.md', 'rlvr-train/tasks'],
      ['docs/reference/api/methods.md', 'rlvr-train/methods'],
      ['docs/reference/api/tfjs.md', 'rlvr-train/tfjs'],
    ],
  },
  {
    title: 'Methods',
    pages: [
      [METHODS, 'Which there are'],
      ['docs/own_method.md', 'A method of your own'],
      ['docs/sampling.md', 'Which problems are asked'],
      ['docs/strategies.md', 'How completions are sampled'],
      ['docs/own_strategy.md', 'A strategy of your own'],
      ['docs/staleness.md', 'Batches sampled ahead'],
    ],
  },
  {
    title: 'Several machines',
    pages: [
      ['docs/fleet.md', 'A fleet'],
      ['docs/fleet_operations.md', 'Its server'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/reference/README.md', 'Overview'],
      ['docs/reference/catalogue.md', 'Tasks, rewards and methods'],
      ['docs/systems.md', 'Published systems'],
      ['docs/reference/keys.md', 'Keys of a config'],
      ['docs/reference/metrics.md', 'Metrics'],
      ['docs/reference/commands.md', 'Commands and flags'],
    ],
  },
  {
    title: 'Lab book',
    pages: [
      ['docs/measurements.md', 'Measurements'],
      ['docs/sampling_figures.md', 'What sampling costs and gains'],
      ['docs/how_it_is_tested.md', 'How it is tested'],
      ['docs/numerics.md', 'Numerics'],
      ['docs/kernels.md', 'Kernels and memory'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['CHANGELOG.md', 'Changes'],
    ],
  },
];

/** What a page without an entry of its own is marked under. */
const BELOW: readonly (readonly [folder: string, path: string])[] = [['docs/reference/methods/', METHODS]];

/**
 * The group of a page, and its entry there.
 * @throws Error for a page that no group has
 */
export function placeOf(page: string): { readonly group: Group; readonly entry: string } {
  const entry = BELOW.find(([folder]) => page.startsWith(folder))?.[1] ?? page;
  const group = NAVIGATION.find(({ pages }) => pages.some(([path]) => path === entry));
  if (group === undefined) throw new Error(`${page} is in no group of site/navigation.ts: add it to one`);
  return { group, entry };
}
