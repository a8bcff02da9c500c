/** `rlvr-train sample --model PATH [PROMPT…]`: ask a pretrained model, through its own chat template. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { DataError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { samplingKey } from '../../../src/grpo/run.ts';
import type { Capacity } from '../../../src/model/memory/capacity.ts';
import { Policy } from '../../../src/model/policy.ts';
import { type Completion, generate, wholeVocabulary } from '../../../src/model/sampling/generation.ts';
import type { Codec } from '../../../src/text/codec.ts';
import { type ModelFlags, openTypedModel } from '../../models/run/model/configured_model.node.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { availableLines, choosePrompts } from './prompts.ts';

export interface SampleModelOptions extends ModelFlags {
  readonly samples: number;
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens?: number;
  readonly threads?: number;
  readonly json?: boolean;
  readonly interactive?: boolean;
}

const DEFAULT_TOKENS = 256;
/** Longest prompt of a pipe or keyboard, in tokens; words of the command have the room that they need. */
const TYPED_TOKENS = 1024;

/** @throws DataError, CheckpointError, MemoryPlanError */
export async function sampleModelCommand(words: readonly string[], options: SampleModelOptions): Promise<void> {
  const { stdin, stdout } = process;
  const source = choosePrompts(words, { isTerminal: stdin.isTTY && stdout.isTTY, ...options });
  if (source === 'nowhere') {
    throw new DataError('no-prompt', 'sample --model: no prompt — give one: sample --model PATH "…", or a pipe.');
  }
  const pretrained = await openTypedModel(options);
  const { codec, model } = pretrained;
  const { maxTokens = DEFAULT_TOKENS, samples, threads } = options;
  const tokensOf = (content: string): Int32Array => codec.encode(codec.render([{ role: 'user', content }]));
  const longest = Math.max(0, ...words.map((word) => tokensOf(word).length));
  const room = source === 'words' ? longest : Math.min(TYPED_TOKENS, model.context - maxTokens);
  requireContext(pretrained, room, maxTokens);
  const backend = await chooseBackend({ backend: 'auto', threads });
  const policy = await Policy.open(backend, model.shape, capacityOf(room, maxTokens, samples));
  try {
    await pretrained.loadWeights(policy);
    let asked = 0;
    const answer = async (prompts: readonly string[]): Promise<void> => {
      const requests = prompts.map((content) => {
        const prompt = tokensOf(content);
        if (prompt.length > room) throw tooLong(pretrained, prompt.length, room, maxTokens);
        return { prompt, rolloutNumbers: Array.from({ length: samples }, () => asked++) };
      });
      const answers = await generate(policy, requests, {
        sampling: wholeVocabulary(options.temperature),
        samplingKey: samplingKey(options.seed, 'sample'),
        maxCompletionTokens: maxTokens,
        stopIds: codec.stopIds,
      });
      prompts.forEach((prompt, i) => show(prompt, answers[i], codec, options));
    };
    if (source === 'words') await answer(words);
    else for await (const lines of availableLines(stdin, 1)) await answer(lines);
  } finally {
    await policy.close();
  }
}

function show(prompt: string, completions: readonly Completion[], codec: Codec, { json }: SampleModelOptions): void {
  completions.forEach(({ tokens, logprobs, finishReason }, sample) => {
    const completion = codec.decode(finishReason === 'eos' ? tokens.subarray(0, -1) : tokens);
    if (!json) {
      print(`  ${colors.dim(printable(prompt))} ${printable(completion)}`);
      return;
    }
    const logprob = logprobs.reduce((sum, value) => sum + value, 0);
    const which = completions.length > 1 ? { sample } : {};
    printJson(
      JSON.stringify({ prompt, ...which, completion, tokens: [...tokens], finish_reason: finishReason, logprob }),
    );
  });
}

function capacityOf(promptTokens: number, completionTokens: number, samples: number): Capacity {
  const rows = Math.max(promptTokens, samples);
  return {
    rows,
    lossRows: samples,
    groups: 1,
    completions: samples,
    kvRows: Math.max(rows, promptTokens + samples * completionTokens),
    context: promptTokens + completionTokens,
    training: false,
    keptRows: 0,
  };
}

function requireContext(pretrained: Pretrained, prompt: number, completion: number): void {
  const { context } = pretrained.model;
  if (prompt > 0 && prompt + completion <= context) return;
  throw tooLong(pretrained, prompt, Math.max(0, context - completion), completion);
}

function tooLong({ name, model }: Pretrained, length: number, most: number, completion: number): DataError {
  const rule = `an answer of ${completion} tokens leaves ${most} for it in ${name} (${model.contextKey} ${model.context})`;
  return new DataError('too-long', `prompt: ${length} tokens — ${rule}; shorten it, or lower --max-tokens.`, {
    length,
    most,
  });
}
