/** The documented rules of OpenAI's Responses API, read strictly: every broken one in plain words. */

type Fields = { readonly [key: string]: unknown };

const topFields: ReadonlySet<string> = new Set(
  'model instructions input store tools tool_choice parallel_tool_calls reasoning include max_output_tokens temperature top_p prompt_cache_key service_tier stream text truncation metadata'.split(
    ' ',
  ),
);
const efforts: ReadonlySet<unknown> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);
const smallestOutput = 16;

/** Problems of a request body; empty when the service would accept it. */
export function responsesProblems(body: unknown): string[] {
  if (!isFields(body)) return ['the body is not a JSON object'];
  const problems = Object.keys(body)
    .filter((key) => !topFields.has(key))
    .map((key) => `Unknown parameter: '${key}'`);
  if (!isFilled(body['model'])) problems.push('model is missing');
  if (!isFilled(body['instructions'])) problems.push('Instructions are required');
  if (body['store'] !== false) problems.push('Store must be set to false');
  if (typeof body['stream'] !== 'boolean') problems.push('stream is missing');
  problems.push(...settingProblems(body), ...toolProblems(body));
  if (!allWellFormed(body)) problems.push('the body holds a lone surrogate');
  const input = body['input'];
  if (!Array.isArray(input) || input.length === 0) return [...problems, 'input is missing or empty'];
  return [...problems, ...inputProblems(input)];
}

function settingProblems(body: Fields): string[] {
  const problems: string[] = [];
  const { reasoning, include, max_output_tokens: limit, prompt_cache_key: key, service_tier: tier } = body;
  if (reasoning !== undefined) {
    if (!isFields(reasoning)) problems.push('reasoning is not an object');
    else if (!efforts.has(reasoning['effort'])) problems.push('reasoning.effort is unknown');
  }
  if (include !== undefined) {
    const known = Array.isArray(include) && include.every((value) => value === 'reasoning.encrypted_content');
    if (!known) problems.push('include holds an unknown value');
  }
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= smallestOutput)) {
    problems.push(`max_output_tokens: expected a value >= ${smallestOutput}`);
  }
  if (key !== undefined && (!isFilled(key) || textOf(key).length > 64)) problems.push('prompt_cache_key is too long');
  if (tier !== undefined && !['auto', 'default', 'flex', 'priority'].includes(textOf(tier))) {
    problems.push('service_tier is unknown');
  }
  return problems;
}

function toolProblems({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Fields): string[] {
  if (tools === undefined) {
    return choice === undefined && parallel === undefined ? [] : ['a tool choice is only allowed with tools'];
  }
  if (!Array.isArray(tools) || tools.length === 0) return ['tools is present but empty'];
  const names = new Set<unknown>();
  return tools.flatMap((tool: unknown, index) => {
    const at = `tools[${index}]`;
    if (!isFields(tool) || tool['type'] !== 'function') return [`${at}: is no function`];
    const { name, parameters } = tool;
    const problems = unknownKeys(tool, ['type', 'name', 'description', 'strict', 'parameters']);
    if (!isName(name)) problems.push(`the name ${JSON.stringify(name)} is not allowed`);
    if (names.has(name)) problems.push('the name is used twice');
    names.add(name);
    if (typeof tool['strict'] !== 'boolean') problems.push('strict is missing');
    if (!isFields(parameters) || parameters['type'] !== 'object') problems.push('parameters are no object schema');
    return problems.map((problem) => `${at}: ${problem}`);
  });
}

/** Problems of the input items: their shape, pairing of calls, what follows reasoning, ids that come twice. */
function inputProblems(input: readonly unknown[]): string[] {
  const problems: string[] = [];
  const itemIds = new Set<unknown>();
  const callIds = new Set<unknown>();
  const waiting = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    const kind = isFields(item) ? kindOf(item) : 'nothing';
    const say = (problem: string) => problems.push(`input[${index}] (${kind}): ${problem}`);
    if (!isFields(item)) {
      say('is no object');
      continue;
    }
    for (const problem of itemProblems(kind, item)) say(problem);
    const { id, call_id: callId } = item;
    if (id !== undefined && itemIds.has(id)) say(`Duplicate item found with id ${textOf(id)}`);
    if (id !== undefined) itemIds.add(id);
    if (kind === 'function_call') {
      if (callIds.has(callId)) say(`the call id ${textOf(callId)} is used twice`);
      callIds.add(callId);
      waiting.add(callId);
    }
    if (kind === 'function_call_output' && !waiting.delete(callId)) {
      say(`No tool call found for function call output with call_id ${textOf(callId)}`);
    }
    const previous = input[index - 1];
    const thought = isFields(previous) && previous['type'] === 'reasoning';
    if (kind === 'assistant' && !thought && isEmptyContent(item['content'])) say('empty content');
    const next = input[index + 1];
    const following = isFields(next) ? kindOf(next) : 'nothing';
    if (kind === 'reasoning' && !['reasoning', 'assistant', 'output message', 'function_call'].includes(following)) {
      say('was provided without its required following item');
    }
  }
  for (const id of waiting) problems.push(`No tool output found for function call ${textOf(id)}`);
  return problems;
}

function kindOf(item: Fields): string {
  const { type, role } = item;
  if (type === 'message' && role === 'assistant' && item['status'] !== undefined) return 'output message';
  return type === undefined || type === 'message' ? textOf(role) : textOf(type);
}

function itemProblems(kind: string, item: Fields): string[] {
  switch (kind) {
    case 'user':
    case 'system':
    case 'developer':
      return [...unknownKeys(item, ['type', 'role', 'content']), ...contentProblems(item['content'])];
    case 'assistant':
      return [
        ...unknownKeys(item, ['type', 'role', 'content', 'phase']),
        ...phaseProblems(item),
        ...(typeof item['content'] === 'string' ? [] : ['content is no text']),
      ];
    case 'output message':
      return outputMessageProblems(item);
    case 'reasoning':
      return reasoningProblems(item);
    case 'function_call':
      return callProblems(item);
    case 'function_call_output':
      return [
        ...unknownKeys(item, ['type', 'call_id', 'output']),
        ...callIdProblems(item['call_id']),
        ...contentProblems(item['output']),
      ];
    default:
      return ['unknown kind of item'];
  }
}

function outputMessageProblems(item: Fields): string[] {
  const { content } = item;
  const problems = [
    ...unknownKeys(item, ['type', 'role', 'id', 'status', 'content', 'phase']),
    ...idProblems(item['id'], 'msg_'),
    ...phaseProblems(item),
  ];
  if (!['completed', 'incomplete', 'in_progress'].includes(textOf(item['status']))) problems.push('unknown status');
  if (!Array.isArray(content) || content.length === 0) return [...problems, 'empty content'];
  const good = content.every(
    (part: unknown) =>
      isFields(part) && part['type'] === 'output_text' && isFilled(part['text']) && 'annotations' in part,
  );
  return good ? problems : [...problems, 'a broken part'];
}

function reasoningProblems(item: Fields): string[] {
  const { id, summary } = item;
  const problems = unknownKeys(item, ['type', 'id', 'summary', 'encrypted_content']);
  if (id !== undefined) problems.push(...idProblems(id, 'rs_'));
  if (!isFilled(item['encrypted_content'])) problems.push('Items are not persisted when `store` is set to false');
  const good =
    Array.isArray(summary) &&
    summary.every(
      (part: unknown) => isFields(part) && part['type'] === 'summary_text' && typeof part['text'] === 'string',
    );
  return good ? problems : [...problems, 'a broken summary'];
}

function callProblems(item: Fields): string[] {
  const { id, name } = item;
  const problems = [
    ...unknownKeys(item, ['type', 'id', 'call_id', 'name', 'arguments', 'status']),
    ...callIdProblems(item['call_id']),
  ];
  if (id !== undefined) problems.push(...idProblems(id, 'fc_'));
  if (!isName(name)) problems.push(`the name ${JSON.stringify(name)} is not allowed`);
  if (!isObjectText(item['arguments'])) problems.push('the arguments are not the text of a JSON object');
  return problems;
}

function phaseProblems({ phase }: Fields): string[] {
  return phase === undefined || phase === 'commentary' || phase === 'final_answer' ? [] : ['unknown phase'];
}

function contentProblems(content: unknown): string[] {
  if (isEmptyContent(content)) return ['empty content'];
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) return ['content is neither text nor parts'];
  return content.flatMap((part: unknown) => (isFields(part) ? partProblems(part) : ['a part that is no object']));
}

function partProblems(part: Fields): string[] {
  if (part['type'] === 'input_text') {
    return [...unknownKeys(part, ['type', 'text']), ...(isFilled(part['text']) ? [] : ['an empty text part'])];
  }
  if (part['type'] !== 'input_image') return [`Invalid value: '${textOf(part['type'])}'`];
  const url = textOf(part['image_url']);
  const problems = unknownKeys(part, ['type', 'image_url', 'detail']);
  if (!['auto', 'low', 'high'].includes(textOf(part['detail']))) problems.push('detail is missing');
  if (/^https?:\/\//.test(url) || /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(url))
    return problems;
  return [...problems, `Invalid image: ${url.slice(0, 40)}`];
}

function idProblems(id: unknown, prefix: string): string[] {
  const text = textOf(id);
  if (!text.startsWith(prefix)) return [`Expected an ID that begins with '${prefix}', got ${text}`];
  return text.length > 64 || !/^[\w-]+$/.test(text) ? [`Invalid id ${text}`] : [];
}

function callIdProblems(id: unknown): string[] {
  return isFilled(id) && textOf(id).length <= 64
    ? []
    : [`call_id: ${JSON.stringify(id)} is not 1 to 64 characters long`];
}

function unknownKeys(fields: Fields, known: readonly string[]): string[] {
  return Object.keys(fields)
    .filter((key) => !known.includes(key))
    .map((key) => `Unknown parameter: '${key}'`);
}

function isEmptyContent(content: unknown): boolean {
  return typeof content === 'string' ? content.trim() === '' : Array.isArray(content) && content.length === 0;
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

function allWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && allWellFormed(inner));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
