/**
 * An environment on an OpenEnv server as a task. A problem is a seed of its reset: what reset says of it is asked when the
 * task is opened, and again in each episode, which has a session of its own.
 */

import { mostEpisodeTokens } from '../../../../src/data/environment.ts';
import { type Conversation, conversationOf, refuseConversation, takeKnobs } from '../../../../src/data/knobs.ts';
import { openingOf } from '../../../../src/data/prompts/style.ts';
import type { Knobs, Split, Task, TaskItem, TaskLanguage } from '../../../../src/data/task.ts';
import { ConfigError } from '../../../../src/errors.ts';
import type { AnswerFiles, Connect } from '../../../../src/http/servers.ts';
import { missing } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { asksInWords, type Codec, type Message } from '../../../../src/text/codec.ts';
import { characterTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { serverAddress, withoutSecrets } from '../../../http/address.ts';
import { ownConnect } from '../../../http/own_socket.ts';
import { keyedPermutation } from '../datasets/permutation.ts';
import { OPENENV, type OpenEnvKnobs, openEnvCard } from './card.ts';
import { fault, shown } from './faults.ts';
import { ignoredSeed } from './ignored_seed.ts';
import { AnswerRecord } from './record.ts';
import { OpenEnvServer, type Seeded } from './server.ts';
import type { ServerAccess } from './session.ts';
import { introduction, toolNotation } from './tools.ts';

export interface OpenEnvOptions {
  /** Where its knobs are written, for messages. Default `task`. */
  readonly path?: string;
  /** The codec of the model that the run begins with; default: the characters that the knobs say. */
  readonly codec?: Codec | undefined;
  /** Opens WebSockets; default: this engine's own. */
  readonly connect?: Connect | undefined;
  /** Sent as `Authorization: Bearer …`, which a browser's WebSocket cannot. */
  readonly token?: string | undefined;
  /** Answers of the run that is resumed. */
  readonly answers?: AnswerFiles | undefined;
  /** Most turns of an episode where turns are calls of tools, as TRL's key has it. */
  readonly maxToolCallingIterations?: number | undefined;
}

/**
 * Opens the task: connects, and asks for its problems, unless a resumed run has them.
 *
 * @param given  as written in the YAML under `task:`, without the name
 * @throws ConfigError, PluginError where the server is not there, or is not what it should be
 */
export async function openOpenEnv(
  given: Readonly<Record<string, unknown>>,
  options: OpenEnvOptions = {},
): Promise<Task> {
  const { path = 'task', codec, answers } = options;
  const knobs = limitedTurns(takeKnobs(openEnvCard, given, path) as unknown as OpenEnvKnobs, options); // as its table says
  if (given.won !== undefined && knobs.reward_range !== undefined)
    throw refused(path, 'won', given.won, 'reward_range says which reward is won; leave it out');
  if (given.style !== undefined) throw refused(path, 'style', given.style, 'it is asked as it is; leave it out');
  const conversation = asksInWords(codec) ? conversationOf(openEnvCard, { examples: 0, ...given }, path) : undefined;
  if (conversation === undefined) refuseConversation(openEnvCard, given, path);
  else if (conversation.examples > 0)
    throw refused(path, 'examples', given.examples, 'nobody knows right answers; leave it out');
  const server = new OpenEnvServer(accessOf(knobs, path, options), knobs);
  const recorded = answers && (await new AnswerRecord(answers).problems());
  const count = knobs.held_out + knobs.train;
  const isNew = recorded?.problems.length !== count;
  if (!isNew) Object.assign(server, recorded);
  else {
    if (knobs.environment !== undefined) await requireEnvironment(server.access, knobs.environment);
    await server.readProblems(count);
  }
  if (conversation === undefined) {
    const characters = charactersOf(server);
    server.isWritable = (text) => text.split('').every((character) => characters.has(character));
  }
  const isInWords = conversation !== undefined;
  const template = codec?.chatTemplate;
  const { tools } = server;
  const callsTools = knobs.action_type === 'tool';
  if (callsTools) server.notation = toolNotation({ tools, template, isInWords, malformed: knobs.malformed });
  if (isNew) server.ignoredSeed = await ignoredSeed(server);
  if (!callsTools) return new OpenEnvTask(server, conversation);
  const { system, tools: shown } = isInWords ? introduction(tools, template) : {};
  const said = [system, conversation?.system].filter((text) => text !== undefined);
  const spoken = conversation && { ...conversation, ...(said.length > 0 && { system: said.join('\n\n') }) };
  return Object.assign(new OpenEnvTask(server, spoken), shown && { tools: shown });
}

function limitedTurns(knobs: OpenEnvKnobs, { maxToolCallingIterations: most }: OpenEnvOptions): OpenEnvKnobs {
  if (knobs.action_type !== 'tool' || most === undefined) return knobs;
  return { ...knobs, max_turns: Math.min(knobs.max_turns, most) };
}

function refused(path: string, key: string, value: unknown, rule: string): ConfigError {
  return new ConfigError('bad-option', `${path}.${key}: ${JSON.stringify(value)} — ${rule}.`, { key, value });
}

function accessOf({ url, timeout }: OpenEnvKnobs, path: string, { connect, token }: OpenEnvOptions): ServerAccess {
  const address = serverAddress(url.replace(/^ws/, 'http'));
  if (address === undefined) {
    throw refused(path, 'url', withoutSecrets(url), 'not the address of a server; for example ws://127.0.0.1:8000');
  }
  if (address.authorization !== undefined || address.query.size > 0 || /[?#@]/.test(url)) {
    const rule = 'a config keeps no secrets; leave out what comes before @ or after ?, and set OPENENV_TOKEN';
    throw refused(path, 'url', withoutSecrets(url), rule);
  }
  const open = connect ?? ownConnect();
  if (open === undefined) {
    const rule =
      'this JavaScript engine has no WebSocket; use Node 22, or give options.connect: connectWebSocket of rlvr-train/node';
    throw refused(path, 'url', url, rule);
  }
  return {
    address: `${address.uri.replace(/^http/, 'ws').replace(/\/ws$/, '')}/ws`,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    connect: open,
    limitSeconds: timeout,
  };
}

/** @throws PluginError where the server has another one */
async function requireEnvironment({ address, headers }: ServerAccess, name: string): Promise<void> {
  const asked = `${address.replace(/^ws/, 'http').replace(/\/ws$/, '')}/list_environments`;
  let names: unknown;
  try {
    names = await (await fetch(asked, { headers: { ...headers } })).json();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = 'leave environment out where nothing answers there, as for a page of another origin';
    throw fault(address, 'unnamed', `${asked} does not say which environments it has (${why})`, remedy);
  }
  if (Array.isArray(names) && names.includes(name)) return;
  const remedy = 'correct environment, or url';
  throw fault(address, 'no-environment', `it has no environment ${shown(name)} (it has: ${shown(names)})`, remedy);
}

/** What all is written with for a model of random weights. */
function charactersOf({ knobs, tools, problems }: OpenEnvServer): ReadonlySet<string> {
  const calls = tools.length === 0 ? '' : `<call></call> ${tools.map(({ name }) => name).join('')}`;
  const asked = [knobs.prompt ?? '', '\n', ...new Set(problems)];
  return new Set([knobs.characters, knobs.malformed, calls, ...asked].flatMap((text) => text.split('')));
}

class OpenEnvTask implements Task {
  readonly name = OPENENV;
  readonly version = openEnvCard.version;
  readonly knobs: Knobs;
  readonly style = 'compact';
  /** Unknown: an environment elsewhere has no random player. */
  readonly chance = 0;
  readonly language: TaskLanguage;
  readonly opening: readonly Message[];
  readonly toolNames: readonly string[];
  readonly distant: OpenEnvServer;
  readonly leak?: string;
  readonly undemonstrated =
    'an environment elsewhere has no teacher; give the stage data_files with rows of yours, or leave it out';
  #order: { readonly key: string; readonly at: (index: number) => number } | undefined;

  constructor(server: OpenEnvServer, conversation: Conversation | undefined) {
    const { knobs, problems, tools } = server;
    this.knobs = knobs as unknown as Knobs; // as the YAML has them, so plain data
    this.distant = server;
    if (server.ignoredSeed !== undefined) this.leak = server.ignoredSeed;
    this.toolNames = tools.map(({ name }) => name);
    this.opening = conversation ? openingOf(conversation, (index) => this.trainItem(-1, index)) : [];
    const turns = {
      maxTurns: knobs.max_turns,
      actionTokens: knobs.action_tokens,
      observationTokens: knobs.observation_tokens,
    };
    const tokens = [...charactersOf(server)];
    this.language = {
      tokenizer: characterTokenizer({ name: OPENENV, tokens }),
      promptTokens: Math.max(...problems.map((_, seed) => this.#prompt(seed).length)),
      completionTokens: mostEpisodeTokens(turns),
      fixedCompletionTokens: undefined,
      turns,
      limitsAreTokens: true,
    };
  }

  #prompt(seed: number): string {
    const said = this.distant.problems[seed];
    return [this.distant.knobs.prompt ?? '', said].filter((text) => text !== '').join('\n');
  }

  #item(seed: number, split: Split): TaskItem {
    return {
      id: `${OPENENV}-v${this.version}/${split}/${seed}`,
      key: `${OPENENV}|${seed}`,
      split,
      prompt: this.#prompt(seed),
      answer: '',
      identity: { seed } satisfies Seeded,
      weight: 1,
    };
  }

  trainItem(seed: number, index: number): TaskItem {
    const { train, held_out } = this.distant.knobs;
    const key = `${OPENENV}|${seed}|${Math.floor(index / train)}`;
    if (this.#order?.key !== key) this.#order = { key, at: keyedPermutation(key, train) };
    return this.#item(held_out + this.#order.at(index % train), 'train');
  }

  trainProblems(): number {
    return this.distant.knobs.train;
  }

  heldOutItems(): readonly TaskItem[] {
    return Array.from({ length: this.distant.knobs.held_out }, (_, seed) => this.#item(seed, 'eval'));
  }

  /** The seed of a text is never looked up. */
  parse(): undefined {
    return undefined;
  }

  /** @throws ConfigError: an environment elsewhere has no teacher */
  demonstration(): string {
    throw new ConfigError('no-demonstrations', `task: ${OPENENV} — ${this.undemonstrated}.`, { task: OPENENV });
  }

  verify(): Verdict {
    return missing('episodes are judged by their environment');
  }
}
