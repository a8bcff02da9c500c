/** `rlvr-train doctor FILE`: what the log of another trainer shows, and what helped against that in the arena. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { library } from '../../../src/cli/parts.ts';
import { DataError } from '../../../src/errors.ts';
import { gibibytes, printable } from '../../../src/format.ts';
import { diagnoseLog, type LogExamination } from '../../compare/foreign/diagnose_log.ts';
import { joinLogs, type LogEntries, readLogEntries } from '../../compare/foreign/log_entries.ts';
import type { LogOptions } from '../../compare/foreign/log_settings.ts';
import { READING_WORDS } from '../../compare/foreign/reading_words.ts';
import { advised, printAdvice } from '../display/advice.ts';

/** A larger text is longer than a string may be, or takes gigabytes once it is read. */
const MOST_BYTES = 256 * 1024 ** 2;

/** @throws DataError where it is no log, with what to give */
export async function examineLog(
  place: string,
  { json = false, ...options }: Omit<LogOptions, 'registries'> & { readonly json?: boolean },
): Promise<void> {
  const { file, log } = openLog(place);
  const found = diagnoseLog(file, log, { ...options, registries: await library().naming(...(options.set ?? [])) });
  if (json) {
    const { diagnosed, ...rest } = found;
    printJson(JSON.stringify({ log: file, format: log.format, ...rest, advice: advised(diagnosed).advice }));
    return;
  }
  for (const line of headOf(file, log, found)) print(line);
  printAdvice(printable(basename(resolve(file))), found.diagnosed);
  for (const line of tailOf(found)) print(line);
}

/** The log of a file or a folder. */
function openLog(place: string): { readonly file: string; readonly log: LogEntries } {
  const refuse = (rule: string): never => {
    throw new DataError('no-log', `${place}  ${rule}.`, { place });
  };
  const kind = statSync(place, { throwIfNoEntry: false });
  if (kind === undefined) return refuse('does not exist; give the log of a training, or its folder');
  const bytesOf = (file: string): Uint8Array => {
    const { size } = statSync(file);
    if (size > MOST_BYTES) {
      const rule = `has ${gibibytes(size)}, and ${gibibytes(MOST_BYTES, 2)} are read at most`;
      const remedy =
        "keep the lines that have figures (grep -a 'step:' for verl, grep -a \"{'\" for what TRL prints), or give TensorBoard's events";
      throw new DataError('log-too-large', `${file}  ${rule}; ${remedy}.`, { file, size });
    }
    try {
      return readFileSync(file);
    } catch (error) {
      return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}); check its permissions`);
    }
  };
  if (!kind.isDirectory()) return { file: place, log: readLogEntries(place, bytesOf(place)) };
  const names = readdirSync(place);
  if (names.includes('metrics.jsonl')) return refuse(`is a run of rlvr-train; use rlvr-train advise ${place}`);
  const state = newestState(place, names);
  if (state !== undefined) return { file: state, log: readLogEntries(state, bytesOf(state)) };
  const events = names.filter((name) => name.includes('tfevents')).sort();
  if (events.length > 0)
    return { file: place, log: joinLogs(events.map((name) => readLogEntries(name, bytesOf(join(place, name))))) };
  return refuse(
    'holds no trainer_state.json, no checkpoint with one, and no events.out.tfevents… file; give the log itself',
  );
}

/** trainer_state.json of the folder itself, or of its last checkpoint. */
function newestState(folder: string, names: readonly string[]): string | undefined {
  const has = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const checkpoints = names
    .flatMap((name) => /^checkpoint-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
  const places = [folder, ...checkpoints.map((step) => join(folder, `checkpoint-${step}`))];
  return places.map((one) => join(one, 'trainer_state.json')).find(has);
}

function headOf(file: string, { format }: LogEntries, found: LogExamination): string[] {
  const { trainer, entries, firstStep, lastStep, assumed } = found;
  return [
    `${printable(file)}  ${format}, of ${trainer}: ${entries} entries, steps ${firstStep} to ${lastStep}.`,
    ...(assumed.length === 0
      ? []
      : [colors.dim(`Taken as (the log does not say it): ${assumed.map(printable).join('; ')}.`)]),
    '',
  ];
}

/** What was not looked for, and what the settings are called there. */
function tailOf({ trainer, looked, unseen, settings, diagnosed }: LogExamination): string[] {
  const said = diagnosed.map(({ message }) => message).join(' ');
  const named = Object.entries(settings).filter(([key]) => new RegExp(`\\b${key}\\b`).test(said));
  return [
    ...(named.length === 0
      ? []
      : ['', `In ${trainer}: ${named.map(([key, theirs]) => `${key} is ${theirs}`).join(', ')}.`]),
    '',
    colors.dim(`Looked for: ${looked.join(', ')}.`),
    ...(unseen.length === 0
      ? []
      : [
          colors.dim(
            `Could not look for (in brackets: what the log lacks): ${unseen.map(({ code, lacks }) => `${code} (${[...new Set(lacks.map((one) => READING_WORDS[one] ?? one))].join(', ')})`).join('; ')}.`,
          ),
        ]),
  ];
}
