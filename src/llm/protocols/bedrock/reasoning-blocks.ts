/**
 * Signed reasoning: as Bedrock sends it, and as it is kept, which is the same as from Anthropic itself.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html
 */
import type { ReasoningContentBlock } from '@aws-sdk/client-bedrock-runtime';
import type { JsonObject } from '../../../lib/json.ts';
import { stringOf } from '../read-json.ts';

export interface Reasoning {
  readonly text: string;
  readonly signature: string;
  /** Reasoning that the provider keeps to itself. */
  readonly redacted: Uint8Array | undefined;
}

/** As Anthropic's own format has it, so that a conversation can change between the two. */
export function toThought({ text, signature, redacted }: Reasoning): JsonObject {
  if (redacted === undefined) return { type: 'thinking', thinking: text, signature };
  return { type: 'redacted_thinking', data: Buffer.from(redacted).toString('base64') };
}

/** Undefined for a redacted thought whose data is broken. */
export function toReasoningBlock(thought: JsonObject): ReasoningContentBlock | undefined {
  if (thought['type'] === 'thinking') {
    return { reasoningText: { text: stringOf(thought['thinking']), signature: stringOf(thought['signature']) } };
  }
  const data = stringOf(thought['data']);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? { redactedContent: Buffer.from(data, 'base64') } : undefined;
}
