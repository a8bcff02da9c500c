/**
 * What does a policy learn of each environment, from random weights, in two minutes of one core?
 *
 *   npm run bench -- environments [--only blackjack,fsm_site_shaped] [--seeds 0..2] [--force] [--quick]
 *
 * Trains configs/environment.yaml once per row and seed, as the command does, on one thread, and plays the held-out
 * problems: the best player and one at random beside the policy. Each row is written to bench/results/environments.json when
 * it is done, and a row that is there, of the same config, is kept. `--quick` takes two steps of each and writes nothing.
 *
 * Scores and weights are the same on any machine with the same JavaScript engine; seconds are those of the processor.
 */

import { registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { bindEnvironment, playEpisode } from '../build/src/data/play.js';
import { completeItems } from '../build/src/grpo/rollout/complete.js';
import { rngFor } from '../build/src/kernels/philox.js';
import { wholeVocabulary } from '../build/src/model/sampling/generation.js';
import { weightsSha256 } from '../build/src/run/model/model_files.js';
import { fail, readFlags, table } from './command.mjs';
import { keptRows, readSeeds, round, trained } from './kept_rows.mjs';

const steps = (sft, grpo) => [`sft.max_steps=${sft}`, `grpo.max_steps=${grpo}`];
const SHAPED = ['grpo.advantage_estimator=turn-return', 'grpo.group_steps=["potential-shaping"]'];
/** What reinforcement adds is seen where the warm start is short. */
const shortWarmStart = (name, ...length) => [
  `task.name=${name}`,
  'grpo.generation_batch_size=256',
  ...steps(...length),
];

/** Sums with a tool that computes them, and without: episodes are long, so batches are small. */
const sums = (rate, ...length) => [
  'task.name=calculator',
  `sft.learning_rate=${rate}`,
  'sft.per_device_train_batch_size=32',
  'grpo.generation_batch_size=128',
  ...steps(...length),
];

/** What each row sets in the config, and how often a held-out problem is played, where chance decides. */
const ROWS = {
  guess_number: { set: [] },
  frozen_lake_3x3: { set: ['task.name=frozen_lake', 'task.level=0', ...steps(1000, 40)] },
  frozen_lake_4x4: { set: ['task.name=frozen_lake', ...steps(1400, 20)] },
  blackjack: { set: ['task.name=blackjack', ...steps(400, 80)], plays: 100 },
  tic_tac_toe: { set: ['task.name=tic_tac_toe', 'task.moves=6', ...steps(2000, 60)], plays: 4 },
  fsm_site: { set: shortWarmStart('fsm_site', 150, 120) },
  fsm_site_shaped: { set: [...shortWarmStart('fsm_site', 150, 120), ...SHAPED] },
  form_state: { set: shortWarmStart('form_state', 400, 60) },
  form_state_shaped: { set: [...shortWarmStart('form_state', 400, 60), ...SHAPED] },
  calculator: { set: sums(4.0e-3, 1000, 60) },
  calculator_without: { set: ['task.tools=[]', ...sums(4.0e-3, 9000, 20), 'grpo.learning_rate=2e-5'] },
};

const flags = readFlags({
  further: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '0..2' },
    force: { type: 'boolean', default: false },
  },
});
const only = flags.only?.split(',').map((name) => name.trim());
const wanted = Object.entries(ROWS).filter(([name]) => only === undefined || only.includes(name));
if (wanted.length === 0)
  fail(`--only ${flags.only} — no row has this name; there are ${Object.keys(ROWS).join(', ')}.`);
const { rows, measure } = keptRows('environments', flags);
const short = ['sft.max_steps=2', 'sft.warmup_steps=0', 'grpo.max_steps=2', 'grpo.warmup_steps=0'];
for (const seed of readSeeds(flags.seeds)) {
  for (const [name, { set, plays = 1 }] of wanted) {
    const row = {
      key: `${name}, seed ${seed}`,
      config: 'configs/environment.yaml',
      set: [`seed=${seed}`, ...set, ...(flags.quick ? short : [])],
      facts: { row: name, seed },
    };
    await measure(
      row,
      (loaded) => reached(loaded, plays),
      ({ policy }) => `score ${policy.score}, won ${policy.won}`,
    );
  }
}
report();

/** What a config reaches: of the policy that takes the likeliest tokens, the best player and one at random. */
function reached(loaded, plays) {
  const start = process.cpuUsage();
  return trained(loaded, {
    quick: flags.quick,
    threads: 1,
    figuresOf: async ({ run, tasks, failed }) => {
      if (failed !== undefined) return { failed };
      const { user, system } = process.cpuUsage(start);
      const { baseline, final } = run.journal.state;
      const items = tasks.heldOutItems();
      const stage = run.config.stages.at(-1);
      const policy = await played(run.engine, stage, items, plays);
      return {
        heldOut: items.length,
        cpuSeconds: Math.round((user + system) / 1e6),
        warmStart: { greedy: round(baseline.accuracy.mean), sampled: round(baseline.meanAtK.mean) },
        sampled: round(final.meanAtK.mean),
        policy,
        best: await playedBy('expert', tasks, items, 20),
        random: await playedBy('random', tasks, items, 20),
        ...(tasks.shares[0].task.name === 'tic_tac_toe' && {
          ofNewPositions: await ofNewPositions(run.engine, stage, tasks, plays),
          wholeGames: await wholeGames(run.engine, stage, items[0]),
        }),
        sha: await weightsSha256(run.engine.policy),
      };
    },
  });
}

async function played(engine, stage, items, samples) {
  const settings = { samples, sampling: wholeVocabulary(0), samplingKey: [20, 26], stage };
  const completions = await completeItems(engine, items, settings);
  return figuresOf(
    items,
    completions.map((own) => own.map(({ verdict }) => verdict.score)),
  );
}

/** @param player  `expert` or `random` of the environment */
function playedBy(player, tasks, items, episodes) {
  const [{ task }] = tasks.shares;
  return registeredTasks[task.name].load().then(({ environment }) => {
    const bound = bindEnvironment(environment, task.name, task.knobs);
    const scores = items.map((item) =>
      Array.from({ length: episodes }, (_, episode) => {
        const rng = rngFor(`${player}|${item.key}|${episode}`);
        const choose = (state) => environment[player](state, task.knobs, rng);
        return playEpisode(bound, item, `${player}|${episode}`, choose).verdict.score;
      }),
    );
    const exact = items[0].columns?.best_score;
    const figures = figuresOf(items, scores);
    if (player === 'random' || exact === undefined) return figures;
    return {
      ...figures,
      expectedScore: figuresOf(
        items,
        items.map(({ columns }) => [columns.best_score]),
      ).score,
    };
  });
}

/** Held-out positions that no game of training passes through, as none of 200,000 games at random does. */
async function ofNewPositions(engine, stage, tasks, plays) {
  const [{ task }] = tasks.shares;
  const { environment } = await registeredTasks[task.name].load();
  const bound = bindEnvironment(environment, task.name, task.knobs);
  const met = new Set();
  for (let game = 0; game < 200_000; game++) {
    const rng = rngFor(`met|${game}`);
    playEpisode(bound, task.trainItem(0, game), `met|${game}`, (state) => {
      met.add(state.cells);
      return environment.random(state, task.knobs, rng);
    });
  }
  const items = tasks.heldOutItems().filter(({ identity }) => !met.has(identity.cells));
  return { positions: items.length, ...(await played(engine, stage, items, plays)) };
}

/** Games from the empty board against the perfect opponent: beginning, and after each first move. */
function wholeGames(engine, stage, item) {
  const starts = ['.........', ...Array.from({ length: 9 }, (_, at) => `${'.'.repeat(at)}o${'.'.repeat(8 - at)}`)];
  const items = starts.map((cells, at) => {
    const key = `tic_tac_toe|${cells}`;
    // As often first as second.
    return {
      ...item,
      id: key,
      key,
      prompt: at === 0 ? 'xo>' : `xo${at - 1}>`,
      identity: { cells },
      weight: at === 0 ? 9 : 1,
    };
  });
  return played(engine, stage, items, 50);
}

/** By the weights of the problems: mean score, share that is won, and share that is not lost. */
function figuresOf(items, scores) {
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (of) => {
    const means = scores.map((own) => own.reduce((sum, score) => sum + of(score), 0) / own.length);
    return round(means.reduce((sum, value, i) => sum + items[i].weight * value, 0) / total);
  };
  return {
    score: mean((score) => score),
    won: mean((score) => Number(score === 1)),
    notLost: mean((score) => Number(score > 0)),
  };
}

function report() {
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const lines = Object.values(rows)
    .filter(({ failed }) => failed === undefined)
    .map(({ row, seed, warmStart, policy, best, random, cpuSeconds, wholeGames: games }) => [
      row,
      String(seed),
      percent(warmStart.greedy),
      percent(policy.won),
      percent(policy.notLost),
      policy.score.toFixed(3),
      (best.expectedScore ?? best.score).toFixed(3),
      random.score.toFixed(3),
      games === undefined ? '' : percent(games.notLost),
      String(cpuSeconds),
    ]);
  const heads = ['row', 'seed', 'warm start', 'won', 'not lost', 'score', 'best', 'random', 'whole games', 'cpu s'];
  process.stdout.write(`${table(heads, lines)}\n`);
}
