/** The commands and flags of rlvr-train. A mistake in them is one line that says what to give instead. */
import { Command, InvalidArgumentError } from 'commander';
import { nearestKey } from '../config/unknown_keys.ts';
import { ConfigError } from '../errors.ts';
import { packageVersion } from '../run/fingerprint.node.ts';
import { evalCommand } from './eval.ts';
import { sampleCommand } from './sample.ts';
import { trainCommand } from './train.ts';

const THREADS = 'compute threads; they do not change the result (default: one a core)';

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`use a whole number of ${least} or more.`);
  };
}

function temperature(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('use a number of 0 or more; 0 is greedy.');
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Commander's message and its suggestion, joined into one line. */
function oneLine(message: string): string {
  return `${message
    .trim()
    .replace(/\n\(Did you mean (.+)\?\)/, ' — did you mean $1?')
    .replace(/\s*\n\s*/g, ' ')} (rlvr-train --help lists the commands and flags)\n`;
}

/** What the command line understands. Parsing throws CommanderError, and actions RlvrError, instead of exiting. */
export function program(): Command {
  const root = new Command('rlvr-train')
    .description('Train a small language model with reinforcement learning from verifiable rewards, on this machine.')
    .version(packageVersion())
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .configureOutput({ outputError: (message, write) => write(oneLine(message)) })
    .exitOverride();
  const train = addTrain(root);
  // `evla --run x` comes to train as a word and an unknown flag; the word is the mistake.
  train.configureOutput({
    outputError: (message, write) => {
      const [word] = train.args;
      write(word === undefined || word.startsWith('-') ? oneLine(message) : `${unknownWord(word, root)}\n`);
    },
  });
  addEval(root);
  addSample(root);
  // `train` can be left out, so its flags are the program's own.
  return root.addHelpText('after', () => `\nThe default command:\n\n${train.helpInformation()}`);
}

function addTrain(root: Command): Command {
  return (
    root
      .command('train', { isDefault: true })
      .description('train a policy as a config says (the default command; its name can be left out)')
      // Words that are no command end here, as arguments of the default one.
      .argument('[words...]')
      .usage('--config <file> [options]')
      .configureHelp({ visibleArguments: () => [] })
      .optionsGroup('What to train:')
      .option('-c, --config <file>', 'YAML config, e.g. configs/countdown.yaml (required)')
      .option('--set <key=value>', 'override a key of the config, e.g. grpo.learning_rate=1e-4; repeatable', collect)
      .option('--seed <number>', 'override seed (default: what the config says, else 42)', wholeNumber(0))
      .option('--max-steps <number>', 'cap max_steps of the last stage (default: what the config says)', wholeNumber(1))
      .optionsGroup('Run directory:')
      .option('-o, --output <directory>', 'override output_dir (default: runs/<config name>, numbered)')
      .option('--resume', 'go on with the run in the output directory (TRL: resume_from_checkpoint)')
      .option('--force', 'resume although machine, version or config differ')
      .optionsGroup('Machine:')
      .option('--threads <number>', THREADS, wholeNumber(1))
      .option('--backend <name>', 'auto, wasm or reference (default: what the config says, else auto)')
      .optionsGroup('Other:')
      .option('--quiet', 'print nothing but the final summary as JSON')
      .helpOption('-h, --help', 'show this help')
      .action(async (words: readonly string[], options) => {
        refuseSpacedSet(words, options.set);
        refuseWords(words, root);
        await trainCommand({ ...options, config: required('config', options.config, 'configs/countdown.yaml') });
      })
  );
}

function addEval(root: Command): void {
  root
    .command('eval')
    .argument('[words...]')
    .configureHelp({ visibleArguments: () => [] })
    .description('evaluate a trained policy on all held-out problems')
    .usage('--run <directory> [options]')
    .option('--run <directory>', 'run directory, e.g. runs/countdown (required)')
    .option('--samples <number>', 'sampled completions a problem (num_generations_eval)', wholeNumber(1), 4)
    .option('--threads <number>', THREADS, wholeNumber(1))
    .option('--json', 'print the figures as JSON')
    .action(([word]: readonly string[], options) => {
      if (word !== undefined) {
        throw new ConfigError('missing-flag', `${word} — a run needs its flag; use --run ${word}.`, { word });
      }
      return evalCommand({ ...options, run: required('run', options.run, 'runs/countdown') });
    });
}

function addSample(root: Command): void {
  root
    .command('sample')
    .description('ask a trained policy')
    .usage('--run <directory> [options] [prompt...]')
    .argument('[prompt...]', 'a prompt; default: some held-out problems')
    .option('--run <directory>', 'run directory, e.g. runs/countdown (required)')
    .option('-n, --samples <number>', 'completions a prompt', wholeNumber(1), 1)
    .option('-t, --temperature <number>', 'sampling temperature; 0 is greedy', temperature, 0)
    .option('--seed <number>', 'seed of the random draws', wholeNumber(0), 0)
    .option('--threads <number>', THREADS, wholeNumber(1))
    .action((prompts: readonly string[], options) =>
      sampleCommand(prompts, { ...options, run: required('run', options.run, 'runs/countdown') }),
    );
}

/** @throws ConfigError where a flag that a command cannot do without is not given */
function required(flag: 'config' | 'run', value: string | undefined, example: string): string {
  if (value !== undefined) return value;
  const rule = flag === 'config' ? 'a training needs a YAML config' : 'the directory of a trained run';
  throw new ConfigError('missing-flag', `--${flag}: missing — ${rule}; for example --${flag} ${example}.`, { flag });
}

/** `--set seed 3`: the value has become a word. @throws ConfigError */
function refuseSpacedSet([word]: readonly string[], set: readonly string[] = []): void {
  const key = set.find((override) => !override.includes('='));
  if (word === undefined || key === undefined) return;
  const rule = 'a key and its value are joined by "="';
  throw new ConfigError('spaced-set', `--set ${key} ${word} — ${rule}; use --set ${key}=${word}.`, { key, word });
}

/** @throws ConfigError where there are words: a command that does not exist, or a config without its flag */
function refuseWords([word]: readonly string[], root: Command): void {
  if (word !== undefined) throw new ConfigError('unknown-command', unknownWord(word, root), { word });
}

function unknownWord(word: string, root: Command): string {
  if (/\.ya?ml$/.test(word)) return `${word} — a config needs its flag; use --config ${word}.`;
  const names = root.commands.map((command) => command.name());
  const nearest = nearestKey(word, names);
  if (nearest !== undefined) return `${word} — no such command (${names.join(', ')}); did you mean "${nearest}"?`;
  return `${word} — neither a command (${names.join(', ')}) nor the value of a flag; an output directory is --output ${word}.`;
}
