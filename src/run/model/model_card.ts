/** A model's README.md: what it is, and Python that runs it. */
import { counted, percent, printable, thousands } from '../../format.ts';
import { type ConfiguredModel, type Progress, stepsOf } from '../../grpo/run.ts';
import type { Evaluation, Example } from '../../methods/records.ts';
import type { StageConfig } from '../../methods/stage.ts';
import type { Estimate } from '../../methods/statistics.ts';
import { countParameters } from '../../model/parameters.ts';
import { asksInWords } from '../../text/codec.ts';

/** The origin of the policy's weights, for the card. */
export interface ModelOrigin {
  readonly stage: StageConfig;
  readonly step: number;
  /** Evaluation of these weights; undefined if they were not evaluated. */
  readonly evaluation: Evaluation | undefined;
}

/** README.md of a model, with the head that Hugging Face's hub reads. */
export function modelCard(
  run: ConfiguredModel & Progress,
  { stage, step, evaluation }: ModelOrigin,
  sha256: string,
): string {
  const { config } = run;
  const { tasks } = run.engine;
  const { policy } = run.engine;
  const { adapter } = config;
  const base = run.base?.shown;
  const isClosed = !asksInWords(tasks.codec);
  const [item] = tasks.heldOutItems();
  const example = evaluation?.examples.find(({ verdict }) => verdict.score === 1) ?? evaluation?.examples[0];
  const prompt = example?.prompt ?? item?.prompt ?? '';
  const stages = config.stages.map(({ stage: kind }, i) => `${counted(stepsOf(run, i), 'step')} of ${kind}`);
  const facts = [
    `Task: ${config.tasks.map(({ task }) => code(taskText(task))).join(', ')}.`,
    isClosed
      ? `Prompts: written like ${code(prompt)}, at most ${tasks.maxPromptTokens} tokens of the ${tasks.codec.vocabSize} in its vocabulary. It knows no other text.`
      : `Prompts: through the chat template, asked like ${code(prompt)}${tasks.shares.some(({ task }) => (task.opening ?? []).length > 0) ? ', after the example turns of the run' : ''}.`,
    ...(evaluation === undefined ? [] : [`Accuracy: ${accuracyText(evaluation)}.`]),
    `Training: ${stages.join(', then ')}, seed ${config.seed}; these are the weights of ${stage.stage} step ${thousands(step)}.`,
    `Weights: SHA-256 ${code(sha256)}, over the tensors in the order of the file.`,
  ];
  return `---
library_name: ${adapter === undefined ? 'transformers' : 'peft'}
pipeline_tag: text-generation
tags: [rlvr-train, grpo]
---

# ${printable(tasks.name)}

${adapter === undefined ? `A transformer of ${thousands(countParameters(policy.parameters))} parameters, trained by rlvr-train from ${base === undefined ? 'random weights' : code(base)} with verifiable rewards.` : adapterText(run)}

${facts.map((fact) => `- ${fact}`).join('\n')}

## An answer

In this folder:

\`\`\`${isForPeft(run) ? 'python' : 'sh'}
${isForPeft(run) ? (isClosed ? answerScript(prompt, adapter !== undefined) : chatScript(run)) : MERGE}
\`\`\`

${example === undefined ? `A right answer is ${code(item?.answer ?? '')}.` : printedText(example, isForPeft(run))}

## License

${base === undefined ? OWN_LICENSE : `These weights were trained from those of ${code(base)}, whose license holds for them too: write it into the head of this file.`}
`;
}

const OWN_LICENSE =
  'These weights come from no other model and from no data set but the generated problems of the task. Their license is ' +
  'the choice of the person who trained them: write `license: …` into the head of this file.';

/** `An adapter (LoRA, …) of … parameters beside the … of …`. */
function adapterText({ config, engine: { policy }, base }: ConfiguredModel): string {
  const { rank = 0, alpha = 0, useRslora = false, useDora = false, targets = [] } = config.adapter ?? {};
  const scale = `r ${rank}, alpha ${alpha}${useRslora ? ', rank-stabilised' : ''}`;
  const [own, all] = [policy.adapterParameters, policy.parameters].map((each) => thousands(countParameters(each)));
  return `An adapter (${useDora ? 'DoRA' : 'LoRA'}, ${scale}, beside ${targets.join(', ')}) of ${own} parameters, trained by rlvr-train with verifiable rewards. It adds to the ${all} of ${code(base?.shown ?? '')}, which stayed as they were.`;
}

/** PEFT opens no adapter of a GGUF file. */
function isForPeft({ config, base }: ConfiguredModel): boolean {
  return config.adapter === undefined || base?.name.name.endsWith('.gguf') !== true;
}

const MERGE = 'npx --no-install rlvr-train merge . --output ../merged   # a model in the layout of transformers';

/** The same through the chat template, with what precedes a question. */
function chatScript({ engine: { tasks }, config }: ConfiguredModel): string {
  const isAdapter = config.adapter !== undefined;
  const [item] = tasks.heldOutItems();
  const turns = item === undefined ? [] : tasks.environment.prompt(item);
  const { imports, opened } = pythonOf(isAdapter);
  return `${imports}

model = ${opened}.from_pretrained(".")
tokenizer = AutoTokenizer.from_pretrained(".")
messages = ${JSON.stringify(turns)}
prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_tensors="pt", return_dict=True)
answer = model.generate(**prompt)[0, prompt["input_ids"].shape[1]:]
print(tokenizer.decode(answer, skip_special_tokens=True))`;
}

/** Python's imports for opening the model, and the class that opens it. */
function pythonOf(isAdapter: boolean): { readonly imports: string; readonly opened: string } {
  if (!isAdapter) {
    return {
      imports: 'from transformers import AutoModelForCausalLM, AutoTokenizer',
      opened: 'AutoModelForCausalLM',
    };
  }
  return {
    imports: 'from peft import AutoPeftModelForCausalLM\nfrom transformers import AutoTokenizer',
    opened: 'AutoPeftModelForCausalLM',
  };
}

/** Six lines that load the model of their folder and print its answer to a prompt. */
function answerScript(prompt: string, isAdapter: boolean): string {
  const { imports, opened } = pythonOf(isAdapter);
  return `${imports}

model = ${opened}.from_pretrained(".")
tokenizer = AutoTokenizer.from_pretrained(".")
prompt = tokenizer(${JSON.stringify(prompt)}, return_tensors="pt")
answer = model.generate(**prompt)[0, prompt["input_ids"].shape[1]:]
print(tokenizer.decode(answer, skip_special_tokens=True))`;
}

/** @param isPrinted  whether the script above prints it; otherwise it only loads the model */
function printedText({ prompt, completion, verdict }: Example, isPrinted: boolean): string {
  const judged = verdict.score === 1 ? 'right' : `wrong (${printable(verdict.reason)})`;
  const intro = isPrinted ? 'It prints' : `Asked ${code(prompt)}, the model answers`;
  return `${intro} ${code(completion)}, which is ${judged}.`;
}

/** `62.0 % [58.0–65.9] greedy, …`. */
function accuracyText({ accuracy, meanAtK, samples }: Evaluation): string {
  const withInterval = ({ mean, low, high }: Estimate): string =>
    `${percent(mean)} [${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}]`;
  const sampled = `${withInterval(meanAtK)} sampled${samples === 1 ? '' : ` (mean of ${samples})`}`;
  return `${withInterval(accuracy)} greedy, ${sampled}, on ${thousands(accuracy.count)} held-out problems, with 95 % intervals`;
}

/** `countdown`; `sort_digits: {"digits":4}`. */
function taskText({ name, ...knobs }: { readonly name: string }): string {
  return Object.keys(knobs).length === 0 ? name : `${name}: ${JSON.stringify(knobs)}`;
}

/** Text as code within a line, whatever it holds. */
function code(text: string): string {
  const shown = printable(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const room = longest > 0 || /^ .* $/.test(shown) ? ' ' : '';
  return `${fence}${room}${shown}${room}${fence}`;
}
