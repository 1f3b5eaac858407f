/** What Google's documents demand of a `generateContent` request, with every break of a rule in plain words. */

interface Part {
  readonly text?: unknown;
  readonly functionCall?: { readonly name?: unknown; readonly args?: unknown; readonly id?: unknown };
  readonly functionResponse?: { readonly name?: unknown; readonly response?: unknown; readonly id?: unknown };
  readonly inlineData?: { readonly mimeType?: unknown; readonly data?: unknown };
  readonly fileData?: { readonly fileUri?: unknown };
  readonly thoughtSignature?: unknown;
}

interface Turn {
  readonly role?: unknown;
  readonly parts?: readonly Part[];
}

const bodyFields = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings'];
const partFields = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData', 'thoughtSignature'];
// biome-ignore format: a list of words
const schemaFields = [
  'type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties', 'required',
  'minLength', 'maxLength', 'pattern', 'anyOf', 'items', 'minimum', 'maximum',
];
const schemaTypes = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT'];

/** Problems of a request body; empty when Gemini would accept it. */
export function geminiProblems(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return ['the body is not a JSON object'];
  const problems = unknownFields(body, bodyFields, 'the body');
  const { contents, systemInstruction, tools } = body as {
    contents?: unknown;
    systemInstruction?: { parts?: readonly Part[] };
    tools?: readonly { functionDeclarations?: readonly { name?: unknown; parameters?: unknown }[] }[];
  };
  if (!Array.isArray(contents) || contents.length === 0) return [...problems, 'contents is missing or empty'];
  if (systemInstruction !== undefined && !isText(systemInstruction.parts?.[0]?.text)) problems.push('an empty system');
  for (const declaration of tools?.flatMap((tool) => tool.functionDeclarations ?? []) ?? []) {
    if (!isName(declaration.name)) problems.push(`a broken function name ${JSON.stringify(declaration.name)}`);
    if (declaration.parameters === undefined) continue;
    problems.push(...schemaProblems(declaration.parameters, 'parameters'));
    const { type, properties } = declaration.parameters as { type?: unknown; properties?: object };
    if (type !== 'OBJECT' || properties === undefined) problems.push('parameters without properties');
  }
  return [...problems, ...turnProblems(contents as Turn[])];
}

/** Problems of a schema; empty when it is in Gemini's subset. */
export function schemaProblems(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [`${at} is no schema`];
  const problems = unknownFields(schema, schemaFields, at);
  const fields = schema as Record<string, unknown>;
  if (fields['anyOf'] !== undefined) {
    const others = Object.keys(fields).filter((key) => !['anyOf', 'description', 'nullable'].includes(key));
    if (others.length > 0) problems.push(`${at}: anyOf beside ${others.join(', ')}`);
    const members = fields['anyOf'];
    if (!Array.isArray(members) || members.length === 0) return [...problems, `${at}: an empty anyOf`];
    return [...problems, ...members.flatMap((member, index) => schemaProblems(member, `${at}.anyOf[${index}]`))];
  }
  const { type } = fields;
  if (typeof type !== 'string' || !schemaTypes.includes(type))
    return [...problems, `${at}: unknown type ${JSON.stringify(type)}`];
  if (fields['enum'] !== undefined) {
    const values = fields['enum'];
    const strings = Array.isArray(values) && values.length > 0 && values.every(isText);
    if (type !== 'STRING' || !strings) problems.push(`${at}: enum is for strings only`);
  }
  if (type === 'ARRAY') problems.push(...schemaProblems(fields['items'], `${at}.items`));
  else if (fields['items'] !== undefined) problems.push(`${at}: items of no array`);
  const properties = fields['properties'];
  if (properties !== undefined) {
    if (type !== 'OBJECT' || Object.keys(properties as object).length === 0) problems.push(`${at}: empty properties`);
    for (const [name, member] of Object.entries(properties as object))
      problems.push(...schemaProblems(member, `${at}.${name}`));
  }
  for (const name of (fields['required'] ?? []) as unknown[]) {
    if (typeof name !== 'string' || !Object.hasOwn(properties ?? {}, name))
      problems.push(`${at}: requires ${String(name)}, which is no property`);
  }
  return problems;
}

function turnProblems(turns: readonly Turn[]): string[] {
  const problems: string[] = [];
  let calls: { readonly name?: unknown; readonly id?: unknown }[] = [];
  for (const [index, turn] of turns.entries()) {
    const at = `turn ${index} (${String(turn.role)})`;
    const parts = turn.parts ?? [];
    if (turn.role !== (index % 2 === 0 ? 'user' : 'model')) problems.push(`${at}: the roles do not alternate`);
    if (parts.length === 0) problems.push(`${at}: no parts`);
    problems.push(...parts.flatMap((part) => partProblems(part).map((problem) => `${at}: ${problem}`)));
    const results = parts.flatMap((part) => part.functionResponse ?? []);
    if (parts.findLastIndex((part) => part.functionResponse !== undefined) >= Math.max(results.length, 1))
      problems.push(`${at}: a result behind other parts`);
    if (results.length !== calls.length) problems.push(`${at}: ${calls.length} calls, ${results.length} results`);
    for (const [position, result] of results.entries()) {
      const call = calls[position];
      if (result.name !== call?.name || result.id !== call?.id) problems.push(`${at}: result ${position} has no call`);
    }
    calls = parts.flatMap((part) => part.functionCall ?? []);
    if (turn.role !== 'model' && calls.length > 0) problems.push(`${at}: a call of the user`);
  }
  if (turns.at(-1)?.role !== 'user') problems.push('the last turn is not of the user');
  return problems;
}

function partProblems(part: Part): string[] {
  const problems = unknownFields(part, partFields, 'a part');
  const kinds = Object.keys(part).filter((key) => key !== 'thoughtSignature');
  if (kinds.length !== 1) problems.push(`a part with ${kinds.length} kinds of data`);
  if (part.text !== undefined && !isText(part.text)) problems.push('an empty text part');
  const { functionCall: call, functionResponse: result, inlineData, thoughtSignature } = part;
  if (call !== undefined && (!isName(call.name) || !isObject(call.args))) problems.push('a broken call');
  if (result !== undefined && (!isName(result.name) || !isObject(result.response))) problems.push('a broken result');
  if (inlineData !== undefined) {
    const { mimeType, data } = inlineData;
    const valid = typeof data === 'string' && data !== '' && Buffer.from(data, 'base64').toString('base64') === data;
    if (!isText(mimeType) || !valid) problems.push('broken inline data');
  }
  if (
    thoughtSignature !== undefined &&
    !(typeof thoughtSignature === 'string' && /^[A-Za-z0-9+/_-]+=*$/.test(thoughtSignature))
  )
    problems.push('a broken signature');
  return problems;
}

function unknownFields(value: object, known: readonly string[], at: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${at} has an unknown field ${key}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
