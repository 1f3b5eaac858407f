/** The strictest reading of a chat-completions request that any provider applies: every broken rule in plain words. */

interface WireCall {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

interface WireRow {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: unknown;
}

const allowedKeys: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'tool_calls', 'reasoning_content', 'reasoning_details'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** Problems of a request body; empty when a strict provider would accept it. */
export function requestProblems(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return ['the body is not a JSON object'];
  const { model, messages, tools } = body as { model?: unknown; messages?: unknown; tools?: unknown };
  const problems: string[] = [];
  if (typeof model !== 'string' || model === '') problems.push('model is missing');
  if (!Array.isArray(messages) || messages.length === 0) return [...problems, 'messages is missing or empty'];
  problems.push(...toolProblems(tools), ...historyProblems(messages as WireRow[]));
  if (/\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(body))) problems.push('the body holds a lone surrogate');
  return problems;
}

/** Problems of the `messages` array: roles, alternation, pairing, empty or unknown content. */
export function historyProblems(messages: readonly WireRow[]): string[] {
  const problems: string[] = [];
  const seenIds = new Set<string>();
  let waiting: string[] = [];
  let previous = 'start';
  for (const [index, row] of messages.entries()) {
    const role = typeof row.role === 'string' ? row.role : 'none';
    const at = `message ${index} (${role})`;
    problems.push(...rowProblems(row, role).map((problem) => `${at}: ${problem}`));
    if (role === 'tool') {
      const expected = waiting.shift();
      if (expected === undefined) problems.push(`${at}: a result without a call`);
      else if (expected !== row.tool_call_id)
        problems.push(`${at}: answers ${JSON.stringify(row.tool_call_id)}, expected ${expected}`);
    } else {
      if (waiting.length > 0) problems.push(`${at}: calls without a result: ${waiting.join(', ')}`);
      problems.push(...orderProblems(role, previous, index).map((problem) => `${at}: ${problem}`));
      waiting = [];
    }
    for (const call of role === 'assistant' ? (row.tool_calls ?? []) : []) {
      const id = typeof call.id === 'string' ? call.id : '';
      if (id === '') problems.push(`${at}: a call without an id`);
      if (seenIds.has(id)) problems.push(`${at}: the call id ${id} is used twice`);
      seenIds.add(id);
      waiting.push(id);
    }
    previous = role;
  }
  if (waiting.length > 0) problems.push(`the history ends with calls without a result: ${waiting.join(', ')}`);
  if (previous === 'assistant' && waiting.length === 0) problems.push('the history ends with an assistant message');
  return problems;
}

function orderProblems(role: string, previous: string, index: number): string[] {
  if (role === 'system' || role === 'developer') return index === 0 ? [] : ['a system message after the first place'];
  if (role === 'user' && previous === 'user') return ['two user messages in a row'];
  if (role === 'assistant' && previous === 'assistant') return ['two assistant messages in a row'];
  if (role === 'assistant' && previous !== 'user' && previous !== 'tool') return ['the conversation opens with it'];
  return [];
}

function rowProblems(row: WireRow, role: string): string[] {
  const allowed = allowedKeys[role];
  if (allowed === undefined) return ['unknown role'];
  const problems = Object.keys(row)
    .filter((key) => !allowed.includes(key))
    .map((key) => `unknown field ${key}`);
  const calls = row.tool_calls;
  if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) problems.push('tool_calls is empty');
  // Beside calls there need be no text, but llama-cpp-python answers 500 where the content is null.
  const mayBeEmpty = role === 'assistant' && (calls ?? []).length > 0;
  if (!(mayBeEmpty && row.content === '')) problems.push(...contentProblems(row.content));
  for (const call of calls ?? []) problems.push(...callProblems(call));
  return problems;
}

interface MediaPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly image_url?: { readonly url?: unknown };
  readonly video_url?: { readonly url?: unknown };
}

function contentProblems(content: unknown): string[] {
  if (typeof content === 'string') return content.trim() === '' ? ['empty content'] : [];
  if (!Array.isArray(content)) return ['content is neither text nor parts'];
  if (content.length === 0) return ['empty content'];
  return content.flatMap((part: MediaPart) => {
    const extra = Object.keys(part).filter(
      (key) => !['type', 'text', 'image_url', 'video_url', 'cache_control'].includes(key),
    );
    const problems = extra.map((key) => `unknown part field ${key}`);
    if (part.type === 'text') {
      return typeof part.text === 'string' && part.text !== '' ? problems : [...problems, 'an empty text part'];
    }
    if (part.type === 'image_url' && typeof part.image_url?.url === 'string') return problems;
    if (part.type === 'video_url' && typeof part.video_url?.url === 'string') return problems;
    return [...problems, `a broken part of type ${String(part.type)}`];
  });
}

function callProblems(call: WireCall): string[] {
  const problems: string[] = [];
  if (call.type !== 'function') problems.push('a call that is no function');
  if (typeof call.function?.name !== 'string' || call.function.name === '') problems.push('a call without a name');
  if (!isObjectText(call.function?.arguments)) problems.push('call arguments are not the text of a JSON object');
  return problems;
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function toolProblems(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ['tools is present but empty'];
  const names = tools.map(
    (tool: { type?: unknown; function?: { name?: unknown; parameters?: { type?: unknown } } }) => {
      const valid = tool.type === 'function' && tool.function?.parameters?.type === 'object';
      return valid && typeof tool.function?.name === 'string' ? tool.function.name : '';
    },
  );
  const problems = names
    .filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    .map((name) => `a broken tool: "${name}"`);
  if (new Set(names).size !== names.length) problems.push('two tools share a name');
  return problems;
}
