/** The bodies of `/v1/chat/completions`, `/v1/completions` and `/inference/v1/generate`: questions, and what is told of them. */
import type { SamplingSettings } from '../../src/model/sampling/settings.ts';
import type { JsonObject } from '../../src/run/json.ts';
import { asksInWords, type Message, promptOf } from '../../src/text/codec.ts';
import type { Answering } from '../models/asked/asked_policy.ts';
import { showsTools } from '../zoo/data/tools/call_formats.ts';
import type { Question } from './answer_queue.ts';
import { ApiError } from './api_error.ts';
import { areIds, Body, isObject } from './body.ts';

/** Answers to one prompt, at most. */
const MOST_ANSWERS = 128;
const MOST_STOPS = 16;
/** What other servers take and means nothing here: it changes no answer. */
const IGNORED = ['user', 'metadata', 'store', 'cache_salt', 'priority', 'service_tier', 'parallel_tool_calls'];

/** What is answered, and how. */
export interface Asked extends Telling {
  /** One for each prompt. */
  readonly questions: readonly Omit<Question, 'onToken' | 'signal'>[];
}

/** How answers are told. */
export interface Telling {
  readonly questions: readonly Pick<Question, 'prompt' | 'n'>[];
  /** Texts that end an answer, and are left out of it. */
  readonly stops: readonly string[];
  readonly isStream: boolean;
  /** A stream ends with a chunk that counts tokens. */
  readonly countsTokens: boolean;
  readonly tellsLogprobs: boolean;
  /** Token ids are told, and stand for the tokens of log-probs. */
  readonly tellsIds: boolean;
  /** Calls of tools are read out of answers. */
  readonly hasTools: boolean;
}

/** @throws ApiError, DataError */
export function chatAsked(answering: Answering, object: JsonObject): Asked {
  const body = new Body(object);
  const { codec } = answering;
  const messages = messagesOf(body);
  const choice = body.value('tool_choice');
  const given = body.objects('tools') ?? [];
  const tools = choice === 'none' ? [] : given;
  if (choice !== undefined && choice !== 'auto' && choice !== 'none') {
    throw body.refused('tool_choice', '"auto" or "none": a call cannot be forced');
  }
  if (tools.length > 0 && !showsTools(codec.chatTemplate)) {
    throw new ApiError(
      400,
      'no_tools',
      `tools — the chat template of ${answering.name} has no place for them.`,
      'tools',
    );
  }
  const templateKwargs = body.object('chat_template_kwargs');
  const tellsLogprobs = body.boolean('logprobs') ?? false;
  // Log-probs of the sampled tokens alone.
  body.integer('top_logprobs', { min: 0, max: 0 });
  const last = messages[messages.length - 1];
  const whole = [
    ...messages.slice(0, -1),
    { ...last, ...(tools.length > 0 && { tools }), ...(templateKwargs && { templateKwargs }) },
  ];
  // A closed vocabulary has no roles: one message is a problem, written as its task writes it.
  const isProblem = !asksInWords(codec) && messages.length === 1;
  const prompt = isProblem ? answering.tokensOf(last.content) : codec.encode(promptOf(codec, whole));
  const longest = body.integer('max_completion_tokens', { min: 1 }) ?? body.integer('max_tokens', { min: 1 });
  body.ignore('max_tokens');
  return { ...common(answering, body, [prompt], longest), tellsLogprobs, hasTools: tools.length > 0 };
}

/** @throws ApiError, DataError */
export function completionAsked(answering: Answering, object: JsonObject): Asked {
  const body = new Body(object);
  const { codec } = answering;
  const given = body.value('prompt');
  const isList = Array.isArray(given) && !areIds(given, Number.POSITIVE_INFINITY);
  const prompts = (isList ? given : [given]).map((prompt) => {
    if (typeof prompt === 'string') return asksInWords(codec) ? codec.encode(prompt) : answering.tokensOf(prompt);
    if (prompt !== undefined && areIds(prompt, codec.vocabSize) && prompt.length > 0) return Int32Array.from(prompt);
    throw body.refused('prompt', `a text, token ids below ${codec.vocabSize}, or a list of them`);
  });
  const sampled = body.integer('logprobs', { min: 0, max: 1 });
  for (const key of ['echo', 'suffix', 'best_of']) {
    if (body.value(key)) throw body.refused(key, 'left out: it is not known here');
  }
  const asked = common(answering, body, prompts, body.integer('max_tokens', { min: 1 }));
  return { ...asked, tellsLogprobs: sampled !== undefined, hasTools: false };
}

/** Ids in, ids out: for trainers that write their own prompts. @throws ApiError */
export function generateAsked(answering: Answering, object: JsonObject): Asked {
  const body = new Body(object);
  const prompt = body.ids('token_ids', answering.codec.vocabSize);
  if (prompt === undefined) throw new ApiError(400, 'missing', 'token_ids — missing: the prompt.', 'token_ids');
  body.text('model');
  const params = new Body(body.object('sampling_params') ?? {});
  body.ignore(...IGNORED);
  body.end();
  params.integer('logprobs', { min: 0, max: 1 });
  params.ignore('skip_special_tokens');
  const longest = params.integer('max_tokens', { min: 1 });
  const asked = common(answering, params, [Int32Array.from(prompt)], longest);
  return { ...asked, tellsLogprobs: true, tellsIds: true, hasTools: false };
}

/** Keys that all routes have. */
function common(
  { name, codec, policy, end }: Answering,
  body: Body,
  prompts: readonly Int32Array[],
  longest: number | undefined,
): Omit<Asked, 'tellsLogprobs' | 'hasTools'> {
  const sampling = samplingOf(body);
  const n = body.integer('n', { min: 1, max: MOST_ANSWERS }) ?? 1;
  const seed = body.integer('seed', { min: 0 });
  const stops = stopsOf(body);
  const stopIds = [...end.stopIds, ...(body.ids('stop_token_ids', codec.vocabSize) ?? [])];
  const form = formOf(body);
  for (const key of ['frequency_penalty', 'presence_penalty']) {
    if (body.value(key)) throw body.refused(key, '0: answers are drawn from the policy itself');
  }
  body.text('model');
  body.ignore(...IGNORED);
  body.end();
  const { context } = policy.capacity;
  const questions = prompts.map((prompt) => {
    const room = context - prompt.length;
    const maxTokens = longest ?? Math.min(end.maxCompletionTokens, room);
    if (prompt.length === 0) throw new ApiError(400, 'empty', 'the prompt is empty; give at least one token.');
    if (room < 1 || maxTokens > room) {
      const lengths = `the prompt has ${prompt.length} tokens, and the answer may have ${longest ?? 'one or more'}`;
      const message = `${lengths}; ${name} was opened for ${context} in all. Shorten it, or lower max_tokens.`;
      throw new ApiError(413, 'context_length_exceeded', message);
    }
    const fixed = end.fixedCompletionTokens;
    const isFixed = fixed !== undefined && maxTokens >= fixed;
    const most = isFixed ? fixed : maxTokens;
    return { prompt, sampling, n, seed, maxTokens: most, stopIds: fixed === undefined ? stopIds : [], isFixed };
  });
  return { questions, stops, ...form };
}

/** The form of an answer. */
function formOf(body: Body): Pick<Telling, 'isStream' | 'countsTokens' | 'tellsIds'> {
  const isStream = body.boolean('stream') ?? false;
  const options = new Body(body.object('stream_options') ?? {});
  const countsTokens = options.boolean('include_usage') ?? false;
  options.end();
  const tellsIds = body.boolean('return_token_ids') ?? false;
  const asIds = body.boolean('return_tokens_as_token_ids') ?? false;
  const format = body.object('response_format')?.type ?? 'text';
  if (format !== 'text') throw body.refused('response_format', '{"type": "text"}');
  return { isStream, countsTokens, tellsIds: tellsIds || asIds };
}

/** What a training decides: it draws from the policy itself, as its config says. */
const OF_THE_RUN = ['temperature', 'top_p', 'top_k', 'min_p', 'seed', 'max_tokens', 'max_completion_tokens'];
const OF_NOBODY = ['model', 'chat_template_kwargs', 'frequency_penalty', 'presence_penalty'];

/** A call for the next turn of an episode. */
export interface TurnAsked extends Omit<Telling, 'questions' | 'stops' | 'hasTools'> {
  readonly messages: readonly Message[];
  /** Absent: the call says nothing of them. */
  readonly tools: readonly JsonObject[] | undefined;
}

/** @throws ApiError */
export function turnAsked(object: JsonObject): TurnAsked {
  const body = new Body(object);
  const messages = messagesOf(body);
  const choice = body.value('tool_choice') ?? 'auto';
  if (choice !== 'auto') throw body.refused('tool_choice', '"auto": an episode has its tools, and no call is forced');
  const tools = body.objects('tools');
  body.integer('n', { min: 1, max: 1 });
  const stops = stopsOf(body);
  if (stops.length > 0) throw body.refused('stop', 'left out: the policy ends its turns itself');
  const tellsLogprobs = body.boolean('logprobs') ?? false;
  body.integer('top_logprobs', { min: 0, max: 0 });
  const form = formOf(body);
  body.ignore(...OF_THE_RUN, ...OF_NOBODY, ...IGNORED);
  body.end();
  return { messages, tools, tellsLogprobs, ...form };
}

function samplingOf(body: Body): SamplingSettings {
  const topK = body.integer('top_k', { min: -1 }) ?? 0;
  const minP = body.number('min_p', { min: 0, max: 1 }) ?? 0;
  return {
    temperature: body.number('temperature', { min: 0, max: 100 }) ?? 1,
    topK: Math.max(0, topK),
    topP: body.number('top_p', { min: Number.MIN_VALUE, max: 1 }) ?? 1,
    minP: minP === 0 ? null : minP,
  };
}

function stopsOf(body: Body): readonly string[] {
  const given = body.value('stop') ?? [];
  const stops = Array.isArray(given) ? given : [given];
  if (stops.length <= MOST_STOPS && stops.every((stop) => typeof stop === 'string' && stop !== '')) return stops;
  throw body.refused('stop', `a text, or up to ${MOST_STOPS} of them`);
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

/** The conversation; members of a message other than role and text go to the chat template as they are. */
function messagesOf(body: Body): readonly Message[] {
  const given = body.objects('messages');
  if (given === undefined || given.length === 0) {
    throw new ApiError(
      400,
      'missing',
      'messages — missing: at least one, such as {"role": "user", "content": "…"}.',
      'messages',
    );
  }
  return given.map(({ role, content, ...others }, i) => {
    if (typeof role !== 'string' || !ROLES.includes(role)) {
      throw new ApiError(
        400,
        'invalid_value',
        `messages[${i}].role: ${JSON.stringify(role)} — one of ${ROLES.join(', ')}.`,
        'messages',
      );
    }
    const text = textOf(content);
    if (text === undefined) {
      const rule = 'a text, or parts of type "text": a policy here reads nothing else';
      throw new ApiError(400, 'invalid_value', `messages[${i}].content — must be ${rule}.`, 'messages');
    }
    const fields = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
    const all = content === null && fields.tool_calls !== undefined ? { ...fields, content: null } : fields;
    return {
      role: (role === 'developer' ? 'system' : role) as Message['role'],
      content: text,
      ...(Object.keys(all).length > 0 && { fields: all }),
    };
  });
}

function textOf(content: JsonObject[string] | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (isObject(part) && part.type === 'text' ? part.text : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}
