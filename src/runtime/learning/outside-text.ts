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
/** What brings text from elsewhere: addresses, programs that fetch, parts of package managers, libraries in scripts. */
const fetches: readonly RegExp[] = [
  /:\/\/|\/dev\/(?:tcp|udp)\//i,
  /\b(?:curl|wget|aria2c|lynx|w3m|elinks|ssh|scp|sftp|rsync|rclone|ftp|telnet|nc|ncat|netcat|socat|gh|glab|himalaya|mutt|npx|pipx|uvx)\b/i,
  /(?:^|[\n;&|(`]\s*)(?:https?|xh|links)\s/i,
  /\bgit\s+(?:-\S+\s+)*(?:clone|fetch|pull|ls-remote|submodule|remote)\b/i,
  /\b(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*(?:i|install|ci|add|view|info|show|search|audit|dlx|exec|create|update|outdated)\b/i,
  /\b(?:pip3?|uv|cargo|gem|brew|apt|apt-get|dnf|pacman|apk|docker|podman|go)\s+(?:-\S+\s+)*(?:install|add|pip|search|show|info|update|upgrade|fetch|pull|get|download)\b/i,
  /\b(?:urllib|urlopen|requests\.(?:get|post|put|request|Session)|import\s+requests|httpx|aiohttp|fetch\s*\(|XMLHttpRequest|socket\b|web_search|web_extract|browser_\w+)/i,
];

function isLocal(name: string, call: ToolCall | undefined): boolean {
  if (ownTools.has(name)) return true;
  if (!shells.has(name) || call === undefined) return false;
  const text = textIn(call.function.arguments);
  return !fetches.some((pattern) => pattern.test(text));
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
