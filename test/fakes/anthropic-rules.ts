/** The documented rules of Anthropic's Messages API, read strictly: every broken one in plain words. */
import { createHash } from 'node:crypto';

interface Block {
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

interface Row {
  readonly role?: unknown;
  readonly content?: unknown;
}

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/;
const topFields: ReadonlySet<string> = new Set(
  'model max_tokens messages system tools tool_choice thinking output_config temperature top_p top_k stop_sequences stream speed metadata service_tier container'.split(
    ' ',
  ),
);

/** The signature that the fake gives to a thought; a thought that was changed does not fit it any more. */
export function signatureFor(thinking: string): string {
  return `sig_${createHash('sha256').update(thinking).digest('base64')}`;
}

/** Problems of a request body; empty when the service would accept it. */
export function anthropicProblems(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return ['the body is not a JSON object'];
  const { model, max_tokens, messages, system, tools, thinking, temperature } = body as { [key: string]: unknown };
  const problems = Object.keys(body)
    .filter((key) => !topFields.has(key))
    .map((key) => `unknown field ${key}`);
  if (typeof model !== 'string' || model === '') problems.push('model is missing');
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) problems.push('max_tokens is missing');
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1))
    problems.push('temperature is not 0 to 1');
  if (system !== undefined) problems.push(...systemProblems(system).map((problem) => `system: ${problem}`));
  problems.push(...toolProblems(tools));
  if (!Array.isArray(messages) || messages.length === 0) return [...problems, 'messages is missing or empty'];
  const rows = messages as Row[];
  problems.push(...rowsProblems(rows), ...thinkingProblems(thinking, Number(max_tokens), temperature, rows));
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > 4) problems.push(`${marks} cache marks, at most 4 are allowed`);
  if (/\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(body))) problems.push('the body holds a lone surrogate');
  return problems;
}

/** The blocks of a row; a string is one block of text. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

function rowsProblems(rows: readonly Row[]): string[] {
  const problems: string[] = [];
  const seenIds = new Set<unknown>();
  let waiting = new Set<unknown>();
  for (const [index, row] of rows.entries()) {
    const at = `message ${index} (${String(row.role)})`;
    const say = (problem: string) => problems.push(`${at}: ${problem}`);
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (row.role !== expected) say(`the role must be ${expected}`);
    for (const key of Object.keys(row)) if (key !== 'role' && key !== 'content') say(`unknown field ${key}`);
    const blocks = blocksOf(row.content);
    if (blocks.length === 0) say('no content');
    for (const block of blocks) for (const problem of blockProblems(block, row.role)) say(problem);
    const results = blocks.filter((block) => block.type === 'tool_result');
    const firstOther = blocks.findIndex((block) => block.type !== 'tool_result');
    if (firstOther !== -1 && blocks.slice(firstOther).some((block) => block.type === 'tool_result')) {
      say('a tool_result behind other content');
    }
    for (const result of results) {
      if (!waiting.delete(result['tool_use_id']))
        say(`a tool_result without its tool_use: ${String(result['tool_use_id'])}`);
    }
    if (waiting.size > 0) say(`tool_use without tool_result: ${[...waiting].join(', ')}`);
    waiting = new Set();
    for (const call of blocks.filter((block) => block.type === 'tool_use')) {
      if (seenIds.has(call['id'])) say(`the id ${String(call['id'])} is used twice`);
      seenIds.add(call['id']);
      waiting.add(call['id']);
    }
  }
  if (waiting.size > 0) problems.push(`the history ends with tool_use without tool_result: ${[...waiting].join(', ')}`);
  if (rows.at(-1)?.role === 'assistant') problems.push('the history ends with an assistant message');
  return problems;
}

const blockFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
};

function blockProblems(block: Block, role: unknown): string[] {
  const type = String(block.type);
  const fields = blockFields[type];
  if (fields === undefined) return [`unknown block type ${type}`];
  const problems = Object.keys(block)
    .filter((key) => ![...fields, 'type', 'cache_control'].includes(key))
    .map((key) => `${type}: unknown field ${key}`);
  const belongs = type === 'text' || (type === 'image' || type === 'tool_result' ? 'user' : 'assistant') === role;
  if (!belongs) problems.push(`${type} in a message of role ${String(role)}`);
  if (type.endsWith('thinking') && block['cache_control'] !== undefined) problems.push(`${type} cannot be marked`);
  if (block['cache_control'] !== undefined) problems.push(...markProblems(block['cache_control']));
  return [...problems, ...contentProblems(type, block)];
}

function contentProblems(type: string, block: Block): string[] {
  switch (type) {
    case 'text':
      return textProblems(block['text']);
    case 'image':
      return imageProblems(block['source']);
    case 'tool_use': {
      const isObject = typeof block['input'] === 'object' && block['input'] !== null && !Array.isArray(block['input']);
      const named = typeof block['name'] === 'string' && /^[a-zA-Z0-9_-]{1,128}$/.test(block['name']);
      return [
        ...idProblems(block['id']),
        ...(isObject ? [] : ['input is no object']),
        ...(named ? [] : ['a bad name']),
      ];
    }
    case 'tool_result': {
      const { content } = block;
      if (typeof content === 'string') return [...idProblems(block['tool_use_id']), ...textProblems(content)];
      const inner = blocksOf(content).flatMap((part) => blockProblems(part, 'user'));
      const nested = blocksOf(content).some((part) => part.type !== 'text' && part.type !== 'image');
      return [...idProblems(block['tool_use_id']), ...inner, ...(nested ? ['a result in a result'] : [])];
    }
    case 'thinking': {
      const fits = block['signature'] === signatureFor(String(block['thinking']));
      return fits ? [] : ['Invalid `signature` in `thinking` block'];
    }
    default:
      return typeof block['data'] === 'string' && block['data'] !== '' ? [] : ['data is missing'];
  }
}

function textProblems(text: unknown): string[] {
  if (typeof text !== 'string' || text === '') return ['text content blocks must be non-empty'];
  return text.trim() === '' ? ['text content blocks must contain non-whitespace text'] : [];
}

function idProblems(id: unknown): string[] {
  return typeof id === 'string' && idPattern.test(id)
    ? []
    : [`the id ${JSON.stringify(id)} does not match ${idPattern}`];
}

function imageProblems(source: unknown): string[] {
  const { type, media_type, data, url } = (source ?? {}) as { [key: string]: unknown };
  if (type === 'url') return typeof url === 'string' && /^https?:\/\//.test(url) ? [] : ['a bad image url'];
  const known = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(String(media_type));
  const encoded = typeof data === 'string' && data !== '';
  return type === 'base64' && known && encoded ? [] : ['a bad image source'];
}

function markProblems(mark: unknown): string[] {
  const { type, ttl, ...others } = (mark ?? {}) as { [key: string]: unknown };
  const known = type === 'ephemeral' && (ttl === undefined || ttl === '5m' || ttl === '1h');
  return known && Object.keys(others).length === 0 ? [] : [`a bad cache mark ${JSON.stringify(mark)}`];
}

function systemProblems(system: unknown): string[] {
  if (typeof system === 'string') return system === '' ? ['it is empty'] : [];
  const blocks = blocksOf(system);
  if (blocks.length === 0) return ['it is empty'];
  return blocks.flatMap((block) =>
    block.type === 'text' ? blockProblems(block, 'user') : ['it holds more than text'],
  );
}

function toolProblems(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) return ['tools is no list'];
  const problems = (tools as Block[]).flatMap(({ name, description, input_schema, cache_control, ...others }) => {
    const schema = (input_schema ?? {}) as { type?: unknown };
    const valid = typeof name === 'string' && /^[a-zA-Z0-9_-]{1,128}$/.test(name) && schema.type === 'object';
    const described = description === undefined || typeof description === 'string';
    const marked = cache_control === undefined ? [] : markProblems(cache_control);
    const unknown = Object.keys(others).map((key) => `a tool with the unknown field ${key}`);
    return [...marked, ...unknown, ...(valid && described ? [] : [`a broken tool ${JSON.stringify(name)}`])];
  });
  const names = (tools as Block[]).map(({ name }) => name);
  return new Set(names).size === names.length ? problems : [...problems, 'two tools share a name'];
}

function thinkingProblems(thinking: unknown, maxTokens: number, temperature: unknown, rows: readonly Row[]): string[] {
  const { type, budget_tokens: budget } = (thinking ?? {}) as { type?: unknown; budget_tokens?: unknown };
  if (type === undefined || type === 'disabled') return [];
  const problems: string[] = [];
  if (temperature !== undefined && temperature !== 1) {
    problems.push('`temperature` may only be set to 1 when thinking is enabled');
  }
  if (type !== 'enabled') return problems;
  if (!Number.isInteger(budget) || Number(budget) < 1024) problems.push('budget_tokens must be at least 1024');
  if (Number(budget) >= maxTokens) problems.push('max_tokens must be greater than thinking.budget_tokens');
  const began = rows.findLastIndex(
    ({ role, content }) => role === 'user' && blocksOf(content)[0]?.type !== 'tool_result',
  );
  const first = rows.slice(began + 1).find(({ role }) => role === 'assistant');
  if (first !== undefined && !String(blocksOf(first.content)[0]?.type).endsWith('thinking')) {
    problems.push(
      `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(blocksOf(first.content)[0]?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`,
    );
  }
  return problems;
}
