/** What the requests of a session carry, part by part, for whoever shows it. */
import { createToolbox } from '../agent/toolbox.ts';
import type { Tool } from '../agent/tool.ts';
import type { PromptPart } from '../prompt/system-prompt.ts';
import type { ToolServices } from '../tools/services.ts';
import type { ContextParts, NamedText } from './session.ts';
import { sessionPromptParts, type PromptParts, type PromptRequest } from './session-prompt.ts';

interface SentNow {
  /** The prompt that the session's requests carry; absent before the first one, when it is built as they will. */
  readonly sent?: string;
  readonly added: string;
  /** What the session has now: others may have come since its prompt was built. */
  readonly tools: readonly Tool<ToolServices>[];
  readonly request?: PromptRequest;
}

export async function contextParts(
  parts: PromptParts,
  services: ToolServices,
  sessionId: string,
  { sent, added, tools, request = {} }: SentNow,
): Promise<ContextParts> {
  // Whoever looks wants what is there now, not what sessions share for a moment.
  const { findings: _, ...alone } = parts;
  const now = await sessionPromptParts(alone, services, sessionId, request);
  const prompt = sent === undefined ? now : splitPrompt(sent, now);
  return {
    prompt: [...prompt, ...(added === '' ? [] : [{ name: 'added to each request', text: added }])],
    tools: toolTexts(tools, services),
  };
}

/** Each tool that is available, as a request carries it. */
export function toolTexts(tools: readonly Tool<ToolServices>[], services: ToolServices): NamedText[] {
  return createToolbox(tools, services).schemas.map((schema) => ({
    name: schema.name,
    text: JSON.stringify({ type: 'function', function: schema }),
  }));
}

/** A session keeps the prompt it began with: what has changed since is one part, whatever it was. */
function splitPrompt(sent: string, now: readonly PromptPart[]): NamedText[] {
  const found = now.filter(({ text }) => sent.includes(text));
  const rest = found.reduce((left, { text }) => left.replace(text, () => ''), sent).trim();
  return [...found, ...(rest === '' ? [] : [{ name: 'as it was at the start', text: rest }])];
}
