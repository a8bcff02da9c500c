/** Runs of the arena, each an ordinary run directory that `rlvr-train --seeds` trains, resumes or keeps. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRecords } from '../../build/packages/commands/runs/read_records.js';
import { majorityAt } from '../../build/packages/zoo/methods/support/figures/majority_at.js';
import { fileStore } from '../../build/src/run/store/files.node.js';
import { compactRecord } from './records.mjs';
import { assignments } from './rows.mjs';

const COMMAND = new URL('../../dist/cli/main.js', import.meta.url).pathname;
/** Lines of a failed run's own words that are shown: the message, and before it what the run has noticed. */
const SHOWN_LINES = 16;

/** Runs that have failed, in their own words. */
export class RunFailed extends Error {}

export class Runner {
  #configs;
  #runs;
  #machine;
  #fleet;
  /** Starts under way or made, by directory: rows that share one wait for it. */
  #starts = new Map();
  #children = new Set();

  /** @param configs  folder of the configs @param runs  folder of the run directories @param fleet  address of a server, or undefined */
  constructor({ configs, runs, machine, fleet }) {
    this.#configs = configs;
    this.#runs = runs;
    this.#machine = machine;
    this.#fleet = fleet;
  }

  /** Trains a run, or what is left of it. @returns its record @throws RunFailed */
  async record({ row, name, seed, set, start }) {
    const further =
      start === undefined ? [] : [`model_name_or_path=${JSON.stringify(await this.#start(row.task, start))}`];
    const directory = await this.#train(row.config, join(row.task, name), seed, [
      ...assignments('grpo', set),
      ...further,
    ]);
    const summary = JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8'));
    const metrics = readFileSync(join(directory, 'metrics.jsonl'), 'utf8').trimEnd().split('\n').map(JSON.parse);
    const records = await readRecords(fileStore(directory), 'final', directory);
    const { gitCommit: commit } = JSON.parse(readFileSync(join(directory, 'fingerprint.json'), 'utf8'));
    return compactRecord({ records, summary, metrics, majorityAt, machine: this.#machine, commit });
  }

  /** Ends what is under way; it is saved, and is resumed by the next sitting. */
  stop() {
    for (const child of this.#children) child.kill('SIGINT');
  }

  #start(task, { config, set, seed, name }) {
    const key = join(task, name, String(seed));
    if (!this.#starts.has(key))
      this.#starts.set(key, this.#train(config, join(task, name), seed, assignments('sft', set)));
    return this.#starts.get(key);
  }

  /** @returns the directory of the finished run */
  async #train(config, name, seed, set) {
    const output = join(this.#runs, name);
    const directory = `${output}-seed${seed}`;
    if (existsSync(join(directory, 'summary.json')) && !existsSync(join(directory, 'metrics.jsonl')))
      throw new RunFailed(`${directory}: half of it is missing; remove it.`);
    const words = [
      '--config',
      join(this.#configs, config),
      '--seeds',
      String(seed),
      '--output',
      output,
      '--threads',
      '1',
      ...(this.#fleet === undefined ? [] : ['--fleet', this.#fleet]),
    ];
    await this.#call([...words, ...set.flatMap((one) => ['--set', one]), '--json']);
    if (!existsSync(join(directory, 'summary.json'))) throw new RunFailed(`${directory}: was stopped`);
    return directory;
  }

  /** With an output that is read: a run whose reader has died saves, and ends. */
  #call(words) {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, [COMMAND, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
      this.#children.add(child);
      let said = '';
      child.stdout.resume();
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said = (said + text).slice(-4000);
      });
      child.on('error', fail);
      child.on('close', (code) => {
        this.#children.delete(child);
        if (code === 0) done();
        else fail(new RunFailed(said.trim().split('\n').slice(-SHOWN_LINES).join('\n  ') || `ended with code ${code}`));
      });
    });
  }
}
