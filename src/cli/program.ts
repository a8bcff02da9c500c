/** The commands and flags of rlvr-train. A mistake in them is one line that says what to give instead. */
import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { MOST_SAMPLES } from '../config/keys/stage_keys.ts';
import { ConfigError } from '../errors.ts';
import { packageVersion } from '../run/fingerprint/fingerprint.node.ts';
import { copyConfig, listConfigs } from './commands/configs.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evalCommand } from './commands/eval.ts';
import { evalModelCommand } from './commands/eval_model.ts';
import { explainCommand } from './commands/explain.ts';
import { fetchCommand } from './commands/fetch.ts';
import { listCommand } from './commands/list.ts';
import { mergeCommand } from './commands/merge.ts';
import { listMethods, showMethods } from './commands/methods.ts';
import { reportCommand } from './commands/report.ts';
import { listRuns } from './commands/runs.ts';
import { sampleCommand } from './commands/sample.ts';
import { sampleModelCommand } from './commands/sample_model.ts';
import { schemaCommand } from './commands/schema.ts';
import { parseSeeds } from './commands/seed_series.ts';
import { seedsCommand } from './commands/seeds.ts';
import { exportTask, scoreTask } from './commands/task_rows.ts';
import { checkTaskCommand, listTasks, showTask } from './commands/tasks.ts';
import { trackCommand } from './commands/track.ts';
import { trainCommand } from './commands/train.ts';
import { uiCommand } from './commands/ui.ts';
import { print, printError } from './display/output.ts';
import {
  keyAsFlag,
  oneLine,
  onlyRun,
  refuseRepeatedFlags,
  refuseSpacedSet,
  refuseWords,
  requiredRun,
  unknownWord,
} from './mistaken_words.ts';
import { listAdaptersCommand } from './process/gpu_probe.ts';

const TRUST = "a file or folder of code outside of the config's folder that may run; repeatable";
const THREADS = 'compute threads; they do not change the result (default: one per core)';

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of ${least} or more`;
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`use a whole number ${range}.`);
  };
}

function seedList(text: string): readonly number[] {
  try {
    return parseSeeds(text);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

function temperature(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('use a number of 0 or more; 0 is greedy.');
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** What the command line understands. Parsing throws CommanderError, and actions RlvrError, instead of exiting. */
export function program(): Command {
  const root = new Command('rlvr-train')
    .description('Train a small language model with reinforcement learning from verifiable rewards, on this machine.')
    .version(packageVersion())
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => printError(text.trimEnd()),
      outputError: (message, write) => write(oneLine(message)),
    })
    .exitOverride();
  const train = addTrain(root);
  // `evla --run x` comes to train as a word and an unknown flag; the word is the mistake.
  train.configureOutput({
    outputError: (message, write) => {
      const [word] = train.args;
      const isFlag = word === undefined || word.startsWith('-');
      write(isFlag ? (keyAsFlag(message) ?? oneLine(message)) : `${unknownWord(word, root)}\n`);
    },
  });
  addEval(root);
  addSample(root);
  addFetch(root);
  addMerge(root);
  addReport(root);
  addTrack(root);
  addRuns(root);
  addUi(root);
  root.command('schema').description('print the JSON Schema of a config, for editors').action(schemaCommand);
  addList(root);
  addExplain(root);
  addMethods(root);
  addTasks(root);
  addConfigs(root);
  addDoctor(root);
  // `train` can be left out, so its flags are the program's own.
  refuseRepeatedFlags(root, ({ parseArg }) => parseArg === collect);
  return root.addHelpText('after', () => `\nThe default command:\n\n${train.helpInformation()}`);
}

function addTrain(root: Command): Command {
  return (
    root
      .command('train', { isDefault: true })
      .description('train a policy as a config says (the default command; its name can be left out)')
      // Words that are no command end here, as arguments of the default one.
      .argument('[words...]')
      .usage('[options]')
      .configureHelp({ visibleArguments: () => [] })
      .optionsGroup('What to train:')
      .option('-c, --config <file>', 'YAML config, or the name of a shipped one (default: the main job, countdown)')
      .option('--set <key=value>', 'override a key of the config, e.g. grpo.learning_rate=1e-4; repeatable', collect)
      .option('--seed <number>', 'override seed (default: what the config says, else 42)', wholeNumber(0))
      .addOption(
        new Option('--seeds <list>', 'a run per seed, one after the other: 0..4 or 0,3,7; ends with median and range')
          .argParser(seedList)
          .conflicts(['seed', 'dryRun']),
      )
      .option('--max-steps <number>', 'cap max_steps of the last stage (default: what the config says)', wholeNumber(1))
      .option('--trust <path>', TRUST, collect)
      .option('--dry-run', 'show resolved config, memory, problems and time on this machine; write nothing')
      .optionsGroup('Run directory:')
      .option('-o, --output <directory>', 'override output_dir (default: runs/<config name>, numbered)')
      .option(
        '--resume',
        'go on with the run in the output directory, else the newest that can, with its own config (TRL: resume_from_checkpoint)',
      )
      .option('--force', 'resume although machine, version or config differ')
      .optionsGroup('Machine:')
      .option('--threads <number>', THREADS, wholeNumber(1))
      .option('--backend <name>', 'auto, webgpu, wasm, reference or tfjs:… (default: what the config says, else auto)')
      .option('--list-adapters', 'print the WebGPU adapters of this machine, and stop')
      .addOption(
        new Option('--ui', 'serve the page of the run on this machine while it is under way').conflicts('dryRun'),
      )
      .optionsGroup('What is printed (default: a live region on a terminal, else plain lines; NO_COLOR is heeded):')
      .option('--plain', 'plain lines, also on a terminal')
      .addOption(new Option('--json', 'one JSON object per event, nothing else').conflicts(['plain', 'quiet']))
      .addOption(new Option('--quiet', 'problems, and as last line the summary as JSON').conflicts('plain'))
      .helpOption('-h, --help', 'show this help')
      .action(async (words: readonly string[], options) => {
        refuseSpacedSet(words, options.set);
        refuseWords(words, root);
        if (options.listAdapters) return listAdaptersCommand();
        if (options.seeds) await seedsCommand(options, process.argv.slice(2));
        else await trainCommand(options);
      })
  );
}

function addEval(root: Command): void {
  root
    .command('eval')
    .argument('[words...]')
    .configureHelp({ visibleArguments: () => [] })
    .description('evaluate a trained policy, or a model of yours, on all held-out problems')
    .usage('--run <directory> | --model <path> --task <task> [options]')
    .option('--run <directory>', 'run directory, e.g. runs/countdown (this or --model is required)')
    .addOption(modelOption().conflicts(['run', 'force']))
    .addOption(adapterOption())
    .option('--task <task>', "what --model is asked, as in a config: reverse_text, or '{name: sort_digits, digits: 3}'")
    .option('--set <key=value>', 'a key of the config for --model, e.g. max_completion_length=64; repeatable', collect)
    .option(
      '--samples <number>',
      'sampled completions per problem (num_generations_eval)',
      wholeNumber(1, MOST_SAMPLES),
      4,
    )
    .option('--force', 'use the model of the directory although it is not the one that its run ended with')
    .option('--threads <number>', THREADS, wholeNumber(1))
    .option('--trust <path>', TRUST, collect)
    .option('--json', 'print the figures as JSON')
    .action((words: readonly string[], options) => {
      if (options.model === undefined) return evalCommand({ ...options, run: onlyRun(words, options.run) });
      if (options.task === undefined) {
        const rule = 'missing — what the model is asked; for example --task reverse_text';
        throw new ConfigError('missing-flag', `--task: ${rule}.`, { flag: 'task' });
      }
      onlyRun(words, options.model);
      return evalModelCommand(options);
    });
}

function modelOption(): Option {
  return new Option(
    '--model <path>',
    'a pretrained model instead: its folder, an adapter, a .gguf file, or owner/name',
  );
}

function adapterOption(): Option {
  return new Option('--adapter <path>', 'an adapter beside --model, where that is not one: a folder as PEFT writes it');
}

function addMerge(root: Command): void {
  root
    .command('merge')
    .description('merge an adapter into its model: a folder in the layout of Hugging Face')
    .usage('<path> --output <directory> [--base <path>]')
    .argument('<path>', 'the directory of a finished run, or a folder as PEFT writes it')
    .requiredOption('-o, --output <directory>', 'the new folder (required)')
    .option('--base <path>', 'the model, where it is not where the adapter says')
    .action(mergeCommand);
}

function addSample(root: Command): void {
  root
    .command('sample')
    .description('ask a trained policy: prompts as arguments, line by line from a pipe, or typed')
    .usage('--run <directory> | --model <path> [options] [prompt...]')
    .argument('[prompt...]', 'prompts, one each; - reads standard input; default: some held-out problems')
    .option('--run <directory>', 'run directory, e.g. runs/countdown (this or --model is required)')
    .addOption(modelOption().conflicts(['run', 'force', 'trust']))
    .addOption(adapterOption())
    .option('--max-tokens <number>', 'most tokens of an answer of --model (default: 256)', wholeNumber(1, 1_000_000))
    .option('-n, --samples <number>', 'completions per prompt', wholeNumber(1, MOST_SAMPLES), 1)
    .option('-t, --temperature <number>', 'sampling temperature; 0 is greedy', temperature, 0)
    .option('--seed <number>', 'seed of the random draws', wholeNumber(0), 0)
    .option('--force', 'use the model of the directory although it is not the one that its run ended with')
    .option('--threads <number>', THREADS, wholeNumber(1))
    .option('--trust <path>', TRUST, collect)
    .option('-i, --interactive', 'answer what is typed, until Ctrl-D (default: on a terminal without prompts)')
    .addOption(new Option('--json', 'one JSON object per completion').conflicts('interactive'))
    .action((prompts: readonly string[], options) => {
      if (options.model !== undefined) return sampleModelCommand(prompts, options);
      const [directory] = prompts.filter((word) => existsSync(word));
      return sampleCommand(prompts, { ...options, run: requiredRun(options.run, directory) });
    });
}

function addFetch(root: Command): void {
  root
    .command('fetch')
    .description('fetch a model of the Hugging Face hub into its cache on this machine')
    .usage('<owner/name[@revision]> [--offline]')
    .argument('<name>', 'e.g. Qwen/Qwen3-0.6B; HF_TOKEN, HF_ENDPOINT, HF_HOME and HF_HUB_CACHE are heeded')
    .option('--offline', 'ask no network: say where the cache has it (HF_HUB_OFFLINE=1)')
    .option('--json', 'print what was fetched as JSON')
    .action(fetchCommand);
}

function addReport(root: Command): void {
  root
    .command('report')
    .description('make one HTML page of a run: curves, completions, config')
    .usage('--run <directory> [--output <file>]')
    .argument('[words...]')
    .configureHelp({ visibleArguments: () => [] })
    .option('--run <directory>', 'run directory, finished or not, e.g. runs/countdown (required)')
    .option('-o, --output <file>', 'where to write the page (default: report.html in the run directory)')
    .action((words: readonly string[], options) => reportCommand({ ...options, run: onlyRun(words, options.run) }));
}

function addTrack(root: Command): void {
  root
    .command('track')
    .description('send to MLflow what it does not have of a run: report_to: mlflow does so while it trains')
    .usage('--run <directory>')
    .argument('[words...]')
    .configureHelp({ visibleArguments: () => [] })
    .option(
      '--run <directory>',
      'run directory, finished or not, e.g. runs/countdown (required); MLFLOW_TRACKING_URI is heeded',
    )
    .action((words: readonly string[], options) => trackCommand(onlyRun(words, options.run)));
}

function addList(root: Command): void {
  root
    .command('list')
    .description('the tasks with their knobs, the rewards and methods with their options')
    .usage('[tasks | rewards | methods | <name>]')
    .argument('[name]', 'a group, a point of methods, or one task, reward or method; default: all names')
    .option('--json', 'print them as JSON')
    .option('--markdown', 'print all of them as docs/reference/catalogue.md has them')
    .action(listCommand);
}

function addExplain(root: Command): void {
  root
    .command('explain')
    .description('what a key of a config, an option, a metric or a method is, what it takes, and where it stands')
    .usage('<name...>')
    .argument('<name...>', 'keys as the YAML spells them, metrics as the log does: epsilon_high, reward_std, kl')
    .option('--json', 'print it as JSON')
    .action(explainCommand);
}

function addMethods(root: Command): void {
  const methods = root.command('methods').description('what a grpo stage is made of').usage('ls [words] | show <id>');
  methods
    .command('ls', { isDefault: true })
    .description('a line each, by the point of a step at which they act')
    .argument('[words...]', 'points, or words that a method must have: its id, what it does, its paper, its options')
    .option('--json', 'print them as JSON')
    .action(listMethods);
  methods
    .command('show')
    .description('formula, source, options, what it says of others, and the YAML to copy')
    .argument('<id...>')
    .option('--json', 'print it as JSON')
    .action(showMethods);
}

const KNOB = 'a knob and its value, e.g. max=99; repeatable';

function addTasks(root: Command): void {
  const tasks = root
    .command('tasks')
    .description('the tasks, problems of one with verdicts, and the check that every task passes')
    .usage('ls | show <name> | check <name or file> | export <name> | score <name> --file <rows>');
  tasks
    .command('ls', { isDefault: true })
    .description('every task: what it asks, its tier and its levels')
    .argument('[words...]')
    .option('--json', 'print them as JSON')
    .action(([word]: readonly string[], options) => {
      if (word === undefined) return listTasks(options);
      const remedy = 'tasks ls lists them, tasks show NAME shows one, tasks check NAME checks it';
      throw new ConfigError('unknown-command', `tasks ${word} — no such command; ${remedy}.`, { word });
    });
  tasks
    .command('show')
    .description('problems of a task, a right answer and near misses, each with its verdict')
    .argument('<name>', 'a task, or a file of yours such as ./tasks/mine.ts')
    .option('--level <number>', 'preset of its knobs', wholeNumber(0))
    .option('--style <style>', 'compact or plain')
    .option('--set <knob=value>', KNOB, collect)
    .option('-n, --count <number>', 'problems (default: 3)', wholeNumber(1, 1000))
    .option('--seed <number>', 'seed of the training stream (default: 0)', wholeNumber(0))
    .option('--json', 'one JSON object per problem')
    .action(showTask);
  tasks
    .command('check')
    .description(
      'try to break a task: its verifier, split, limits and demonstrations; exit status 1 where that succeeds',
    )
    .argument('<name>', 'a task, or a file of yours such as ./tasks/mine.ts')
    .option('--level <number>', 'at this preset alone (default: at all of them)', wholeNumber(0))
    .option('--style <style>', 'in this style alone: compact or plain')
    .option('--set <knob=value>', KNOB, collect)
    .option('-n, --count <number>', 'problems per setting (default: 200)', wholeNumber(1, 100_000))
    .option(
      '--attempts <number>',
      'texts that are tried on the verifier per setting (default: 5000)',
      wholeNumber(0, 100_000_000),
    )
    .option('--json', 'print what was found as JSON')
    .action(checkTaskCommand);
  tasks
    .command('export')
    .description('problems as rows of JSON Lines: prompt, answer, and what a verdict needs')
    .argument('<name>', 'a task, or a file of yours such as ./tasks/mine.ts')
    .option('--level <number>', 'preset of its knobs', wholeNumber(0))
    .option('--style <style>', 'compact or plain')
    .option('--set <knob=value>', KNOB, collect)
    .option('-n, --count <number>', 'problems (default: 100)', wholeNumber(1, 1_000_000))
    .option('--seed <number>', 'seed of the training stream (default: 0)', wholeNumber(0))
    .addOption(new Option('--split <split>', 'of the training stream, or held out').choices(['train', 'eval']))
    .action(exportTask);
  tasks
    .command('score')
    .description('the verdict of each row of a file, whose rows are those of export with a completion each')
    .argument('<name>', 'a task, or a file of yours such as ./tasks/mine.ts')
    .requiredOption('--file <rows>', 'rows of JSON Lines; a row may say finish_reason: length')
    .action(scoreTask);
}

function addConfigs(root: Command): void {
  const configs = root.command('configs').description('the shipped configs').usage('ls | cp <name> [file]');
  configs
    .command('ls', { isDefault: true })
    .description('what each teaches, and how long it takes')
    .argument('[words...]')
    .configureHelp({ visibleArguments: () => [] })
    .option('--json', 'print them as JSON')
    .action(([word]: readonly string[], options) => {
      if (word === undefined) return listConfigs(options);
      const remedy = 'configs ls lists them, configs cp NAME copies one';
      throw new ConfigError('unknown-command', `configs ${word} — no such command; ${remedy}.`, { word });
    });
  configs
    .command('cp')
    .description('copy one, to change it')
    .argument('<name>')
    .argument('[file]', 'default: <name>.yaml in this directory')
    .option('--force', 'replace the file if it is there')
    .action(copyConfig);
}

function addRuns(root: Command): void {
  const runs = root.command('runs').description('the runs there are, newest first').usage('ls [directory]');
  runs
    .command('ls', { isDefault: true })
    .description('state, steps, accuracy, size of each, and in which keys they differ')
    .argument('[directory]', 'where they lie (default: runs)')
    .option('--json', 'print them as JSON')
    .action(listRuns);
}

function addUi(root: Command): void {
  root
    .command('ui')
    .description('the runs of a folder as pages in a browser: watch, compare, pause, evaluate, stop')
    .usage('[folder] [--port <number>]')
    .argument('[folder]', 'where they lie, or one of them (default: runs)')
    .option('--port <number>', 'port on 127.0.0.1 (default: one that is free)', wholeNumber(1, 65_535))
    .action(uiCommand);
}

function addDoctor(root: Command): void {
  root
    .command('doctor')
    .description('what this machine gives a training; for bug reports')
    .option('--json', 'print it as JSON')
    .action(doctorCommand);
}
