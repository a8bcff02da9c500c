/** What an agent can do: each tool as a line of the command, or as a request to a run. */
import type { JsonObject } from '../../../src/run/json.ts';
import type { Body } from '../../serve/body.ts';
import { controlState, type RunRequest, requestOf } from '../process/run_requests.ts';
import { type AgentFolder, RUNS } from './folder.ts';

/** What a tool takes, as JSON Schema. */
type Parameters = Readonly<Record<string, JsonObject>>;

export interface AgentTool {
  readonly description: string;
  readonly parameters: Parameters;
  readonly required?: readonly string[];
  /** It changes files of the folder. */
  readonly writes?: true;
  /** @throws RlvrError, ApiError */
  call(given: Body, folder: AgentFolder, signal: AbortSignal): Promise<string>;
}

const RUN = { type: 'string', description: 'a run: its name, or its directory below the folder' };
const CONFIG = { type: 'string', description: 'a YAML file of the folder, or a shipped config such as sort-digits' };
const SET = {
  type: 'array',
  items: { type: 'string' },
  description: 'keys of the config with their values, e.g. "grpo.learning_rate=1e-4"',
};
const MAX_STEPS = { type: 'integer', minimum: 1, description: 'cap max_steps of the last stage' };
const LINES = { type: 'integer', minimum: 1, maximum: 1000, description: 'how many of the last lines; default 30' };

/** What `list` shows, as words of the command. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  configs: ['configs', 'ls'],
  tasks: ['tasks', 'ls', '--json'],
  rewards: ['rewards', 'ls'],
  methods: ['methods', 'ls'],
  runs: ['runs', 'ls', RUNS, '--json'],
};

const WAIT_MS = 250;
const MOST_SECONDS = 60;

export const AGENT_TOOLS: Readonly<Record<string, AgentTool>> = {
  list: {
    description: 'The shipped configs, tasks, rewards or methods, or the runs of this folder.',
    parameters: { kind: { type: 'string', enum: Object.keys(LISTS) } },
    required: ['kind'],
    call: async (given, folder, signal) => {
      const words = LISTS[needed(given, 'kind')];
      if (words === undefined) throw given.refused('kind', Object.keys(LISTS).join(' or '));
      if (words[0] === 'runs' && !folder.has(RUNS)) return '[]';
      return folder.command(words, signal);
    },
  },
  explain: {
    description: 'A task, method, reward, key of a config, metric, diagnosis, config or published system, by its name.',
    parameters: { name: { type: 'string' } },
    required: ['name'],
    call: async (given, folder, signal) => {
      const name = needed(given, 'name');
      // Words of the screen are no names.
      return folder.command(['show', '--', name], signal).catch(() => folder.command(['explain', '--', name], signal));
    },
  },
  check_config: {
    description: 'Whether a config is right: one message with key, value and remedy where it is not.',
    parameters: { config: CONFIG, set: SET },
    required: ['config'],
    call: async (given, folder, signal) => {
      await folder.command([...trained(given, folder), '--dry-run', '--quiet'], signal);
      return 'the config is right';
    },
  },
  dry_run: {
    description: 'The resolved config, memory, problems and time on this machine. Writes nothing.',
    parameters: { config: CONFIG, set: SET, max_steps: MAX_STEPS },
    required: ['config'],
    call: async (given, folder, signal) => folder.command([...trained(given, folder), '--dry-run'], signal),
  },
  start: {
    description: 'Begins a training, and gives its run by name; it continues by itself: ask status, log and stop.',
    parameters: {
      config: CONFIG,
      name: { type: 'string', description: "of the run, below runs/; default: the config's, numbered" },
      set: SET,
      max_steps: MAX_STEPS,
    },
    required: ['config'],
    writes: true,
    call: async (given, folder) => {
      const [, ...words] = trained(given, folder);
      const directory = folder.newRun(given.text('name'), words[0]);
      await folder.train(directory, words);
      return JSON.stringify({ run: directory, log: `${directory}.log` });
    },
  },
  resume: {
    description: 'Continues a run that is paused, or that was stopped; max_steps trains a finished one further.',
    parameters: { run: RUN, max_steps: MAX_STEPS },
    required: ['run'],
    writes: true,
    call: async (given, folder) => {
      const directory = runOf(given, folder);
      const steps = stepsOf(given);
      if ((await controlState(folder.at(directory))).isOpen) await asked(folder.at(directory), 'resume');
      else await folder.train(directory, ['--resume', ...steps]);
      return JSON.stringify({ run: directory });
    },
  },
  status: {
    description: 'State, step and accuracy of a run, and its last metrics; waits for its end where that is asked.',
    parameters: {
      run: RUN,
      wait_seconds: {
        type: 'number',
        minimum: 0,
        maximum: MOST_SECONDS,
        description: 'to wait for its end; default 0',
      },
    },
    required: ['run'],
    call: async (given, folder, signal) => {
      const directory = runOf(given, folder);
      const end = Date.now() + 1000 * (given.number('wait_seconds', { min: 0, max: MOST_SECONDS }) ?? 0);
      let control = await controlState(folder.at(directory));
      while (control.isOpen && control.asked !== 'paused' && Date.now() < end && !signal.aborted) {
        await new Promise((later) => setTimeout(later, WAIT_MS));
        control = await controlState(folder.at(directory));
      }
      const [row] = JSON.parse(await folder.command(['runs', 'ls', directory, '--json'], signal)) as JsonObject[];
      const metrics = folder.tail(`${directory}/metrics.jsonl`, 1);
      return JSON.stringify({
        ...row,
        ...(control.isOpen && row?.state === 'running' && { asked: control.asked }),
        last: metrics === '' ? null : (JSON.parse(metrics) as JsonObject),
      });
    },
  },
  log: {
    description: 'The last lines that a training printed, or those of its metrics, completions or diagnoses as JSON.',
    parameters: { run: RUN, what: { type: 'string', enum: ['printed', 'metrics', 'completions'] }, lines: LINES },
    required: ['run'],
    call: async (given, folder) => {
      const directory = runOf(given, folder);
      const lines = given.integer('lines', { min: 1, max: 1000 }) ?? 30;
      const what = given.text('what') ?? 'printed';
      if (what === 'printed') return folder.tail(`${directory}.log`, lines);
      if (what === 'metrics' || what === 'completions') return folder.tail(`${directory}/${what}.jsonl`, lines);
      throw given.refused('what', 'printed or metrics or completions');
    },
  },
  pause: asking('pause', 'Pauses a training after its step; resume continues it, with the same bits.'),
  stop: asking('stop', 'Saves a training after its step and ends it; resume continues it later.'),
  compare: {
    description: 'Which of several runs is better, problem by problem, with intervals.',
    parameters: { runs: { type: 'array', items: { ...RUN, description: 'a run, or mine@baseline' }, minItems: 2 } },
    required: ['runs'],
    call: async (given, folder, signal) => {
      const runs = textsOf(given, 'runs');
      if (runs.length < 2) throw given.refused('runs', 'two runs or more');
      return folder.command(['compare', ...runs.map((run) => comparedRun(run, folder)), '--json'], signal);
    },
  },
  advise: {
    description: 'What a run suffers from, and which methods helped against that.',
    parameters: { run: RUN },
    required: ['run'],
    call: async (given, folder, signal) => folder.command(['advise', runOf(given, folder), '--json'], signal),
  },
  sample: {
    description:
      'Asks a trained policy: prompts in the form of its task, or some held-out problems where none is given.',
    parameters: {
      run: RUN,
      prompts: { type: 'array', items: { type: 'string' } },
      samples: { type: 'integer', minimum: 1, maximum: 64 },
      temperature: { type: 'number', minimum: 0, description: 'default 0: greedy' },
    },
    required: ['run'],
    call: async (given, folder, signal) => {
      const samples = given.integer('samples', { min: 1, max: 64 }) ?? 1;
      const temperature = given.number('temperature', { min: 0 }) ?? 0;
      const flags = ['--json', '--samples', String(samples), '--temperature', String(temperature)];
      return folder.command(['sample', runOf(given, folder), ...flags, '--', ...textsOf(given, 'prompts')], signal);
    },
  },
};

/** Asks a run, and waits until it has read that, or is over. */
async function asked(directory: string, request: RunRequest): Promise<void> {
  await requestOf(directory, request);
  for (;;) {
    await new Promise((later) => setTimeout(later, WAIT_MS));
    const state = await controlState(directory);
    if (!state.isOpen || request !== 'resume' || !state.asked.startsWith('pause')) return;
  }
}

function asking(request: 'pause' | 'stop', description: string): AgentTool {
  return {
    description,
    parameters: { run: RUN },
    required: ['run'],
    writes: true,
    call: async (given, folder) => {
      const directory = runOf(given, folder);
      await asked(folder.at(directory), request);
      return JSON.stringify({ run: directory, asked: request });
    },
  };
}

/** A run, or another evaluation of it than the last: `mine@baseline`. */
function comparedRun(name: string, folder: AgentFolder): string {
  const [run, evaluation] = name.split(/@(?=(?:baseline|best|final)$)/);
  return [folder.run(run), ...(evaluation === undefined ? [] : [evaluation])].join('@');
}

/** `train` with config, keys and steps. */
function trained(given: Body, folder: AgentFolder): string[] {
  const sets = textsOf(given, 'set').flatMap((text) => ['--set', text]);
  return ['train', folder.inside(needed(given, 'config')), ...sets, ...stepsOf(given)];
}

function stepsOf(given: Body): string[] {
  const steps = given.integer('max_steps', { min: 1 });
  return steps === undefined ? [] : ['--max-steps', String(steps)];
}

function runOf(given: Body, folder: AgentFolder): string {
  return folder.run(needed(given, 'run'));
}

function needed(given: Body, key: string): string {
  const text = given.text(key);
  if (text === undefined) throw given.refused(key, 'a text');
  return text;
}

function textsOf(given: Body, key: string): readonly string[] {
  const value = given.value(key) ?? [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw given.refused(key, 'a list of texts');
}
