/** `read_file`: shows lines of a text file. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type FilePath, type ToolContext } from '../../agent/tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { answering } from './file-access.ts';
import { fileSources } from './file-sources.ts';
import { maskLines } from './masked-secrets.ts';
import { shownText } from './shown-text.ts';
import { cutWindow, linesWithin, numberLines, previewLine, shortenLine } from './text-window.ts';

const parameters = z.object({
  path: z.string().min(1).describe('File to read: absolute, relative to the working directory, or with ~'),
  offset: z.int().default(1).describe('First line, from 1'),
  limit: z.int().default(500).describe('Number of lines, at most 2000'),
});

type Args = z.infer<typeof parameters>;

export const readFileTool = defineTool<ToolServices, typeof parameters>({
  name: 'read_file',
  toolset: 'file',
  description:
    'Read a text file with line numbers. Large files come in parts: use offset and limit. Documents (pdf, docx, xlsx, ipynb) come as text. Use it instead of cat, head or tail.',
  parameters,
  traits: { idempotent: true, usesWorkspace: true },
  display: { emoji: '📖', preview: ({ path, offset }) => previewLine(offset > 1 ? `${path}:${offset}` : path) },
  guidance: (tools) => {
    const here = ['read_file', 'search_files', 'patch', 'write_file'].filter((name) => tools.has(name));
    const named = here.join(', ').replace(/, (?=[^,]*$)/, ' and ');
    return tools.has('terminal')
      ? `Prefer ${named} over shell commands for reading, finding and changing files.`
      : undefined;
  },
  // The guarded files say themselves what must not be read.
  judge: () => harmless,
  sources: ({ path }, { files }) => [{ from: 'file', name: files.resolve(path) }],
  parallel: { paths: ({ path }, { files }) => [files.resolve(path)] },
  async execute(args, context) {
    const { files, state } = context.services;
    const target: FilePath = { path: args.path, resolved: files.resolve(args.path) };
    const window = windowOf(args, context.services);
    const request = requestOf(target, window);
    const times = state.readLedger.noteRequest('read_file', request);
    const result = await answering(`read ${args.path}`, () => readLines(target, window, context, times));
    const sources = await fileSources([target.resolved], context.services);
    if ('error' in result) return { ...failure(result), sources };
    return { ...answer(result), sources };
  },
});

interface Window {
  readonly offset: number;
  readonly limit: number;
}

function windowOf({ offset, limit }: Args, { config }: ToolServices): Window {
  return { offset: Math.max(1, offset), limit: Math.min(Math.max(1, limit), config.tool_output.max_lines) };
}

async function readLines(
  target: FilePath,
  window: Window,
  context: ToolContext<ToolServices>,
  timesInARow: number,
): Promise<{ readonly [key: string]: unknown }> {
  const { config, redact, state } = context.services;
  const { readLedger } = state;
  const maxChars = config.file_read_max_chars;
  const shownFile = await shownText(target, context);
  if ('error' in shownFile) return { ...shownFile };
  const { text, bytes, isExtracted } = shownFile;
  const { lines: wanted, first, totalLines } = cutWindow(text, window.offset, window.limit);
  const masked = maskLines(wanted, redact).map((line) => shortenLine(line, config.tool_output.max_line_length));
  const fitting = linesWithin(masked, first, maxChars);
  const lines = linesWithin(fitting, first, context.maxResultChars - frameChars, lengthInJson);
  const facts = {
    total_lines: totalLines,
    file_size: bytes.byteLength,
    ...(isExtracted ? { extracted_document: true } : {}),
    ...(lines.length < masked.length ? { truncated_by: 'bytes', next_offset: first + lines.length } : {}),
  };
  if (lines.length === 0 && totalLines > 0) {
    return { error: `${target.path} has ${totalLines} lines; there is no line ${window.offset}.`, ...facts };
  }
  const content = numberLines(lines, first);
  const request = requestOf(target, window);
  if (readLedger.wasShown(request, content)) {
    readLedger.noteContents(target.resolved, bytes);
    return unchanged(target, timesInARow);
  }
  const shown = readLedger.noteShown('read_file', request);
  if (shown > mostShown) {
    readLedger.forgetShown(request);
    return blocked(target, shown);
  }
  readLedger.noteContents(target.resolved, bytes);
  const next = first + lines.length;
  const truncated = next <= totalLines;
  const more = truncated ? { hint: `Go on with offset ${next}.` } : {};
  return { content, ...facts, truncated, ...more, ...advice(bytes.byteLength, window, truncated, shown) };
}

function requestOf({ resolved }: FilePath, { offset, limit }: Window): string {
  return JSON.stringify([resolved, offset, limit]);
}

/** What stands around the content in an answer, at most. */
const frameChars = 600;
/** Without the quotation marks; the line break behind a line is two characters there. */
const lengthInJson = (line: string) => JSON.stringify(line).length - 1;

/** How often in a row a part of a file that keeps changing is shown. */
const mostShown = 3;
const largeBytes = 512_000;
const narrowLines = 200;

function advice(size: number, { limit }: Window, truncated: boolean, shown: number) {
  const large = size > largeBytes && limit > narrowLines && truncated;
  return {
    is_binary: false,
    is_image: false,
    ...(large ? { _hint: 'This file is large: find the place with search_files and read only that part.' } : {}),
    ...(shown === mostShown
      ? {
          _warning:
            'This part was read for the third time in a row; the next time it is refused. Do something else first.',
        }
      : {}),
  };
}

/** In place of content that stands in the conversation already. Whoever goes on asking for it is refused. */
function unchanged({ path }: FilePath, timesInARow: number) {
  if (timesInARow >= 3) return blocked({ path }, timesInARow, ' and has not changed');
  const message = 'Unchanged since you read it; what you were shown then still holds.';
  return { status: 'unchanged', message, path, dedup: true, content_returned: false };
}

function blocked({ path }: Pick<FilePath, 'path'>, times: number, more = '') {
  return {
    error: `BLOCKED: this part of ${path} was read ${times} times in a row${more}. Use what you have, or do something else first.`,
    path,
    already_read: times,
  };
}
