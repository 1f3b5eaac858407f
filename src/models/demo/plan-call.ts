/** The demo model's whole understanding: plain English requests into one tool call. */
import type { JsonObject } from '../../lib/json.ts';

export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** One line that announces the call. */
  readonly says: string;
}

type Rule = (request: string, tools: ReadonlySet<string>) => PlannedCall | undefined;

/** The call for the first line that is understood; undefined when none is, or its tool is not offered. */
export function planCall(asked: string, tools: ReadonlySet<string>): PlannedCall | undefined {
  for (const line of asked.split('\n').slice(0, 50)) {
    const request = line
      .trim()
      .slice(0, 2000)
      .replace(
        /^(?:(?:hi|hello|hey|please|now|then|and|ok|okay)[,!]?\s+|(?:can|could|would|will) you (?:please )?)+/i,
        '',
      );
    const plan = rules.map((rule) => rule(request, tools)).find((found) => found !== undefined);
    if (plan !== undefined && tools.has(plan.tool)) return plan;
  }
  return undefined;
}

/** Most particular first. */
const rules: readonly Rule[] = [runCommand, addTodo, showTodos, writeFile, findFiles, readFile, listFiles, searchText];

function runCommand(request: string): PlannedCall | undefined {
  const quoted = /^(?:run|execute)\b[^`]*`([^`]+)`/i.exec(request)?.[1];
  const plain =
    /^(?:run|execute)\s+(?:the (?:shell )?command\s+)?(?!(?:the|a|an|my|this|that|some|all|it|them)\b)(.+)$/i.exec(
      request,
    )?.[1];
  const command = (quoted ?? plain)?.trim();
  if (command === undefined || command === '') return undefined;
  return { tool: 'terminal', arguments: { command }, says: `Running \`${command}\`.` };
}

function addTodo(request: string): PlannedCall | undefined {
  const content =
    /^(?:add|create|make)\s+(?:a |an |another )?(?:new )?(?:todo|to-do|task)(?: item)?(?:\s+to|:)?\s+(.+)$/i.exec(
      request,
    )?.[1] ??
    /^(?:add|put)\s+(.+?)\s+(?:to|on) (?:my |the )?(?:todo|to-do|task)s?(?: list)?[.!]?$/i.exec(request)?.[1] ??
    /^(?:todo|to-do)\s*:\s*(.+)$/i.exec(request)?.[1] ??
    /^(?:remember|remind me)\s+(?:to|that)\s+(.+)$/i.exec(request)?.[1];
  if (content === undefined) return undefined;
  const text = unquote(content);
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return {
    tool: 'todo',
    arguments: { todos: [{ id: id === '' ? 'todo' : id, content: text, status: 'pending' }], merge: true },
    says: `Adding "${text}" to the todo list.`,
  };
}

function showTodos(request: string): PlannedCall | undefined {
  if (!/^(?:show|list|what(?:'s| is| are)|see)\b.*\b(?:todo|to-do|task)s?\b/i.test(request)) return undefined;
  return { tool: 'todo', arguments: {}, says: 'Looking at the todo list.' };
}

function writeFile(request: string): PlannedCall | undefined {
  const written = /^(?:write|save|put)\s+(.+?)\s+(?:in)?to\s+(?:the |a )?(?:file\s+)?(\S+)$/i.exec(request);
  const created =
    /^(?:create|make)\s+(?:the |a |an )?(?:new )?file\s+(?:called |named )?(\S+)\s+(?:with|containing|that says)\s+(?:the (?:text|content)\s+)?(.+)$/i.exec(
      request,
    );
  const path = unquote(written?.[2] ?? created?.[1] ?? '');
  const content = unquote(written?.[1] ?? created?.[2] ?? '');
  if (path === '' || content === '') return undefined;
  return { tool: 'write_file', arguments: { path, content: `${content}\n` }, says: `Writing ${path}.` };
}

function findFiles(request: string): PlannedCall | undefined {
  const match =
    /^(?:find|search for|look for|list)\s+(?:all )?(?:the )?files?\s+(?:called|named|matching|like)\s+(\S+)(?:\s+(?:in|under)\s+(.+))?$/i.exec(
      request,
    );
  if (match === null) return undefined;
  const pattern = unquote(match[1] ?? '');
  return {
    tool: 'search_files',
    arguments: { pattern, target: 'files', path: folder(match[2]) },
    says: `Looking for files named ${pattern}.`,
  };
}

function listFiles(request: string, tools: ReadonlySet<string>): PlannedCall | undefined {
  const match =
    /^(?:list|show)\s+(?:me )?(?:all )?(?:the |my )?(?:files|folders|directory|directories|contents)(?:\s+(?:in|of|under|from|inside)\s+(.+))?$/i.exec(
      request,
    ) ??
    /^(?:what|which)\s+(?:files|folders)\s+(?:are|do (?:you|we|i) (?:have|see))(?:\s+(?:there|here))?(?:\s*(?:in|under|inside)\s+(.+?))?\??$/i.exec(
      request,
    ) ??
    /^what(?:'s| is)\s+in\s+((?:this|the|that)\s+(?:current )?(?:folder|directory)|here)\??$/i.exec(request) ??
    /^what(?:'s| is)\s+in(?:side)?\s+(?:the )?(?:folder|directory)\s+(.+?)\??$/i.exec(request) ??
    /^(?:ls|dir)(?:\s+(.+))?$/i.exec(request);
  if (match === null) return undefined;
  const path = folder(match[1]);
  const says = path === '.' ? 'Listing the files here.' : `Listing the files in ${path}.`;
  if (tools.has('search_files'))
    return { tool: 'search_files', arguments: { pattern: '*', target: 'files', path }, says };
  return { tool: 'terminal', arguments: { command: `ls -la -- ${shellQuote(path)}` }, says };
}

function readFile(request: string): PlannedCall | undefined {
  const match =
    /^(?:read|open|show|print|display|cat)\s+(?:me )?(?:the )?(?:contents? of )?(?:the )?(?:file )?(.+)$/i.exec(
      request,
    ) ??
    /^what(?:'s| is)\s+in\s+(?:the )?(?:file )?(.+)$/i.exec(request) ??
    /^what does\s+(?:the )?(?:file )?(.+?)\s+(?:say|contain)\??$/i.exec(request);
  const path = unquote(match?.[1] ?? '').replace(/\s+file$/i, '');
  const looksLikeFile = /^\S+$/.test(path) && /[./~]|^[A-Z][A-Z_-]+$|^\w+file$/.test(path);
  if (!looksLikeFile || /^(?:it|that|this|them|me|more|all|help)$/i.test(path)) return undefined;
  return { tool: 'read_file', arguments: { path }, says: `Reading ${path}.` };
}

function searchText(request: string): PlannedCall | undefined {
  const match =
    /^(?:search|grep|look)\s+(?:for\s+)?(?:the (?:word|text)\s+)?(.+?)(?:\s+(?:in|under|inside)\s+(\S+))?[.?]?$/i.exec(
      request,
    ) ??
    /^find\s+(?:the (?:word|text)\s+)?(.+?)(?:\s+(?:in|under|inside)\s+(\S+))?[.?]?$/i.exec(request) ??
    /^where is\s+(.+?)\s+(?:used|defined|mentioned)(?:\s+(?:in|under|inside)\s+(\S+))?\??$/i.exec(request);
  const text = unquote(match?.[1] ?? '');
  if (match === null || text === '') return undefined;
  const path = folder(match[2]);
  const where = path === '.' ? '' : ` in ${path}`;
  // The tool takes a regular expression; what a person asks for is plain text.
  const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return { tool: 'search_files', arguments: { pattern, path }, says: `Searching for "${text}"${where}.` };
}

/** The folder that was named; `.` for none, "here" and "this directory". */
function folder(named: string | undefined): string {
  const path = unquote((named ?? '').replace(/[?!]+$/, ''))
    .replace(/^(?:the |my )?(?:folder|directory)\s+/i, '')
    .replace(/^the\s+(\S+)\s+(?:folder|directory)$/i, '$1')
    .replace(/\s+(?:folder|directory)$/i, '')
    .trim();
  return path === '' ||
    /^(?:here|there|this|that|the|it|(?:the |this )?(?:current|working|project)(?: (?:folder|directory))?)$/i.test(path)
    ? '.'
    : path;
}

/** Without quotes, and without the full stop or question mark that ends a sentence. */
function unquote(text: string): string {
  const quoted = /^(["'`])(.*)\1[.!?]*$/.exec(text.trim());
  return quoted?.[2] ?? text.trim().replace(/(?<=\w)[.!?]+$/, '');
}

function shellQuote(path: string): string {
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
