/** Whether text that is neither the person's nor the agent's own has entered a conversation. */
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { HistoryMessage, ToolCall } from '../../llm/message.ts';

/**
 * Where text from outside came from, each source once; empty for a conversation without. Files of the person's machine
 * and what local programs print count as their own; pages, other people's messages, servers, and programs that fetch
 * do not. An unknown tool counts as outside.
 */
export function outsideSources(history: readonly HistoryMessage[]): string[] {
  const calls = new Map<string, ToolCall>();
  const sources = new Set<string>();
  for (const message of history) {
    if (message.role === 'assistant') for (const call of message.tool_calls ?? []) calls.set(call.id, call);
    for (const origin of originsOf(message)) {
      if (origin === 'page') sources.add('a web page');
      if (origin === 'foreign') sources.add("someone else's message");
    }
    if (message.role !== 'tool') continue;
    const call = calls.get(message.tool_call_id);
    const name = call?.function.name ?? message.tool_name ?? 'an unknown tool';
    if (!isLocal(name, call)) sources.add(name);
  }
  return [...sources];
}

/** The agent's own notes, and files of the person's machine. */
const ownTools = new Set([
  'memory',
  'todo',
  'skills_list',
  'skill_view',
  'skill_manage',
  'session_search',
  'clarify',
  'read_file',
  'write_file',
  'patch',
  'search_files',
  'cronjob',
]);
/** Tools that run programs. */
const shells = new Set(['terminal', 'process', 'execute_code']);
/** Programs and addresses that bring text from elsewhere. */
const fetches =
  /\b(?:curl|wget|aria2c|http|https|xh|lynx|w3m|links|elinks|ssh|scp|sftp|rsync|rclone|ftp|telnet|nc|ncat|netcat|socat|gh|glab|himalaya|mutt|git\s+(?:clone|fetch|pull|ls-remote)|urllib|urlopen|requests|httpx|aiohttp|fetch|XMLHttpRequest|socket|docker\s+pull|npm|npx|pnpm|yarn|pip3?|pipx|uvx?|cargo|gem|brew|apt(?:-get)?|web_search|web_extract|browser_\w+)\b|:\/\//i;

function isLocal(name: string, call: ToolCall | undefined): boolean {
  if (ownTools.has(name)) return true;
  if (!shells.has(name) || call === undefined) return false;
  return !fetches.test(textIn(call.function.arguments));
}

/** The strings of the arguments as they are meant, without JSON's escapes. */
function textIn(args: string): string {
  const value = parseJson(args);
  if (!isJsonObject(value)) return args;
  return Object.values(value)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    .join('\n');
}

function originsOf({ content }: HistoryMessage): string[] {
  if (content === null || typeof content === 'string') return [];
  return content.flatMap((part) => part.origin ?? []);
}
