/** What the model is told of an error that a tool threw: marked as one, and without text that looks like our frame. */
import { errorMessage } from '../lib/errors.ts';

const maxChars = 2000;
/** What models and servers put around calls, results and whole messages. */
const frames =
  /<\/?(?:tool_call|function_call|result|response|output|input|system|assistant|user)>|<!\[CDATA\[[^]*?\]\]>|^[ \t]*```(?:json|xml|html|markdown)?[ \t]*|[ \t]*```[ \t]*$/gim;

export function thrownText(error: unknown): string {
  const kind = error instanceof Error ? error.name : typeof error;
  const text = `Tool execution failed: ${kind}: ${errorMessage(error).slice(0, 2 * maxChars)}`.replace(frames, '');
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1).toWellFormed()}…` : text;
  return `[TOOL_ERROR] ${cut}`;
}
