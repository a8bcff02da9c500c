/** What the policy has read before each of its turns is what transformers renders, and its own turns stay as sampled. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_TURN } from '../../../../src/data/environment.ts';
import { observationTokens } from '../../../../src/data/prompts/observation_tokens.ts';
import type { Codec } from '../../../../src/text/codec.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

interface Case {
  readonly template: string;
  readonly bos: string;
  readonly eos: string;
  readonly eos_id: number;
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** What every answer begins with. */
  readonly thought: string;
  readonly role: 'user' | 'tool';
  /** What the template takes back of a former turn: thoughts, or the place of none. */
  readonly taken_back: string;
  /** [turns] ids before each turn of the policy, the whole conversation rendered by transformers. */
  readonly asked: readonly (readonly number[])[];
  /** [turns] ids of the answers, and others that decode to the same text. */
  readonly actions: readonly (readonly number[])[];
  readonly drawn: readonly (readonly number[])[];
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/${name}.json`, import.meta.url), 'utf8'));
const text = read('text');
const golden = read('turns');
const cases = Object.entries(golden.cases as Record<string, Case>);

function codecOf({ template, bos, eos, eos_id, kwargs }: Case): Codec {
  const { tokenizer } = text.tokenizers.smollm;
  const words = golden.added.map((added: { id: number; content: string }) => ({
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ...added,
  }));
  const files = {
    tokenizer: { ...tokenizer, added_tokens: [...tokenizer.added_tokens, ...words] },
    config: { bos_token: bos, eos_token: eos, pad_token: '<|endoftext|>' },
    chatTemplate: golden.templates[template] ?? text.templates[template].template,
    eosTokenIds: [eos_id],
    source: template,
  };
  return pretrainedCodec(files, { vocabSize: 512, chatTemplateKwargs: kwargs });
}

/** [turns] the ids before each turn of a policy that samples these. */
function askedAfter(test: Case, sampled: Case['actions']): number[][] {
  const codec = codecOf(test);
  const from = test.role === 'tool' ? 'a_tool' : ENVIRONMENT_TURN;
  const asked = [[...codec.encode(codec.render([{ role: 'user', content: golden.question }]))]];
  golden.observations.forEach((said: string, k: number) => {
    const observation = observationTokens(codec, said, from, 'eos');
    asked.push([...asked[k], ...sampled[k], codec.eosTokenId, ...observation]);
  });
  return asked;
}

it('an observation may hold any words, those that stand for an answer too', () => {
  const [[, chatml]] = cases;
  const codec = codecOf(chatml);
  const words = (said: string): string => codec.decode(observationTokens(codec, said, ENVIRONMENT_TURN, 'eos'));
  const said = 'ANSWER OF THE POLICY';
  expect(words(said)).toBe(words('other').replace('other', said));
});

/** Without the first so many times that these ids are there. */
function without(ids: readonly number[], part: readonly number[], times: number): number[] {
  const kept: number[] = [];
  let left = part.length === 0 ? 0 : times;
  for (let i = 0; i < ids.length; ) {
    if (left > 0 && part.every((id, k) => ids[i + k] === id)) {
      i += part.length;
      left--;
    } else kept.push(ids[i++]);
  }
  return kept;
}

describe.each(cases)('a conversation of three turns through %s', (_name, test) => {
  it("is transformers' apply_chat_template, token for token, where the template keeps former turns", () => {
    const asked = askedAfter(test, test.actions);
    expect(asked).toHaveLength(3);
    const takenBack = [...codecOf(test).encode(test.taken_back)];
    // What a template takes back of the k former turns stays as the policy has read and written it.
    expect(asked.map((ids, k) => without(ids, takenBack, k))).toEqual(test.asked);
    if (takenBack.length === 0) expect(asked).toEqual(test.asked);
    else expect(asked[2]).toHaveLength(test.asked[2].length + 2 * takenBack.length);
  });

  it('keeps the ids that were sampled, also where their text has others', () => {
    expect(test.drawn).not.toEqual(test.actions);
    const codec = codecOf(test);
    test.drawn.forEach((ids, k) => expect(codec.decode(ids)).toBe(codec.decode(test.actions[k])));
    const [asked, drawn] = [askedAfter(test, test.actions), askedAfter(test, test.drawn)];
    let [inAsked, inDrawn] = [asked[0].length, drawn[0].length];
    for (const k of [0, 1]) {
      const begin = inDrawn;
      inDrawn += test.drawn[k].length;
      inAsked += test.actions[k].length;
      expect(drawn[2].slice(begin, inDrawn)).toEqual(test.drawn[k]);
      // What is said after a turn does not depend on how the turn was sampled.
      const said = drawn[k + 1].slice(inDrawn);
      expect(said).toEqual(asked[k + 1].slice(inAsked));
      inDrawn += said.length;
      inAsked += said.length;
    }
  });
});
