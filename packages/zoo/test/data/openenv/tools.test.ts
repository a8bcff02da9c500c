/** MCP tools of an OpenEnv server, by the messages of a real one: what it lists, a call, and what it gives. */
import { expect, it } from 'vitest';
import { RECORDED } from '../../../../../test/support/loopback_openenv.ts';
import type { Notation } from '../../../data/openenv/actions.ts';
import { introduction, type OfferedTool, offeredTools, toolNotation } from '../../../data/openenv/tools.ts';
import { readAnswer, type WireObservation } from '../../../data/openenv/wire.ts';

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
      parameters: { amount: { type: 'integer', schema: { type: 'integer' } } },
    },
    { name: 'ship', description: 'Send what lies on the shelf.', parameters: {} },
  ]);
  expect(offeredTools(undefined)).toBeUndefined();
});

/** As pydantic writes `rows: list[int]`, `where: Place`, `how: str | int | None = None`, `unit: Unit = Unit.C` and `any_`. */
const SCHEMA = {
  $defs: {
    Place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    Unit: { enum: ['C', 'F'], type: 'string' },
  },
  properties: {
    rows: { items: { type: 'integer' }, type: 'array' },
    where: { $ref: '#/$defs/Place' },
    how: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }], default: null },
    unit: { $ref: '#/$defs/Unit', default: 'C' },
    any_: { title: 'Any' },
  },
  required: ['rows', 'where', 'any_'],
};

it('reads lists, objects, several types and references as what they are', () => {
  const tools = offeredTools([{ name: 'plot', description: 'Plots.', inputSchema: SCHEMA }]) ?? [];
  const [{ parameters }] = tools as [OfferedTool];
  expect(Object.entries(parameters).map(([key, { type, optional = false }]) => [key, type, optional])).toEqual([
    ['rows', 'array', false],
    ['where', 'object', false],
    ['how', ['string', 'integer', 'null'], true],
    ['unit', 'string', true],
    ['any_', ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'], false],
  ]);
  expect(introduction(tools, '<tool_call>').tools?.[0]).toMatchObject({
    function: {
      parameters: {
        properties: {
          rows: SCHEMA.properties.rows,
          where: SCHEMA.$defs.Place,
          how: SCHEMA.properties.how,
          unit: { ...SCHEMA.$defs.Unit, default: 'C' },
        },
        required: ['rows', 'where', 'any_'],
      },
    },
  });
  const [asked] = [toolNotation({ tools, template: '<tool_call>', isInWords: true, malformed: '?' })];
  const calling = (given: object): unknown =>
    asked.actions(`<tool_call>${JSON.stringify({ name: 'plot', arguments: given })}</tool_call>`);
  const given = { rows: [1, 2], where: { x: 0.5 }, how: null, any_: [{}] };
  expect(calling(given)).toEqual([{ fields: { type: 'call_tool', tool_name: 'plot', arguments: given } }]);
  const refused = (error: string) => [{ refused: { observation: `error: ${error}`, illegal: true } }];
  expect(calling({ ...given, rows: '[1, 2]' })).toEqual(refused('rows is a list'));
  expect(calling({ ...given, where: [] })).toEqual(refused('where is an object'));
  expect(calling({ ...given, how: true })).toEqual(refused('how is a text or a whole number or null'));
  expect(calling({ ...given, unit: 'K' })).toEqual(refused('unit is one of C, F'));
});

it('a type that holds itself is read to some depth', () => {
  const inputSchema = {
    $defs: { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } },
    properties: { tree: { $ref: '#/$defs/Tree' }, gone: { $ref: '#/$defs/Gone' } },
  };
  const [tool] = offeredTools([{ name: 'cut', description: 'Cuts.', inputSchema }]) ?? [];
  expect(tool?.parameters.tree?.type).toBe('object');
  expect(tool?.parameters.gone?.type).toHaveLength(7);
});

it('makes actions of the calls in the notation of the model, and says what is wrong with others', () => {
  const put = { fields: { type: 'call_tool', tool_name: 'put', arguments: { amount: 2 } } };
  const ship = { fields: { type: 'call_tool', tool_name: 'ship', arguments: {} } };
  expect(notation().actions('<call>put 2</call>')).toEqual([put]);
  const hermes = notation('… <tool_call> …');
  expect(hermes.actions('<tool_call>{"name": "put", "arguments": {"amount": 2}}</tool_call>')).toEqual([put]);
  const coder = notation('<tool_call> <function=');
  expect(
    coder.actions('<tool_call>\n<function=put>\n<parameter=amount>\n2\n</parameter>\n</function>\n</tool_call>'),
  ).toEqual([put]);
  expect(notation().actions('<call>ship</call>')).toEqual([ship]);
  for (const text of ['', 'put 2', '<call>put</call>', '<call>put x</call>', '<call>sell</call>', '<call>ship']) {
    expect(notation().actions(text), text).toEqual([{ refused: { observation: '?', illegal: true } }]);
  }
  const refused = { refused: { observation: 'error: no such tool; there is put, ship', illegal: true } };
  expect(hermes.actions('<tool_call>{"name": "sell", "arguments": {}}</tool_call>')).toEqual([refused]);
  expect(hermes.actions('<tool_call>{"name": "sell"}</tool_call> <tool_call>{"name": "ship"}</tool_call>')).toEqual([
    refused,
    ship,
  ]);
});

it('reads what a tool gives, and what it says of a wrong call', () => {
  expect(notation().saying(observed(put))).toEqual({ observation: '2', from: 'put' });
  expect(notation().saying(observed(ship))).toEqual({ observation: 'sent', from: 'ship' });
  expect(observed(ship).done).toBe(true);
  // The tool itself failed, which breaks no rule; calling one that is not there does.
  expect(notation().saying(observed(wrong))).toEqual({ observation: '?', from: 'put' });
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
