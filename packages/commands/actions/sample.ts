/** `rlvr-train sample DIR [PROMPT…]`: ask a trained policy, with prompts from the command, a pipe or a keyboard. */

import { createInterface } from 'node:readline';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printError, printJson } from '../../../src/cli/display/output.ts';
import { exampleLine } from '../../../src/cli/display/reporter.ts';
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { printable } from '../../../src/format.ts';
import type { InferenceLoad } from '../../../src/planning/capacity.ts';
import { conversationLines } from '../display/conversation_lines.ts';
import { episodeWatch } from '../display/watched_episode.ts';
import { type InferenceFlags, openTrained } from '../runs/open_trained.ts';
import { type Answer, PromptAnswerer } from './answers.ts';
import { availableLines, choosePrompts, type PromptSource, promptsOf } from './prompts.ts';

/** 0 is greedy. */

/** Held-out problems shown where no prompt is given. */
const PROBLEMS = 8;
/** Prompts of a pipe that are answered together. */
const TOGETHER = 64;

export interface SampleOptions extends InferenceFlags {
  readonly run: string;
  readonly samples: number;
  readonly temperature: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly interactive?: boolean;
}

export async function sampleCommand(words: readonly string[], options: SampleOptions): Promise<void> {
  const { stdin, stdout } = process;
  const source = choosePrompts(words, { isTerminal: stdin.isTTY && stdout.isTTY, ...options });
  const load = (): InferenceLoad => loadOf(source, words, options.samples);
  const { model, stageIndex, from, close } = await openTrained(options.run, options, load);
  try {
    if (!options.json) print(printable(from));
    const { config, engine } = model;
    const answerer = new PromptAnswerer(engine, config.stages[stageIndex], options);
    const show = options.json ? showObjects : showLines;
    const watch = stdout.isTTY && !options.json ? episodeWatch(engine.tasks) : undefined;
    const ask = (asked: readonly (string | TaskItem)[]): Promise<Answer[]> => answerer.answer(asked, watch);
    if (source === 'words') {
      const answers = await ask(promptsOf(words, engine.tasks));
      if (answers.length === 1 && answers[0].error !== undefined && !options.json) throw answers[0].error;
      show(answers);
      return;
    }
    if (source === 'pipe') {
      let isEmpty = true;
      for await (const prompts of availableLines(stdin, TOGETHER)) {
        isEmpty = false;
        show(await ask(prompts));
      }
      if (!isEmpty) return;
    }
    show(await ask(heldOut(engine.tasks, 0)));
    if (source === 'keyboard') await converse(ask, engine.tasks);
  } finally {
    await close();
  }
}

function loadOf(source: PromptSource, { length }: readonly string[], samples: number): InferenceLoad {
  return { prompts: source === 'words' ? length : source === 'pipe' ? TOGETHER : PROBLEMS, samples };
}

/** Some held-out problems, from the one with this index on. */
function heldOut(tasks: TaskSet, first: number, count = PROBLEMS): readonly TaskItem[] {
  const items = tasks.heldOutItems();
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[(first + i) % items.length]);
}

/** Answers what is typed, line by line, until Ctrl-D. */
async function converse(
  ask: (asked: readonly (string | TaskItem)[]) => Promise<Answer[]>,
  tasks: TaskSet,
): Promise<void> {
  const [example] = tasks.heldOutItems();
  const hint = `type a prompt such as ${printable(example.prompt)} — Enter alone: a held-out problem; Ctrl-D: end`;
  print(colors.dim(hint));
  const reader = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ', historySize: 1000 });
  let shown = PROBLEMS;
  reader.prompt();
  for await (const line of reader) {
    showLines(await ask(line.trim() === '' ? heldOut(tasks, shown++, 1) : [line]), { isTyped: true });
    reader.prompt();
  }
  print(''); // Ctrl-D leaves the cursor behind the prompt
}

/** @param options.isTyped  whether someone can type the prompt again: a mistake does not end with exit code 1 then */
function showLines(answers: readonly Answer[], { isTyped = false } = {}): void {
  for (const { prompt, completions, error, watched } of answers) {
    if (error !== undefined) {
      printError(error.message);
      if (!isTyped) process.exitCode = 1;
    }
    for (const { text, verdict, turns } of watched ? [] : completions) {
      if (verdict !== undefined && turns !== undefined) {
        print([exampleLine({ prompt, completion: '', verdict }), ...conversationLines(turns)].join('\n'));
        continue;
      }
      const line =
        verdict === undefined
          ? `  ${colors.dim('–')}      ${printable(prompt)} ${printable(text)}`
          : exampleLine({ prompt, completion: text, verdict });
      print(line);
    }
  }
  for (const unjudged of new Set(answers.flatMap(({ unjudged: why }) => why ?? []))) {
    print(`  ${colors.dim(`– not judged: ${printable(unjudged)}`)}`);
  }
}

/** One object per completion; `sample` counts those of a prompt that has several. */
function showObjects(answers: readonly Answer[]): void {
  for (const { prompt, completions, unjudged, error } of answers) {
    if (error !== undefined) {
      writeObject({ prompt, error: error.message });
      process.exitCode = 1;
    }
    completions.forEach(({ text, verdict, turns, tokens, logprobs, finishReason }, sample) => {
      writeObject({
        prompt,
        ...(completions.length > 1 && { sample }),
        completion: text,
        ...(turns && {
          turns: turns.map(({ label, text: said, tokens: own }) => ({ label, text: said.trim(), tokens: own.length })),
        }),
        tokens: [...tokens],
        finish_reason: finishReason,
        logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0),
        verdict: verdict?.status ?? null,
        score: verdict?.score ?? null,
        reason: verdict?.reason ?? `not judged: ${unjudged}`,
      });
    });
  }
}

function writeObject(object: object): void {
  printJson(JSON.stringify(object));
}
