/** What a compaction must never lose, read from the messages themselves: requests, files, commands, unknown outcomes. */
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { type HistoryMessage, isSaid, type ToolCall, textOf } from '../../llm/message.ts';

const maxRequests = 14;
const maxFiles = 60;
const maxFileChars = 3000;
const maxCommands = 20;
/** Calls of unknown outcome that a summary names at most, each in so many characters. */
export const maxUnknown = 14;
const maxUnknownChars = 120;

export interface Facts {
  /** The first thing the user asked for, word for word up to 4,000 characters; empty when it is not among the messages. */
  readonly firstRequest: string;
  /** What the user asked for, oldest first, cut. */
  readonly requests: readonly string[];
  /** Paths that tools wrote or read, newest last. */
  readonly files: readonly string[];
  readonly commands: readonly string[];
  /** Calls of which nobody knows what became, as `tool: arguments`. */
  readonly unknown: readonly string[];
  /** The last words of the assistant. */
  readonly lastAnswer: string;
}

/** Read without a model, so that it can be had when there is none. Every list and text in it is bounded. */
export function factsOf(messages: readonly HistoryMessage[]): Facts {
  const requests: string[] = [];
  const files = new Set<string>();
  const commands: string[] = [];
  const unknown: string[] = [];
  const calls = new Map<string, ToolCall>();
  let lastAnswer = '';
  let firstRequest = '';
  for (const message of messages) {
    if (isSaid(message)) {
      const text = textOf(message.content).trim();
      firstRequest ||= text.slice(0, 4000).toWellFormed();
      requests.push(oneLine(text, 240));
    }
    if (message.role === 'tool' && message.kind === 'unknown') {
      unknown.push(describe(calls.get(message.tool_call_id)) ?? message.tool_name ?? 'a call');
    }
    if (message.role !== 'assistant') continue;
    lastAnswer = message.content?.trim() || lastAnswer;
    for (const call of message.tool_calls ?? []) {
      calls.set(call.id, call);
      const args = parseJson(call.function.arguments);
      if (!isJsonObject(args)) continue;
      const path = args['path'] ?? args['file_path'];
      if (typeof path === 'string' && path !== '') {
        files.delete(path);
        files.add(path.slice(0, 300));
      }
      if (typeof args['command'] === 'string') commands.push(oneLine(args['command'], 120));
    }
  }
  return {
    firstRequest,
    requests: keepEnds(requests, maxRequests),
    files: newest([...files].slice(-maxFiles), maxFileChars),
    commands: commands.slice(-maxCommands),
    unknown: unknown.slice(-maxUnknown),
    lastAnswer: lastAnswer.slice(0, 1000).toWellFormed(),
  };
}

function describe(call: ToolCall | undefined): string | undefined {
  return call && oneLine(`${call.function.name}: ${call.function.arguments}`, maxUnknownChars);
}

function oneLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

/** The newest of them, as many as fit into so many characters. */
function newest(lines: readonly string[], maxChars: number): string[] {
  let left = maxChars;
  const from = lines.findLastIndex((line) => (left -= line.length) < 0);
  return lines.slice(from + 1);
}

/** The first and the latest; what the user wanted first is never left out. */
function keepEnds(lines: readonly string[], limit: number): string[] {
  if (lines.length <= limit) return [...lines];
  return [...lines.slice(0, 3), `(${lines.length - limit} more)`, ...lines.slice(-(limit - 3))];
}
