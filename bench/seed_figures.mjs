/**
 * What the shipped configs reach over their seeds, and where it is stated: a table of docs/measurements.md, the example of the
 * README, and the comment of each config. All of it is made of bench/results/seeds.json, so that no figure is typed by hand.
 */
import { quantile } from './statistics.mjs';

/** Median, and the two values that enclose all. */
export function spreadOf(values) {
  return { median: quantile(values, 0.5), least: Math.min(...values), most: Math.max(...values) };
}

/** The table with a row of every config that was measured. @throws Error where a row is missing */
export function updatedTable(text, { configs }) {
  let updated = text;
  for (const [name, { runs, greedy, sampled }] of Object.entries(configs)) {
    const cells = `**${spreadText(greedy)}** | ${spreadText(sampled)} | ${seedsText(runs, '–')}`;
    updated = replaced(
      updated,
      new RegExp(`^(\\| \`configs/${name}\\.yaml\` \\|[^|]*\\|[^|]*\\| )[^|]*\\|[^|]*\\|[^|]*( \\|[^|]*\\|)$`, 'm'),
      (_, before, after) => `${before}${cells}${after}`,
      `docs/measurements.md has no row of seven columns for configs/${name}.yaml`,
    );
  }
  return updated;
}

/** The README with the figures of the run in its picture. @throws Error where it has no place for them */
export function updatedReadme(text, { configs }) {
  const example = configs.countdown?.runs.find(({ seed }) => seed === EXAMPLE_SEED);
  if (example === undefined) return text;
  const [before, after] = [example.before, example].map(({ greedy, sampled }) => [points(greedy), points(sampled)]);
  const words =
    `greedy accuracy from ${before[0]} to **${after[0]} %** and sampled accuracy from ${before[1]} to ` +
    `**${after[1]} %** with seed ${EXAMPLE_SEED}`;
  const missing = `README.md does not say from what to what countdown goes with seed ${EXAMPLE_SEED}`;
  return replaced(text, EXAMPLE, () => words, missing);
}

/** The seed of the picture. */
const EXAMPLE_SEED = 1;
const FIGURE = '\\d+\\.\\d';
const EXAMPLE = new RegExp(
  `greedy accuracy from ${FIGURE} to \\*\\*${FIGURE} %\\*\\* and sampled accuracy from ${FIGURE} to ` +
    `\\*\\*${FIGURE} %\\*\\* with seed ${EXAMPLE_SEED}\\b`,
);

const REACHES = /^# Reaches .*$/m;

/** Whether the comment of a config says what it reaches over its seeds. */
export function statesFigures(text) {
  return /^# Reaches .*: median and range of seeds? \d/m.test(text);
}

/** A config with its figures in its comment. @throws Error where there is no place for them */
export function updatedConfig(text, name, { configs }) {
  const measured = configs[name];
  if (measured === undefined) return text;
  const { runs, greedy, sampled } = measured;
  const line =
    `# Reaches ${spreadText(greedy)} greedy, ${spreadText(sampled)} sampled on held-out problems: ` +
    `median and range of ${runs.length === 1 ? 'seed' : 'seeds'} ${seedsText(runs, ' to ')}.`;
  return replaced(text, REACHES, () => line, `configs/${name}.yaml has no line "# Reaches …"`);
}

function replaced(text, place, by, missing) {
  if (!place.test(text)) throw new Error(missing);
  return text.replace(place, by);
}

/** `64.0 % (59.2–66.2)`; of a single run, its figure alone. */
function spreadText({ median, least, most }) {
  const range = least === most ? '' : ` (${points(least)}–${points(most)})`;
  return `${points(median)} %${range}`;
}

function points(share) {
  return (100 * share).toFixed(1);
}

/** `0–9` of neighbours, else `0, 3, 7`. */
function seedsText(runs, to) {
  const seeds = runs.map(({ seed }) => seed);
  const areNeighbours = seeds.every((seed, i) => seed === seeds[0] + i);
  return areNeighbours && seeds.length > 2 ? `${seeds[0]}${to}${seeds.at(-1)}` : seeds.join(', ');
}
