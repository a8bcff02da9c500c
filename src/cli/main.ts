#!/usr/bin/env node
/** rlvr-train: train (default), eval, sample. A user's mistake prints one message and never a stack trace. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { RlvrError } from '../errors.ts';
import { packageVersion } from '../run/fingerprint.node.ts';
import { evalCommand } from './eval.ts';
import { sampleCommand } from './sample.ts';
import { trainCommand } from './train.ts';

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least) {
      throw new InvalidArgumentError(`${text} — use a whole number of ${least} or more.`);
    }
    return value;
  };
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function program(): Command {
  const root = new Command('rlvr-train')
    .description('Train a small language model with reinforcement learning from verifiable rewards, on this machine.')
    .version(packageVersion())
    .showHelpAfterError('(rlvr-train --help lists the commands and flags)')
    .exitOverride();
  root
    .command('train', { isDefault: true })
    .description('train a policy as a config says (the default command)')
    .requiredOption('-c, --config <file>', 'YAML config, e.g. configs/countdown.yaml')
    .option('-o, --output <directory>', 'run directory; default: runs/<config name>, numbered')
    .option('--resume', 'go on with the run in the output directory')
    .option('--force', 'resume although machine, version or config differ')
    .option('--set <key=value>', 'override a key of the config, e.g. grpo.learning_rate=1e-4; repeatable', collect)
    .option('--seed <number>', 'override seed', wholeNumber(0))
    .option('--threads <number>', 'compute threads; default: one a core', wholeNumber(1))
    .option('--backend <name>', 'auto, wasm or reference')
    .option('--max-steps <number>', 'cap the steps of the last stage', wholeNumber(1))
    .option('--quiet', 'print nothing but the final summary as JSON')
    .action(trainCommand);
  root
    .command('eval')
    .description('evaluate a trained policy on all held-out problems')
    .requiredOption('--run <directory>', 'run directory')
    .option('--samples <number>', 'sampled completions a problem', wholeNumber(1), 4)
    .option('--threads <number>', 'compute threads; default: one a core', wholeNumber(1))
    .option('--json', 'print the figures as JSON')
    .action(evalCommand);
  root
    .command('sample')
    .description('ask a trained policy')
    .requiredOption('--run <directory>', 'run directory')
    .argument('[prompt...]', 'prompts; default: some held-out problems')
    .option('-n, --samples <number>', 'completions a prompt', wholeNumber(1), 1)
    .option('-t, --temperature <number>', 'sampling temperature; 0 is greedy', Number, 0)
    .option('--seed <number>', 'seed of the random draws', wholeNumber(0), 0)
    .option('--threads <number>', 'compute threads; default: one a core', wholeNumber(1))
    .action(sampleCommand);
  for (const command of root.commands) command.exitOverride();
  return root;
}

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else if (error instanceof RlvrError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
