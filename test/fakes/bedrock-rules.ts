/** What AWS documents of a Converse request, with every break of a rule in plain words. */

interface Block {
  readonly text?: unknown;
  readonly image?: { readonly format?: unknown; readonly source?: { readonly bytes?: unknown } };
  readonly toolUse?: { readonly toolUseId?: unknown; readonly name?: unknown; readonly input?: unknown };
  readonly toolResult?: { readonly toolUseId?: unknown; readonly content?: readonly Block[] };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: unknown; readonly signature?: unknown };
    readonly redactedContent?: unknown;
  };
  readonly cachePoint?: { readonly type?: unknown; readonly ttl?: unknown };
}

interface Turn {
  readonly role?: unknown;
  readonly content?: readonly Block[];
}

interface Body {
  readonly messages?: readonly Turn[];
  readonly system?: readonly Block[];
  readonly toolConfig?: { readonly tools?: readonly { toolSpec?: ToolSpec; cachePoint?: unknown }[] };
}

interface ToolSpec {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: { readonly json?: { readonly type?: unknown } };
}

const name = /^[a-zA-Z0-9_-]{1,64}$/;

/** Problems of a request body; empty when Bedrock would accept it. */
export function converseProblems(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return ['the body is not a JSON object'];
  const { messages = [], system, toolConfig } = body as Body;
  const problems: string[] = [];
  const marks = JSON.stringify(body).match(/"cachePoint"/g)?.length ?? 0;
  if (marks > 4) problems.push(`${marks} cache points`);
  if (system !== undefined && !(system.length > 0 && isText(system[0]?.text))) problems.push('an empty system prompt');
  if (toolConfig !== undefined && (toolConfig.tools ?? []).length === 0) problems.push('no tools in toolConfig');
  for (const { toolSpec } of toolConfig?.tools ?? []) {
    if (toolSpec === undefined) continue;
    const described = toolSpec.description === undefined || isText(toolSpec.description);
    if (!matches(toolSpec.name, name) || !described || toolSpec.inputSchema?.json?.type !== 'object')
      problems.push(`a broken tool ${JSON.stringify(toolSpec.name)}`);
  }
  return [...problems, ...turnProblems(messages, toolConfig !== undefined)];
}

function turnProblems(turns: readonly Turn[], tools: boolean): string[] {
  const problems: string[] = [];
  const seen = new Set<unknown>();
  let waiting: unknown[] = [];
  for (const [index, { role, content = [] }] of turns.entries()) {
    const at = `message ${index}`;
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) problems.push(`${at}: the roles do not alternate`);
    if (content.length === 0) problems.push(`${at}: no content`);
    problems.push(...content.flatMap((block) => blockProblems(block).map((problem) => `${at}: ${problem}`)));
    const results = content.flatMap((block) => block.toolResult ?? []);
    const uses = content.flatMap((block) => block.toolUse ?? []);
    if (!tools && results.length + uses.length > 0) problems.push(`${at}: tool blocks without a toolConfig`);
    if (JSON.stringify(results.map((result) => result.toolUseId)) !== JSON.stringify(waiting))
      problems.push(`${at}: the results do not answer the calls`);
    if (content.findLastIndex((block) => block.toolResult !== undefined) >= Math.max(results.length, 1))
      problems.push(`${at}: a result behind other content`);
    waiting = uses.map((use) => use.toolUseId);
    for (const id of waiting) {
      if (seen.has(id)) problems.push(`${at}: the id ${JSON.stringify(id)} is used twice`);
      seen.add(id);
    }
  }
  if (turns.at(-1)?.role !== 'user') problems.push('the last message is not of the user');
  return problems;
}

function blockProblems(block: Block): string[] {
  const problems: string[] = [];
  const kinds = Object.keys(block);
  if (kinds.length !== 1) problems.push(`a block with the members ${kinds.join(', ')}`);
  const { text, image, toolUse, toolResult, reasoningContent, cachePoint } = block;
  if (text !== undefined && !isText(text)) problems.push('blank text');
  if (image !== undefined && !(matches(image.format, /^(png|jpeg|gif|webp)$/) && isBase64(image.source?.bytes)))
    problems.push('a broken image');
  if (toolUse !== undefined) {
    const input = typeof toolUse.input === 'object' && toolUse.input !== null && !Array.isArray(toolUse.input);
    if (!matches(toolUse.toolUseId, name) || !matches(toolUse.name, name) || !input) problems.push('a broken call');
  }
  if (toolResult !== undefined) {
    if (!matches(toolResult.toolUseId, name)) problems.push('a result with a broken id');
    if ((toolResult.content ?? []).length === 0) problems.push('a result without content');
    problems.push(...(toolResult.content ?? []).flatMap(blockProblems));
  }
  if (reasoningContent !== undefined) {
    const { reasoningText, redactedContent } = reasoningContent;
    const signed = typeof reasoningText?.text === 'string' && isText(reasoningText.signature);
    if (!signed && !isBase64(redactedContent)) problems.push('unsigned reasoning');
  }
  if (cachePoint !== undefined && cachePoint.type !== 'default') problems.push('a broken cache point');
  return problems;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && Buffer.from(value, 'base64').toString('base64') === value;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
