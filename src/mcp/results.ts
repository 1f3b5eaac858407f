/** What a server answered to a call, as the model reads it. */
import * as z from 'zod';
import { answer, failure, type ToolOutcome } from '../agent/tool.ts';
import { maskCredentials } from './error-text.ts';
import { type FileKind, keepFile, maxFilesOfResult } from './result-files.ts';

export interface ResultOptions {
  readonly homePath: string;
  readonly maxChars: number;
  /** Masks the secrets that are known here. */
  readonly redact: (text: string) => string;
}

const blockShape = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string().catch('') }),
  z.looseObject({ type: z.literal('audio'), data: z.string(), mimeType: z.string().catch('') }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.looseObject({
      uri: z.string().catch(''),
      mimeType: z.string().optional().catch(undefined),
      text: z.string().optional().catch(undefined),
      blob: z.string().optional().catch(undefined),
    }),
  }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string().catch(''),
    name: z.string().optional().catch(undefined),
    description: z.string().optional().catch(undefined),
  }),
]);

/** More of one answer nobody reads. */
const maxBlocks = 1000;

/** A result whose text is longer than it may be is cut in its middle. Throws what the system says where a file is kept. */
export function resultOf(given: Readonly<Record<string, unknown>>, options: ResultOptions): ToolOutcome {
  const blocks: readonly unknown[] = Array.isArray(given['content']) ? given['content'].slice(0, maxBlocks) : [];
  const files = { left: maxFilesOfResult };
  const text = blocks
    .map((block) => textOf(block, options, files))
    .filter((part) => part !== '')
    .join('\n');
  if (given['isError'] === true) {
    const said = options.redact(
      maskCredentials(cut(text === '' ? 'the tool failed and said nothing' : text, options.maxChars / 2)),
    );
    return failure(said);
  }
  const { structuredContent } = given;
  if (structuredContent === undefined || structuredContent === null)
    return fitting((chars) => ({ result: cut(text, chars) }), options);
  const structured = JSON.stringify(structuredContent);
  if (text === '') {
    return structured.length < options.maxChars - 100
      ? answer({ result: structuredContent })
      : fitting((chars) => ({ result: cut(structured, chars) }), options);
  }
  const both = answer({ result: text, structuredContent });
  return typeof both.content === 'string' && both.content.length <= options.maxChars
    ? both
    : fitting((chars) => ({ result: cut(text, chars) }), options);
}

/** JSON needs more characters than what it holds, and how many depends on the text. */
export function fitting(of: (chars: number) => object, { maxChars }: Pick<ResultOptions, 'maxChars'>): ToolOutcome {
  for (let chars = maxChars; ; chars = Math.floor(chars * 0.75)) {
    const outcome = answer(of(chars));
    if (chars < 100 || (typeof outcome.content === 'string' && outcome.content.length <= maxChars)) return outcome;
  }
}

/** The end stays as well: it is where a program says what went wrong. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.floor(maxChars * 0.2);
  const note = `[… of ${text.length.toLocaleString('en-US')} characters the middle is left out …]`;
  return `${text.slice(0, maxChars - end).toWellFormed()}\n\n${note}\n\n${text.slice(text.length - end).toWellFormed()}`;
}

function textOf(block: unknown, options: ResultOptions, files: { left: number }): string {
  const read = blockShape.safeParse(block);
  if (!read.success) return '[MCP content of an unknown kind]';
  const { data } = read;
  switch (data.type) {
    case 'text':
      return data.text;
    case 'image':
      return media('images', data, options, files);
    case 'audio':
      return media('audio', data, options, files);
    case 'resource':
      return resource(data.resource, options, files);
    case 'resource_link':
      return `[MCP resource link: ${data.name ?? data.uri} — ${data.uri}${data.description === undefined ? '' : ` — ${data.description}`}]`;
  }
}

function media(
  kind: Exclude<FileKind, 'documents'>,
  { data, mimeType }: { readonly data: string; readonly mimeType: string },
  { homePath }: ResultOptions,
  files: { left: number },
): string {
  const fits = mimeType.startsWith(kind === 'images' ? 'image/' : 'audio/');
  const path = fits && files.left-- > 0 ? keepFile(homePath, kind, data, mimeType) : undefined;
  return path === undefined
    ? `[MCP ${kind === 'images' ? 'picture' : 'sound'} that could not be kept]`
    : `MEDIA:${path}`;
}

function resource(
  {
    uri,
    mimeType = 'application/octet-stream',
    text,
    blob,
  }: {
    readonly uri: string;
    readonly mimeType?: string | undefined;
    readonly text?: string | undefined;
    readonly blob?: string | undefined;
  },
  { homePath }: ResultOptions,
  files: { left: number },
): string {
  if (text !== undefined) return text;
  if (blob === undefined) return `[MCP resource without content — ${uri}]`;
  const path = files.left-- > 0 ? keepFile(homePath, 'documents', blob, mimeType) : undefined;
  return path === undefined
    ? `[MCP resource that could not be kept (${mimeType}) — ${uri}]`
    : `[MCP resource saved to ${path} (${mimeType}) — ${uri}]`;
}
