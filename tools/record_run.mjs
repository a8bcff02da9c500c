// Records how a policy learned to search, for the training page to replay: the figures of each evaluation, and what it
// answered to a few held-out problems, which are the same each time.
//
//   node tools/record_run.mjs RUN_DIRECTORY [OUT.json]
//
// OUT.json: default is web/src/recordings/<name of the directory>.json. The run is one that ended; its task is one whose
// answers search. The problems are every third of those that a run follows (evaluations/answers.jsonl), so nobody chose
// them by what became of them. Needs the build (npm run build:js).
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const build = new URL('../build/packages/', import.meta.url);
const { createTasks, parseConfig } = await import(new URL('rlvr-train/index.js', build));
const { recordedOf } = await import(new URL('web/recording.js', build));
const { triesReader } = await import(new URL('zoo/methods/support/figures/read_tries.js', build));

const [directory, given] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write('usage: node tools/record_run.mjs RUN_DIRECTORY [OUT.json]\n');
  process.exit(2);
}
const name = basename(resolve(directory));
const out = given ?? fileURLToPath(new URL(`../web/src/recordings/${name}.json`, import.meta.url));
const read = (file) => readFileSync(join(directory, file), 'utf8');
const records = (file) =>
  read(file)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const { config } = parseConfig(read('config.yaml'), { file: join(directory, 'config.yaml') });
const tasks = await createTasks(config);
const problems = new Map(tasks.heldOutItems().map((item) => [item.prompt, item]));
const { gitCommit, cpuModel, threads, backend, seed } = JSON.parse(read('fingerprint.json'));
const { wallSeconds, parameters } = JSON.parse(read('summary.json'));
const [{ task }] = config.tasks;

const recorded = recordedOf({
  metrics: records('metrics.jsonl'),
  answers: records('evaluations/answers.jsonl'),
  stages: config.stages.map(({ stage }) => stage),
  searchOf,
});
const recording = {
  ...{ task, seed, commit: gitCommit?.slice(0, 8), parameters },
  hardware: `${cpuModel}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${backend}`,
  problems: problems.size,
  ...recorded,
  seconds: Math.round(wallSeconds),
};
writeFileSync(out, `${JSON.stringify(recording)}\n`);
process.stdout.write(`${out}: ${recording.moments.length} evaluations, ${recording.prompts.length} problems\n`);

/** What the page draws of an answer: its tries and its solution. */
function searchOf(prompt, text) {
  const space = tasks.searchSpace(problems.get(prompt));
  if (space === undefined) throw new Error(`${directory}: answers to ${task.name} do not search`);
  const { tries, solution } = triesReader(space)(text);
  return { tries, solution };
}
