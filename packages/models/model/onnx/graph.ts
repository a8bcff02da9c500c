/**
 * An ONNX model, built node by node, and as the file that holds it.
 *
 * Tensors are written one at a time. Where all of them do not fit into one message, those of matrices lie in files beside it,
 * which ONNX calls external data.
 *
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto for the numbers of the fields
 */
import { type LaterBytes, Message } from './protobuf.ts';

/** ONNX's numbers of element types. */
export const ELEMENT = { f32: 1, u8: 2, i64: 7, bool: 9, f16: 10 } as const;
export type Element = keyof typeof ELEMENT;

/** Version of the file format, and of the operators: what onnxruntime knows since 2022. */
const IR_VERSION = 8;
const OPSET = 17;
/** Operators of onnxruntime's own, and their version. */
const RUNTIME = { domain: 'com.microsoft', version: 1 };

export interface GraphTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly element: Element;
  readonly data: LaterBytes;
}

/** A number is a whole one; a list too. */
type Attribute = number | readonly number[];

/** A size that is known when the model is asked has a name. */
type Size = number | string;

const ATTRIBUTE_TYPE = { int: 2, ints: 7 } as const;

/** Where a tensor lies beside the model. */
export interface ExternalPlace {
  readonly location: string;
  readonly offset: number;
}

export class Graph {
  readonly tensors: GraphTensor[] = [];
  readonly #nodes: Message[] = [];
  readonly #inputs: Message[] = [];
  readonly #outputs: Message[] = [];
  readonly #constants = new Map<string, string>();
  #names = 0;
  #usesOwn = false;

  /** @returns its name */
  input(name: string, element: Element, sizes: readonly Size[]): string {
    this.#inputs.push(valueInfo(name, element, sizes));
    return name;
  }

  output(name: string, element: Element, sizes: readonly Size[]): void {
    this.#outputs.push(valueInfo(name, element, sizes));
  }

  /** A tensor that the file holds. @returns its name */
  tensor(tensor: GraphTensor): string {
    this.tensors.push(tensor);
    return tensor.name;
  }

  /** Whole numbers: a list, or a single one without a dimension. The same ones are there once. */
  integers(values: number | readonly number[]): string {
    const list = typeof values === 'number' ? [values] : values;
    const bytes = new Uint8Array(BigInt64Array.from(list, BigInt).buffer);
    return this.#constant(
      'i64',
      typeof values === 'number' ? [] : [list.length],
      bytes,
      String(JSON.stringify(values)),
    );
  }

  real(value: number): string {
    return this.#constant('f32', [], new Uint8Array(Float32Array.of(value).buffer), String(value));
  }

  #constant(element: Element, shape: readonly number[], bytes: Uint8Array, key: string): string {
    const name = `${element}:${key}`;
    const known = this.#constants.get(name);
    if (known !== undefined) return known;
    this.#constants.set(name, name);
    return this.tensor({ name, shape, element, data: { length: bytes.length, read: async () => bytes } });
  }

  /** One output. @param output  its name, where somebody asks for it */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output?: string,
  ): string {
    return this.nodes(operator, inputs, [output ?? this.#name(operator)], attributes)[0] as string;
  }

  /** One output of an operator of onnxruntime's own. */
  ownNode(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, Attribute>>): string {
    this.#usesOwn = true;
    return this.nodes(operator, inputs, [this.#name(operator)], attributes, RUNTIME.domain)[0] as string;
  }

  /** Two outputs. */
  halves(input: string, axis: number, half: number): readonly [string, string] {
    const outputs = [this.#name('Split'), this.#name('Split')] as const;
    this.nodes('Split', [input, this.integers([half, half])], outputs, { axis });
    return outputs;
  }

  nodes(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
    domain?: string,
  ): readonly string[] {
    const node = new Message();
    for (const name of inputs) node.text(1, name);
    for (const name of outputs) node.text(2, name);
    node.text(3, `node:${outputs[0]}`).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain !== undefined) node.text(7, domain);
    this.#nodes.push(node);
    return outputs;
  }

  #name(operator: string): string {
    return `${operator}:${this.#names++}`;
  }

  /**
   * The model's file. Its parts with data are read as they are written.
   *
   * @param externalOf  where a tensor lies, where it is beside the file
   */
  model(producer: string, externalOf: (tensor: GraphTensor) => ExternalPlace | undefined): Message {
    const graph = new Message();
    for (const node of this.#nodes) graph.message(1, node);
    graph.text(2, 'decoder');
    for (const tensor of this.tensors) graph.message(5, tensorMessage(tensor, externalOf(tensor)));
    for (const input of this.#inputs) graph.message(11, input);
    for (const output of this.#outputs) graph.message(12, output);
    const opset = new Message().text(1, '').integer(2, OPSET);
    const model = new Message().integer(1, IR_VERSION).text(2, producer).message(7, graph).message(8, opset);
    if (!this.#usesOwn) return model;
    return model.message(8, new Message().text(1, RUNTIME.domain).integer(2, RUNTIME.version));
  }
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'number') return message.integer(3, value).integer(20, ATTRIBUTE_TYPE.int);
  for (const each of value) message.integer(8, each);
  return message.integer(20, ATTRIBUTE_TYPE.ints);
}

function valueInfo(name: string, element: Element, sizes: readonly Size[]): Message {
  const shape = new Message();
  for (const size of sizes) {
    shape.message(1, typeof size === 'number' ? new Message().integer(1, size) : new Message().text(2, size));
  }
  const tensor = new Message().integer(1, ELEMENT[element]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

function tensorMessage({ name, shape, element, data }: GraphTensor, external: ExternalPlace | undefined): Message {
  const message = new Message();
  for (const size of shape) message.integer(1, size);
  message.integer(2, ELEMENT[element]).text(8, name);
  if (external === undefined) return message.bytes(9, data);
  const entries = { location: external.location, offset: external.offset, length: data.length };
  for (const [key, value] of Object.entries(entries)) {
    message.message(13, new Message().text(1, key).text(2, String(value)));
  }
  return message.integer(14, 1);
}
