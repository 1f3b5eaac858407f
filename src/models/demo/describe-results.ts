/** What the demo model says about the results of its tool calls. */
import { counted } from '../../lib/counted.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { type Message, type ToolMessage, textOf } from '../../llm/message.ts';

const maxLines = 40;
const maxItems = 30;
const maxChars = 4000;

/** The results at the end of the history, one paragraph each. */
export function describeResults(messages: readonly Message[]): string {
  const lastCall = messages.findLastIndex((message) => message.role === 'assistant');
  const names = callNames(messages[lastCall]);
  const results = messages.slice(lastCall + 1).filter((message) => message.role === 'tool');
  return results
    .map((result) => describe(result.tool_name ?? names.get(result.tool_call_id) ?? '', result))
    .join('\n\n');
}

function callNames(message: Message | undefined): ReadonlyMap<string, string> {
  const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return new Map(calls.map((call) => [call.id, call.function.name]));
}

function describe(tool: string, message: ToolMessage): string {
  const text = textOf(message.content);
  const result = parseJson(text);
  if (!isJsonObject(result)) return `${tool === '' ? 'The tool' : tool} answered:\n${block(text)}`;
  const error = result['error'];
  if (typeof error === 'string' && error !== '') return `That did not work: ${error}`;
  switch (tool) {
    case 'terminal':
      return describeCommand(result);
    case 'read_file':
      return describeFile(result);
    case 'search_files':
      return describeSearch(result);
    case 'todo':
      return describeTodos(result['todos']);
    case 'write_file':
      return 'The file is written.';
    default:
      return `${tool} answered:\n${block(JSON.stringify(result, null, 2))}`;
  }
}

function describeCommand(result: JsonObject): string {
  const output = typeof result['output'] === 'string' ? result['output'].trimEnd() : '';
  const code = result['exit_code'];
  const ended =
    code === 0 ? 'The command succeeded' : `The command ended with exit code ${JSON.stringify(code ?? null)}`;
  return output === '' ? `${ended} and printed nothing.` : `${ended}. It printed:\n${block(output)}`;
}

function describeFile(result: JsonObject): string {
  const content = typeof result['content'] === 'string' ? result['content'] : '';
  const lines = result['total_lines'];
  const size = typeof lines === 'number' ? `The file has ${counted(lines, 'line')}` : 'The file says';
  return content.trim() === '' ? 'The file is empty.' : `${size}:\n${block(content)}`;
}

function describeSearch(result: JsonObject): string {
  const found = itemsOf(result);
  const total = typeof result['total_count'] === 'number' ? result['total_count'] : found.length;
  if (total === 0 || found.length === 0) return 'Nothing was found.';
  const rest =
    total > Math.min(found.length, maxItems) ? `\n- … and ${total - Math.min(found.length, maxItems)} more` : '';
  const kind = Array.isArray(result['files']) ? (total === 1 ? 'file' : 'files') : total === 1 ? 'match' : 'matches';
  return `Found ${total} ${kind}:\n${found
    .slice(0, maxItems)
    .map((item) => `- ${item}`)
    .join('\n')}${rest}`;
}

function itemsOf(result: JsonObject): readonly string[] {
  if (Array.isArray(result['files'])) return result['files'].filter((file) => typeof file === 'string');
  if (typeof result['matches_text'] === 'string') return groupedMatches(result['matches_text']);
  if (!Array.isArray(result['matches'])) return [];
  return result['matches'].filter(isJsonObject).map((match) => {
    const content = typeof match['content'] === 'string' ? match['content'].trim().slice(0, 120) : '';
    return `${textAt(match, 'path')}:${textAt(match, 'line')} ${content}`.trim();
  });
}

/** A path on a line of its own, then its lines, two blanks in front. */
function groupedMatches(text: string): readonly string[] {
  let path = '';
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('  ')) return [`${path}:${line.trim().slice(0, 120)}`];
    path = line;
    return [];
  });
}

function describeTodos(todos: JsonValue | undefined): string {
  const items = Array.isArray(todos) ? todos.filter(isJsonObject) : [];
  if (items.length === 0) return 'The todo list is empty.';
  const marks: ReadonlyMap<string, string> = new Map([
    ['completed', 'x'],
    ['in_progress', '>'],
    ['cancelled', '-'],
  ]);
  const lines = items.map((item) => `- [${marks.get(textAt(item, 'status')) ?? ' '}] ${textAt(item, 'content')}`);
  return `The todo list:\n${lines.slice(0, maxItems).join('\n')}`;
}

function textAt(item: JsonObject, key: string): string {
  const value = item[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A fenced block, cut to what a person reads; the fence is longer than any in the text. */
function block(text: string): string {
  const lines = text.slice(0, maxChars).trimEnd().split('\n');
  const shown = lines.slice(0, maxLines).join('\n').toWellFormed();
  const isCut = text.length > maxChars || lines.length > maxLines;
  const longest = Math.max(2, ...Array.from(shown.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shown}\n${fence}${isCut ? '\n(shortened)' : ''}`;
}
