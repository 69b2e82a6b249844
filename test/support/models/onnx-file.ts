/**
 * Makes ONNX files for tests: the few messages of onnx.proto that a small graph needs, in the
 * encoding of protocol buffers.
 */

/** Kinds of elements, by their numbers in onnx.proto. */
const ELEMENTS = { float: 1, int64: 7, float16: 10 } as const;
/** Which operators mean what; any that the tests' operators are in. */
const OPERATOR_SET = 17;
const IR_VERSION = 8;

/** The kind of a tensor's elements. */
export type OnnxElement = keyof typeof ELEMENTS;

/** An input or output of a graph; names are sizes that the caller chooses. */
export interface OnnxValue {
  readonly name: string;
  readonly element: OnnxElement;
  readonly shape: readonly (number | string)[];
}

/** A constant of a graph. */
export interface OnnxTensor {
  readonly element: OnnxElement;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView<ArrayBuffer>;
}

/** An operator; attributes are whole numbers, or lists of them. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

/** What a model computes. */
export interface OnnxGraph {
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly constants: Readonly<Record<string, OnnxTensor>>;
  readonly nodes: readonly OnnxNode[];
}

/** The bytes of a model.onnx. */
export function onnxOf({ inputs, outputs, constants, nodes }: OnnxGraph): Uint8Array<ArrayBuffer> {
  const graph = [
    ...nodes.map((node) => message(1, nodeOf(node))),
    message(2, text("graph")),
    ...Object.entries(constants).map(([name, tensor]) => message(5, tensorOf(name, tensor))),
    ...inputs.map((value) => message(11, valueBytes(value))),
    ...outputs.map((value) => message(12, valueBytes(value))),
  ];
  return Buffer.concat([
    number(1, IR_VERSION),
    message(7, Buffer.concat(graph)),
    message(8, number(2, OPERATOR_SET)),
  ]);
}

function nodeOf({ operator, inputs, outputs, attributes = {} }: OnnxNode): Uint8Array {
  return Buffer.concat([
    ...inputs.map((name) => message(1, text(name))),
    ...outputs.map((name) => message(2, text(name))),
    message(4, text(operator)),
    ...Object.entries(attributes).map(([name, value]) => message(5, attributeOf(name, value))),
  ]);
}

function attributeOf(name: string, value: number | readonly number[]): Uint8Array {
  const [INT, INTS] = [2, 7];
  const given =
    typeof value === "number"
      ? [number(3, value), number(20, INT)]
      : [...value.map((one) => number(8, one)), number(20, INTS)];
  return Buffer.concat([message(1, text(name)), ...given]);
}

function tensorOf(name: string, { element, shape, data }: OnnxTensor): Uint8Array {
  return Buffer.concat([
    ...shape.map((size) => number(1, size)),
    number(2, ELEMENTS[element]),
    message(8, text(name)),
    message(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  ]);
}

function valueBytes({ name, element, shape }: OnnxValue): Uint8Array {
  const sizes = shape.map((size) =>
    message(1, typeof size === "number" ? number(1, size) : message(2, text(size))),
  );
  const tensor = Buffer.concat([number(1, ELEMENTS[element]), message(2, Buffer.concat(sizes))]);
  return Buffer.concat([message(1, text(name)), message(2, message(1, tensor))]);
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** A field that holds bytes of a known length. */
function message(field: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

/** A field that holds a whole number; negative ones take ten bytes. */
function number(field: number, value: number): Uint8Array {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
