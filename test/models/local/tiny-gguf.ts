/** Writes a real model file of a few hundred kilobytes whose answers are known: after each token comes a set one. */
import { writeFileSync } from 'node:fs';

export interface TinyModel {
  /** Each list is a row of pieces of text, of which every one makes the model say the next. `end` ends the answer. */
  readonly chains: readonly (readonly string[])[];
  readonly contextLength: number;
}

/** Ends an answer. */
export const end = '</s>';

const width = 128;
const control = ['<s>', end, '<|im_start|>', '<|im_end|>'];
const chatTemplate =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/**
 * A Llama of one layer that adds nothing to what it reads: the output matrix alone says which token follows which.
 * Single characters are the byte tokens that the tokenizer falls back to, so that a chain can begin at the last
 * character of a prompt.
 */
export function writeTinyModel(path: string, { chains, contextLength }: TinyModel): void {
  const pieces = [...new Set(chains.flat())].filter((piece) => piece.length > 1 && !control.includes(piece));
  const tokens = ['<unk>', ...control, ...bytes(), ...pieces.map((piece) => piece.replaceAll(' ', '▁'))];
  const types = [2, ...control.map(() => 3), ...bytes().map(() => 6), ...pieces.map(() => 1)];
  const idOf = (piece: string): number =>
    piece.length === 1
      ? 1 + control.length + piece.charCodeAt(0)
      : tokens.indexOf(control.includes(piece) ? piece : piece.replaceAll(' ', '▁'));
  const embedding = Float32Array.from({ length: tokens.length * width }, randomSigns());
  const output = new Float32Array(tokens.length * width);
  for (const chain of chains) {
    for (const [index, piece] of chain.slice(0, -1).entries()) {
      const from = idOf(piece) * width;
      const to = idOf(chain[index + 1] ?? end) * width;
      for (let at = 0; at < width; at += 1) output[to + at] = (output[to + at] ?? 0) + (embedding[from + at] ?? 0);
    }
  }
  const square = new Float32Array(width * width);
  const ones = new Float32Array(width).fill(1);
  const tensors: readonly Tensor[] = [
    ['token_embd.weight', [width, tokens.length], embedding],
    ['output_norm.weight', [width], ones],
    ['output.weight', [width, tokens.length], output],
    ['blk.0.attn_norm.weight', [width], ones],
    ['blk.0.ffn_norm.weight', [width], ones],
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'].map(
      (name): Tensor => [`blk.0.${name}.weight`, [width, width], square],
    ),
  ];
  writeFileSync(path, fileOf(metadata(tokens, types, contextLength), tensors));
}

type Pair = readonly [key: string, value: Buffer];
type Tensor = readonly [name: string, shape: readonly number[], values: Float32Array];

function metadata(tokens: readonly string[], types: readonly number[], contextLength: number): readonly Pair[] {
  return [
    ['general.architecture', text('llama')],
    ['general.name', text('tiny')],
    ['general.file_type', uint32(0)],
    ['llama.context_length', uint32(contextLength)],
    ['llama.embedding_length', uint32(width)],
    ['llama.block_count', uint32(1)],
    ['llama.feed_forward_length', uint32(width)],
    ['llama.attention.head_count', uint32(2)],
    ['llama.attention.layer_norm_rms_epsilon', float32(1e-6)],
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', list(8, tokens.map(plainText))],
    [
      'tokenizer.ggml.scores',
      list(
        6,
        tokens.map((_, index) => plain(4, (to) => to.writeFloatLE(-index))),
      ),
    ],
    [
      'tokenizer.ggml.token_type',
      list(
        5,
        types.map((type) => plain(4, (to) => to.writeInt32LE(type))),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', uint32(1)],
    ['tokenizer.ggml.eos_token_id', uint32(2)],
    ['tokenizer.chat_template', text(chatTemplate)],
  ];
}

function fileOf(pairs: readonly Pair[], tensors: readonly Tensor[]): Buffer {
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [name, shape, values] of tensors) {
    infos.push(
      plainText(name),
      plain(4, (to) => to.writeUInt32LE(shape.length)),
      ...shape.map(uint64),
    );
    infos.push(
      plain(4, (to) => to.writeUInt32LE(0)),
      uint64(offset),
    );
    data.push(Buffer.from(values.buffer));
    offset += values.byteLength;
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    plain(4, (to) => to.writeUInt32LE(3)),
    uint64(tensors.length),
    uint64(pairs.length),
    ...pairs.flatMap(([key, value]) => [plainText(key), value]),
    ...infos,
  ]);
  const padding = Buffer.alloc((32 - (head.length % 32)) % 32);
  return Buffer.concat([head, padding, ...data]);
}

function bytes(): readonly string[] {
  return Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
}

/** The same signs with every run. */
function randomSigns(): () => number {
  let state = 12345;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 31 === 0 ? 1 : -1;
  };
}

function uint32(value: number): Buffer {
  return Buffer.concat([typeMark(4), plain(4, (to) => to.writeUInt32LE(value))]);
}

function float32(value: number): Buffer {
  return Buffer.concat([typeMark(6), plain(4, (to) => to.writeFloatLE(value))]);
}

function text(value: string): Buffer {
  return Buffer.concat([typeMark(8), plainText(value)]);
}

function list(type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([typeMark(9), typeMark(type), uint64(items.length), ...items]);
}

function typeMark(type: number): Buffer {
  return plain(4, (to) => to.writeUInt32LE(type));
}

function plainText(value: string): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([uint64(content.length), content]);
}

function uint64(value: number): Buffer {
  return plain(8, (to) => to.writeBigUInt64LE(BigInt(value)));
}

function plain(size: number, write: (to: Buffer) => void): Buffer {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
}
