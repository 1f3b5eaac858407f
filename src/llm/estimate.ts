/** How many tokens messages have, roughly: four characters each. For what no provider has counted. */
import type { AssistantMessage, ContentPart, Message } from './message.ts';
import type { ModelRequest, ToolSchema, Usage } from './protocol.ts';

/** What a picture counts, whatever the length of its data. */
const imageTokens = 1600;
/** What a video counts: a minute of it, as nothing here knows its length. https://ai.google.dev/gemini-api/docs/tokens */
const videoTokens = 18_000;
/** Role, separators and ids of a message. */
const messageOverhead = 10;

/** Tokens of one message. */
export function weighMessage(message: Message): number {
  let tokens = messageOverhead;
  const content = message.role === 'user' ? (message.sent ?? message.content) : message.content;
  if (typeof content === 'string') tokens += weighText(content);
  else if (content !== null) for (const part of content) tokens += weighPart(part);
  if (message.role !== 'assistant') return tokens;
  for (const call of message.tool_calls ?? []) {
    tokens += Math.floor((call.function.arguments.length + call.function.name.length) / 4) + messageOverhead;
  }
  return tokens + weighReasoning(message);
}

/** Tokens of the tools as they are described to the model. */
export function weighTools(tools: readonly ToolSchema[]): number {
  if (tools.length === 0) return 0;
  // Brackets and commas, then each tool with its schema in the place of `null`.
  let chars = 1 + tools.length;
  for (const tool of tools)
    chars += JSON.stringify({ ...tool, parameters: null }).length - 4 + charsOf(tool.parameters);
  return Math.floor(chars / 4);
}

/** Sessions share the schemas of their tools, and each weighs them with its first request. */
const schemaChars = new WeakMap<object, number>();

function charsOf(schema: object): number {
  const known = schemaChars.get(schema);
  if (known !== undefined) return known;
  const chars = JSON.stringify(schema).length;
  schemaChars.set(schema, chars);
  return chars;
}

/** What a request whose provider reported nothing took, marked as our own figure. Nothing of it counts as cached. */
export function estimateUsage(
  { messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>,
  answer: AssistantMessage,
): Usage {
  const input = messages.reduce((sum, message) => sum + weighMessage(message), weighTools(tools));
  return {
    input,
    output: weighMessage(answer),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: weighReasoning(answer),
    estimated: true,
  };
}

function weighReasoning({ reasoning_content, reasoning = '' }: AssistantMessage): number {
  return weighText(reasoning_content ?? reasoning);
}

function weighPart(part: ContentPart): number {
  if (part.type === 'text') return weighText(part.text);
  return part.type === 'video_url' ? videoTokens : imageTokens;
}

function weighText(text: string): number {
  return Math.floor(text.length / 4);
}
