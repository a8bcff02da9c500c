/** MCP tools of an OpenEnv server, by the messages of a real one: what it lists, a call, and what it gives. */
import { expect, it } from 'vitest';
import type { Notation } from '../../../src/data/openenv/actions.ts';
import { introduction, type OfferedTool, offeredTools, toolNotation } from '../../../src/data/openenv/tools.ts';
import { readAnswer, type WireObservation } from '../../../src/data/openenv/wire.ts';
import { RECORDED } from '../../support/loopback_openenv.ts';

const { list, put, wrong, unknown, ship } = RECORDED.tools;

function listed(): readonly OfferedTool[] {
  const answer = readAnswer(list);
  return (answer.type === 'mcp' && offeredTools(answer.tools)) || [];
}

function observed(text: string): WireObservation {
  const answer = readAnswer(text);
  if (answer.type !== 'observation') throw new Error(`${text} is no observation`);
  return answer.data;
}

const notation = (template?: string): Notation =>
  toolNotation({ tools: listed(), template, isInWords: template !== undefined, malformed: '?' });

it('reads what a server lists', () => {
  expect(listed()).toEqual([
    {
      name: 'put',
      description: 'Put that many on the shelf, or take some away; says how many lie there.',
      parameters: { amount: { type: 'integer' } },
    },
    { name: 'ship', description: 'Send what lies on the shelf.', parameters: {} },
  ]);
  expect(offeredTools(undefined)).toBeUndefined();
  const schema = { properties: { rows: { type: 'array' }, how: { type: 'string' } }, required: ['rows'] };
  expect(offeredTools([{ name: 'sum', description: 'Adds.', inputSchema: schema }])).toEqual([
    {
      name: 'sum',
      description: 'Adds.',
      parameters: { rows: { type: 'string' }, how: { type: 'string', optional: true } },
    },
  ]);
});

it('makes an action of a call in the notation of the model, and says what is wrong with others', () => {
  const action = { fields: { type: 'call_tool', tool_name: 'put', arguments: { amount: 2 } } };
  expect(notation().action('<call>put 2</call>')).toEqual(action);
  const hermes = notation('… <tool_call> …');
  expect(hermes.action('<tool_call>{"name": "put", "arguments": {"amount": 2}}</tool_call>')).toEqual(action);
  expect(notation().action('<call>ship</call>')).toEqual({
    fields: { type: 'call_tool', tool_name: 'ship', arguments: {} },
  });
  for (const text of ['', 'put 2', '<call>put</call>', '<call>put x</call>', '<call>sell</call>', '<call>ship']) {
    expect(notation().action(text), text).toEqual({ refused: { observation: '?', illegal: true } });
  }
  const said = (text: string): unknown => hermes.action(text);
  expect(said('<tool_call>{"name": "sell", "arguments": {}}</tool_call>')).toEqual({
    refused: { observation: 'error: no such tool; there is put, ship', illegal: true },
  });
  expect(said('<tool_call>{"name": "ship"}</tool_call> <tool_call>{"name": "ship"}</tool_call>')).toEqual({
    refused: { observation: 'error: one call at a time', illegal: true },
  });
});

it('reads what a tool gives, and what it says of a wrong call', () => {
  expect(notation().saying(observed(put))).toEqual({ observation: '2', from: 'put' });
  expect(notation().saying(observed(ship))).toEqual({ observation: 'sent', from: 'ship' });
  expect(observed(ship).done).toBe(true);
  expect(notation().saying(observed(wrong))).toEqual({ observation: '?', from: 'put', illegal: true });
  const words = notation('<tool_call>');
  expect(words.saying(observed(unknown))).toEqual({
    observation: "error: Unknown tool: 'nope'",
    from: 'nope',
    illegal: true,
  });
  expect(words.saying(observed(wrong))?.observation).toHaveLength(120);
  expect(notation().saying(observed(RECORDED.reset[0]))).toBeUndefined();
});

it('is shown to a model by its chat template, or in words', () => {
  expect(introduction(listed(), '<tool_call>').tools?.[0]).toMatchObject({
    function: { name: 'put', parameters: { properties: { amount: { type: 'integer' } }, required: ['amount'] } },
  });
  expect(introduction(listed(), undefined).system).toContain('<call>put AMOUNT</call>: Put that many on the shelf');
});
