/** docs/systems.md: every system of the table, what it proposes and what of it is here. */
import { tableCell } from '../catalogue_words.ts';
import { RECIPE_SUBJECTS, SUBJECTS } from './papers.ts';
import { movesAsClaimed, shownText } from './shown.ts';
import type { System } from './system.ts';
import { configName, nearestText } from './system_config.ts';
import { type Part, type Place, type Status, type SystemState, systemStates, type Thing } from './system_state.ts';
import { SYSTEMS } from './table.ts';

/** What a method's row of the arena came to, in few words; undefined where it has none. */
export type ArenaWords = (id: string) => string | undefined;

/** The page as Markdown, ending in a newline. */
export function systemsPage(arenaOf: ArenaWords = () => undefined): string {
  const of = systemStates();
  const tables = (subjects: typeof SUBJECTS): string[] =>
    subjects.flatMap(({ title, systems }) => [
      `## ${title}`,
      [
        '| system | proposes | here |',
        '|---|---|---|',
        ...systems.map((system) => row(system, of(system), arenaOf)),
      ].join('\n'),
    ]);
  const recipes = RECIPE_SUBJECTS.flatMap(({ systems }) => systems);
  const parts = [
    '# Published systems',
    'What each proposes, and what of it runs here. `rlvr-train explain NAME` prints an entry with the lines of a config that run it; `rlvr-train --config systems/NAME` trains the config that is linked here, on a small task.',
    countsText(SYSTEMS.map(of)),
    '- **run here**: each of its parts is in its config, where its lines name it or by default; where its subject is images, screens or robots, each part that transfers to text.\n- **parts here**: some are in its config; others are missing, or here and not in it, or here in another form.\n- **not here**: nothing of it, and why.',
    'In brackets after a method: its row of the [arena](choosing.md#more-right-answers-or-the-same-more-often), mean@16 beside the baseline in points with its 95 % interval, on countdown where nothing else is said.',
    ...claimsTexts([...SUBJECTS, ...RECIPE_SUBJECTS]),
    ...tables(SUBJECTS),
    `${recipes.length} recipes that are known by name are the last tables; they are not in the counts above.`,
    ...tables(RECIPE_SUBJECTS),
    'Made by `npm run docs` from `packages/zoo/catalogue/papers/`; what is here is read from the registry of methods, rewards and tasks.',
  ];
  return `${parts.join('\n\n')}\n`;
}

/** By subject, how many of the configs show what their papers claim; nothing where none was trained to the end. */
function claimsTexts(subjects: typeof SUBJECTS): string[] {
  const rows = subjects.flatMap(({ title, systems }) => {
    const shown = systems.flatMap((system) => movesAsClaimed(system) ?? []);
    return shown.length === 0 ? [] : [{ title, all: shown.length, moved: shown.filter((moves) => moves).length }];
  });
  const sum = (of: 'all' | 'moved'): number => rows.reduce((total, row) => total + row[of], 0);
  if (rows.length === 0) return [];
  return [
    `Each config was trained as it ships and without the system's lines, with the same seeds (\`npm run systems\`). What its paper claims is a figure that moves beside plain GRPO, or rises from where reinforcement began. It moves as claimed, beyond the 95 % interval over seeds, for ${sum('moved')} of ${sum('all')} systems; of those that do nothing one in forty would seem to. The others are marked: at this size, with these seeds, the paper's gain is not seen.`,
    [
      '| | trained | as claimed |',
      '|---|---|---|',
      ...rows.map(({ title, all, moved }) => `| ${title} | ${all} | ${moved} |`),
    ].join('\n'),
  ];
}

/** How many systems run here and so on, and how many of the mechanisms are here. */
export function countsText(states: readonly SystemState[]): string {
  const count = (status: Status): number => states.filter((state) => state.status === status).length;
  const parts = new Map(states.flatMap((state) => state.parts.map((part) => [part.id, part] as const)));
  const missing = [...parts.values()].filter(({ at }) => at === 'nowhere').length;
  const partly = [...parts.values()].filter(({ lacks }) => lacks !== undefined).length;
  return `${states.length} systems: ${count('run here')} run here, of ${count('parts here')} parts are here, ${count('not here')} are not here. They are made of ${parts.size} mechanisms: ${parts.size - missing - partly} are here, ${partly} in part, ${missing} are missing.`;
}

function row(system: System, state: SystemState, arenaOf: ArenaWords): string {
  const { name, arxiv, does } = system;
  const source = arxiv === undefined ? '' : ` [${arxiv}](https://arxiv.org/abs/${arxiv})`;
  return `| **${tableCell(name)}**${source} | ${tableCell(does)} | ${tableCell(hereText(system, state, arenaOf))} |`;
}

function hereText(system: System, { status, parts }: SystemState, arenaOf: ArenaWords): string {
  const { transfers, differs, nearest, why, needs } = system;
  const config = configName(system);
  const texts = [
    `**${status}**${why === undefined ? '' : `: ${why}`}`,
    ...placedTexts(parts, (thing) => link(thing, arenaOf)),
    config === undefined ? '' : `[config](../configs/systems/${config}.yaml)`,
    shownText(system) ?? '',
    ...[nearest && nearestText(nearest), transfers, differs].map((text) => (text ?? '').replace(/\.$/, '')),
    needs === undefined ? '' : `No config: it needs ${needs}`,
    ...lackTexts(parts),
  ];
  return `${texts.filter((text) => text !== '').join('. ')}.`;
}

/** What a system's config has, and what is here beside it, a text each. */
export function placedTexts(parts: readonly Part[], shown: (thing: Thing) => string): string[] {
  const at = (place: Place): string => {
    const things = parts.filter((part) => part.at === place).flatMap(({ by }) => by);
    return [...new Map(things.map((thing) => [thing.name, shown(thing)])).values()].join(', ');
  };
  const places = [
    ['', 'lines'],
    ['By default: ', 'default'],
    ['Not in a config: ', 'apart'],
  ] as const;
  return places.flatMap(([title, place]) => (at(place) === '' ? [] : [`${title}${at(place)}`]));
}

/** What of the parts is not here. */
export function lackTexts(parts: readonly Part[]): string[] {
  const missing = parts.filter(({ at }) => at === 'nowhere').map(({ id }) => `\`${id}\``);
  const partly = parts.flatMap(({ id, lacks }) => (lacks === undefined ? [] : [`\`${id}\` in part: ${lacks}`]));
  return [...(missing.length === 0 ? [] : [`Missing: ${missing.join(', ')}`]), ...partly];
}

/** How a config's stages are called. */
export const STAGES: Readonly<Record<string, string>> = { sft: 'a supervised stage', several: 'several stages' };

function link({ kind, name }: Thing, arenaOf: ArenaWords): string {
  if (kind === 'page') return `[${name.replace(/^.*#|\.md$/g, '').replaceAll(/[-_]/g, ' ')}](${name})`;
  if (kind === 'method') {
    const seen = arenaOf(name);
    return `[\`${name}\`](reference/methods/${name}.md)${seen === undefined ? '' : ` (${seen})`}`;
  }
  if (kind === 'stages') return `[${STAGES[name]}](stages.md)`;
  if (kind === 'category') return `[${name}](environments.md)`;
  if (kind === 'key') return `[\`${name}\`](reference/keys.md)`;
  return `[\`${name}\`](reference/catalogue.md#${name})`;
}
