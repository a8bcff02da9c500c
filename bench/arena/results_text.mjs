/** RESULTS.md: the table of the arena in words. */
import { overBudget } from './budgets.mjs';
import { chanceOf, isControl, JUDGED, meanOf, REACH } from './figures.mjs';
import { twinWords } from './twins.mjs';

/**
 * @param count  seeds that a row should have
 * @param chance  by task and number of rows, how many differ by chance, or undefined
 * @param twins  see `twinsOf`
 */
export function resultsText(found, { blocks, count, rates, chance, differenceOf, twins = new Map() }) {
  const done = found.flatMap(({ runs }) => runs);
  const whole = found.filter(({ runs }) => runs.length === count);
  const tasks = [...new Set(found.map(({ row }) => row.task))];
  const machines = [...new Set(done.map(({ record }) => record.machine))].sort();
  const hours = done.reduce((total, { record }) => total + record.wallSeconds, 0) / 3600;
  return [
    '# The arena',
    '',
    'What each method does for the same task, from the same start, with the same number of sampled tokens. Written by `npm run bench -- arena` from the records beside this file.',
    '',
    `**${whole.length} of ${found.length} rows have all ${count} seeds**, ${done.length} runs in all, ${hours.toFixed(1)} h of one core each with whatever else ran. ${machines.join('; ')}.`,
    '',
    "- A row changes what its line in [rows.yaml](rows.yaml) says, and nothing else; the learning rate is the baseline's.",
    `- Figures are means over seeds, on all held-out problems. Differences are those of ${JUDGED}, what one sample is worth, and of ${REACH}, what many solve, in points, with their 95 % intervals over problems and over runs paired by start (\`rlvr-train compare\`).`,
    "- Baselines are trained with other seeds, at half and at a third of the learning rate too, from the same starts. The difference is to the baseline at the row's own rate, all of its runs, so that it is not that of two lines of the table. A row that is above it must be above the rate that is best by the same figure as well: otherwise it is called by that rate, as × ⅓.",
    '- p is that of the difference, and of a row that is above its baseline the larger of the two. Holm is p among all rows of the task and both figures. A row is called better or worse only where its intervals leave 0 out, and is **bold** where Holm is below 5 % for either.',
    '- s/step is by the clock, beside the baseline: rows of other sittings ran beside other work, and say little by it.',
    '- No row has what needs episodes of several turns, several tasks or levels, a tag, a judge or another model, for no task of the arena has them; nor what only measures, and trains nothing.',
    ...tasks.flatMap((task) => [
      '',
      ...taskText(
        task,
        found.filter(({ row }) => row.task === task),
        { blocks, count, rates, chance, differenceOf, twins },
      ),
    ]),
    '',
  ].join('\n');
}

function taskText(task, found, { blocks, count, rates, chance, differenceOf, twins }) {
  const own = found.filter(({ runs }) => runs.length > 0);
  const tested = own.filter(({ corrected }) => corrected !== undefined);
  const apart = tested.filter(({ differences }) => isApart(differences[JUDGED]));
  const noise = own.filter(({ row, differences }) => row.seedsFrom > 0 && differences !== undefined);
  const byChance = chance(task, tested.length);
  const expected =
    byChance === undefined
      ? `${(0.05 * tested.length).toFixed(1)} would`
      : `${byChance.mean.toFixed(1)} would, and in one table of twenty more than ${byChance.most}, since all rows share the runs of their baseline`;
  return [
    `## ${task}`,
    '',
    `${own.length} of ${found.length} rows have runs. ${apart.length} of ${tested.length} differ from their baseline in ${JUDGED} by more than their interval; by chance alone ${expected}.`,
    ...noiseText(noise),
    ...[...new Set(own.map(({ row }) => row.block))].flatMap((block) => {
      const rows = own.filter(({ row }) => row.block === block);
      return [
        '',
        `### ${block}`,
        '',
        `${capital(blocks[block].does)}.`,
        '',
        ...tableOf(rows, count, rates),
        ...twinsText(rows, twins),
        ...budgetsOf(rows, found, differenceOf),
        ...claimsOf(rows),
        ...reasonsOf(rows),
      ];
    }),
  ];
}

function noiseText(noise) {
  if (noise.length === 0) return [];
  const all = noise.flatMap(({ differences }) => Object.values(differences));
  const apart = all.filter(isApart).length;
  const widest = Math.max(...noise.map(({ differences }) => Math.abs(differences[JUDGED].mean)));
  return [
    '',
    `**Noise floor.** Baselines with other seeds against themselves: ${apart} of ${all.length} differences lie outside their interval (at most one of twenty should); the largest of ${JUDGED} is ${points(widest)} points.`,
  ];
}

const HEAD = [
  'row',
  'seeds',
  'before',
  'greedy',
  JUDGED,
  'pass@4',
  'pass@16',
  'maj@16',
  'entropy',
  'length',
  'steps',
  's/step',
  `Δ ${JUDGED}`,
  '95 %',
  'p',
  'Holm',
  '',
  `Δ ${REACH}`,
  '95 %',
  'Holm',
  '',
];

/** Half and twice the learning rate, one seed each, around that seed as it is. */
const RATES_HEAD = 'rate × ½ · 1 · 2';

function tableOf(rows, count, rates) {
  const hasRates = rows.some(({ row }) => rates(row).some(({ record }) => record !== undefined));
  const head = hasRates ? [...HEAD, RATES_HEAD] : HEAD;
  const cells = rows.map(({ row, runs, figures, differences, corrected, pace }) => {
    const records = runs.map(({ record }) => record);
    const mean = (of) => meanOf(records.map(of));
    const isSure =
      corrected !== undefined && Math.min(corrected[JUDGED], corrected[REACH]) <= 0.05 && runs.length === count;
    const entropies = records.flatMap(({ entropy }) => entropy ?? []);
    return [
      isSure ? `**${row.id}**` : row.id,
      String(runs.length),
      share(mean(({ before }) => before.sampled)),
      ...['greedy', JUDGED, 'pass@4', 'pass@16', 'maj@16'].map((name) =>
        figures[name] === undefined ? '–' : share(meanOf(figures[name])),
      ),
      entropies.length === 0 ? '–' : meanOf(entropies).toFixed(2),
      mean(({ length }) => length).toFixed(1),
      String(Math.round(mean(({ steps }) => steps))),
      pace === undefined ? '1' : `× ${pace.toFixed(2)}`,
      ...(differences === undefined
        ? ['baseline', ...new Array(8).fill('')]
        : [
            ...differenceCells(differences[JUDGED]),
            probability(chanceOf(differences[JUDGED])),
            corrected === undefined ? '–' : probability(corrected[JUDGED]),
            wordOf(row, differences[JUDGED]),
            ...differenceCells(differences[REACH]),
            corrected === undefined ? '–' : probability(corrected[REACH]),
            wordOf(row, differences[REACH]),
          ]),
      ...(hasRates ? [ratesOf(rates(row), figures[JUDGED][0])] : []),
    ];
  });
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...cells].map((line) => `| ${line.join(' | ')} |`);
}

const RATE_WORDS = new Map([
  [0.5, ' × ½'],
  [0.3333, ' × ⅓'],
]);

function differenceCells({ mean, low, high }) {
  return [signed(mean), `${signed(low)} to ${signed(high)}`];
}

function wordOf(row, difference) {
  if (!isControl(row)) return wordFor(difference);
  return row.seedsFrom > 0 ? 'noise' : 'control';
}

/** `20.1 · 24.5 · 9.0`: what the first seed reaches; empty where no other rate was tried. */
function ratesOf(tried, asItIs) {
  const found = tried.filter(({ record }) => record !== undefined);
  if (found.length === 0) return '';
  const all = [{ rate: 1, sampled: asItIs }, ...found.map(({ rate, record }) => ({ rate, sampled: record.sampled }))];
  return all
    .sort((a, b) => a.rate - b.rate)
    .map(({ sampled }) => share(sampled))
    .join(' · ');
}

/** Cloning what is solved, beside its baseline, over the budget. */
function budgetsOf(rows, found, differenceOf) {
  return rows.flatMap(({ row, runs }) => {
    if (!row.of.includes('rft')) return [];
    const baseline = found.find(({ row: other }) => `${other.block}/${other.id}` === row.baseline);
    const pairs = runs.flatMap(({ index, record }) => {
      const theirs = baseline?.runs.find((one) => one.index === index);
      return theirs === undefined ? [] : [[record, theirs.record]];
    });
    if (pairs.length < 2) return [];
    const [own, theirs] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
    const lines = overBudget(own, theirs, differenceOf).map(
      ({ tokens, own: mine, theirs: others, difference: { mean, low, high } }) =>
        [Math.round(tokens), share(others), share(mine), `${signed(mean)} (${signed(low)} to ${signed(high)})`].join(
          ' | ',
        ),
    );
    return [
      '',
      `Over the budget (m-vb-vf): solved in training by ${row.id}, which clones what was solved, and by ${baseline.row.id}, which learns from the verifier, at equal numbers of sampled tokens; intervals over ${pairs.length} paired seeds.`,
      '',
      `| tokens | ${baseline.row.id} | ${row.id} | difference |`,
      '| ---: | ---: | ---: | ---: |',
      ...lines.map((line) => `| ${line} |`),
    ];
  });
}

function twinsText(rows, twins) {
  const lines = rows.flatMap(({ row }) => (twins.has(row) ? [`- ${twinWords(row, twins.get(row))}`] : []));
  return lines.length === 0 ? [] : ['', 'The same under two names:', '', ...lines];
}

/** What the source says, what is seen here, and whether the interval can tell. */
function claimsOf(rows) {
  const lines = rows.flatMap(({ row, differences }) => {
    const judged = differences?.[JUDGED];
    if (row.claims === undefined || judged === undefined) return [];
    const seen = ['greedy', JUDGED, 'pass@16']
      .map((name) => `${name} ${signed(differences[name].mean)}${isApart(differences[name]) ? '' : ' (within noise)'}`)
      .join(', ');
    return [`- ${row.id}: said: ${row.claims}. Here ${seen}.`];
  });
  return lines.length === 0 ? [] : ['', 'What is said of them, and what is seen here:', '', ...lines];
}

function reasonsOf(rows) {
  const lines = rows.flatMap(({ row }) => (row.why === undefined ? [] : [`- ${row.id}: ${row.why}.`]));
  return lines.length === 0 ? [] : ['', 'Why some do not learn:', '', ...lines];
}

export function isApart({ low, high }) {
  return low > 0 || high < 0;
}

export function wordFor(difference) {
  const { mean, best } = difference;
  if (!isApart(difference)) return 'cannot tell';
  if (mean < 0) return 'worse';
  return best.low > 0 ? 'better' : `as${RATE_WORDS.get(best.rate) ?? ` × ${best.rate}`}`;
}

export function share(value) {
  return (100 * value).toFixed(1);
}

export function points(value) {
  return (100 * value).toFixed(1);
}

export function signed(value) {
  const text = points(value);
  return value < 0 ? text.replace('-', '−') : `+${text}`;
}

function probability(p) {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function capital(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
