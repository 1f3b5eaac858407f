/** `search_files`: finds text in files, or files by name. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../agent/tool.ts';
import { harmless, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { answering } from './file-access.ts';
import { fileSources } from './file-sources.ts';
import { type ContentMatch, countsOf } from './search/content-result.ts';
import { grepContent } from './search/grep.ts';
import { listFiles } from './search/list-files.ts';
import { ripgrepContent, ripgrepCounts } from './search/ripgrep.ts';
import { type SearchEnd, type SearchRequest, shownPath } from './search/search-request.ts';
import { cutText, previewLine } from './text-window.ts';

const parameters = z.object({
  pattern: z.string().min(1).describe('For content a regular expression; for files a glob such as *.ts'),
  target: z.enum(['content', 'files']).default('content'),
  path: z.string().default('.').describe('Directory or file to search'),
  file_glob: z.string().optional().describe('Content: only in files named so, such as *.py'),
  limit: z.int().default(50).describe('Most results, up to 1000'),
  offset: z.int().default(0).describe('Results to skip'),
  output_mode: z
    .enum(['content', 'files_only', 'count'])
    .default('content')
    .describe('content: matching lines; files_only: names of files; count: number of matches per file'),
  context: z.int().default(0).describe('Lines around each match'),
});

type Args = z.infer<typeof parameters>;

const maxResults = 1000;
const maxContext = 20;
const maxLineChars = 500;

export const searchFilesTool = defineTool<ToolServices, typeof parameters>({
  name: 'search_files',
  toolset: 'file',
  description:
    'Search the contents of files (target content), or find files by name, newest first (target files). Ignored and hidden files are left out. Use it instead of grep, find and ls.',
  parameters,
  traits: { idempotent: true, usesWorkspace: true },
  display: {
    emoji: '🔎',
    preview: ({ pattern, path }) => previewLine(path === '.' ? pattern : `${pattern} in ${path}`),
  },
  judge: judgeStart,
  sources: ({ path }, { files }) => [{ from: 'file', name: files.resolve(path) }],
  parallel: 'safe',
  async execute(asked, context) {
    const args = withinBounds(asked);
    const { files, state } = context.services;
    const times = state.readLedger.noteRequest('search_files', JSON.stringify(args));
    if (times >= 4) {
      return failure({
        error: `BLOCKED: this search was made ${times - 1} times in a row. Use what you have, or change it.`,
        already_searched: times - 1,
      });
    }
    const result = await answering(`search ${args.path}`, async () => {
      const root = files.resolve(args.path);
      if ((await files.stat(root)) === undefined) return { error: `Path not found: ${args.path}`, total_count: 0 };
      const request: SearchRequest = { ...args, root };
      return args.target === 'files'
        ? await findFiles(args, request, context)
        : await findContent(args, request, context);
    });
    if ('error' in result) return failure(result);
    const warning =
      times < 3 ? {} : { _warning: 'This is the third time in a row for this search; the next one is refused.' };
    const paths = [...new Set([args.path, ...result.paths])].map((path) => files.resolve(path));
    return { ...answer({ ...result.value, ...warning }), sources: await fileSources(paths, context.services) };
  },
});

/** Too much is asked for by mistake, and is no reason to search for nothing. */
function withinBounds(args: Args): Args {
  const { limit, offset, context } = args;
  return {
    ...args,
    limit: Math.min(Math.max(1, limit), maxResults),
    offset: Math.max(0, offset),
    context: Math.min(Math.max(0, context), maxContext),
  };
}

/** A search reads file contents past the guarded files, so its start is judged here. */
async function judgeStart({ path }: Args, { files, guard, insideContainer }: ToolServices): Promise<Judgement> {
  if (insideContainer) return harmless;
  const denied = guard.denyRead(await files.realPath(files.resolve(path)));
  return denied === undefined ? harmless : { ...harmless, refused: { reason: denied, message: denied } };
}

/** What the model reads, and the files that it shows something of. */
type Found =
  | { readonly value: object; readonly paths: readonly string[] }
  | { readonly error: string; readonly total_count?: 0 };

async function findFiles(args: Args, request: SearchRequest, context: ToolContext<ToolServices>): Promise<Found> {
  const found = await listFiles(request, args, context);
  if ('error' in found) return found;
  const { page, total } = found;
  const rest = { ...nextPage(args, page.length, total, found.cut), ...aside(found) };
  return {
    value: { total_count: total, ...(page.length === 0 ? {} : { files: page }), ...rest },
    paths: page,
  };
}

async function findContent(args: Args, request: SearchRequest, context: ToolContext<ToolServices>): Promise<Found> {
  // grep would take each line for a pattern of its own.
  if (args.pattern.includes('\n')) return { value: nothingAcrossLines, paths: [] };
  const { output_mode: mode } = args;
  return mode === 'content' ? await findLines(args, request, context) : await countLines(args, mode, request, context);
}

async function findLines(args: Args, request: SearchRequest, context: ToolContext<ToolServices>): Promise<Found> {
  const rg = await context.services.environment.findProgram('rg');
  const found = rg === undefined ? await grepContent(request, context) : await ripgrepContent(rg, request, context);
  if ('error' in found) return notFound(args, found);
  const { matches, cut } = found;
  const total = matches.filter((match) => match.isMatch).length;
  if (total === 0 && isAcrossLines(args)) return { value: { ...nothingAcrossLines, ...aside(found) }, paths: [] };
  const page = pageOf(matches, args.offset, args.limit).map((match) => ({
    ...match,
    path: shownPath(match.path, request),
  }));
  const { redact } = context.services;
  const shown = page.map(({ path, line, text }) => ({ path, line, content: cutText(redact(text), maxLineChars) }));
  const shownHits = page.filter((match) => match.isMatch).length;
  const rest = { ...nextPage(args, shownHits, total, cut), ...aside(found) };
  const value = { total_count: total, ...describeMatches(shown), ...rest };
  return { value, paths: page.map(({ path }) => path) };
}

async function countLines(
  args: Args,
  mode: 'count' | 'files_only',
  asked: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<Found> {
  const request = { ...asked, context: 0 };
  const rg = await context.services.environment.findProgram('rg');
  const found =
    rg === undefined ? countsOf(await grepContent(request, context)) : await ripgrepCounts(rg, mode, request, context);
  if ('error' in found) return notFound(args, found);
  const { counts, cut } = found;
  if (counts.length === 0 && isAcrossLines(args))
    return { value: { ...nothingAcrossLines, ...aside(found) }, paths: [] };
  const page = counts.slice(args.offset, args.offset + args.limit);
  const paths = page.map(({ path }) => shownPath(path, request));
  const names = paths.length === 0 ? {} : { files: paths };
  const shown =
    mode === 'files_only' ? names : { counts: Object.fromEntries(page.map(({ lines }, at) => [paths[at], lines])) };
  const rest = { ...nextPage(args, page.length, counts.length, cut), ...aside(found) };
  return { value: { total_count: counts.length, ...shown, ...rest }, paths };
}

function isAcrossLines({ pattern }: Args): boolean {
  return /(?<!\\)(?:\\\\)*\\n/.test(pattern);
}

function notFound(args: Args, found: { readonly error: string }): Found {
  const isLineEnd = isAcrossLines(args) && found.error.includes('not allowed in a regex');
  return isLineEnd ? { value: nothingAcrossLines, paths: [] } : found;
}

const nothingAcrossLines = {
  total_count: 0,
  warning:
    'A search looks at one line at a time, so a pattern with \\n finds nothing. Search for one of the lines, with context around it.',
};

/** What the model should know beside the hits. */
function aside({ limitReason, omitted }: SearchEnd): object {
  return {
    ...(limitReason === undefined ? {} : { limit_reason: limitReason }),
    ...(omitted === 0 ? {} : { _omitted: `${omitted} in files that hold credentials, which are not shown.` }),
  };
}

interface ShownMatch {
  readonly path: string;
  readonly line: number;
  readonly content: string;
}

/** A few one by one; from five on as one text, which says each path once. */
function describeMatches(matches: readonly ShownMatch[]): object {
  if (matches.length === 0) return {};
  if (matches.length < 5) return { matches };
  const lines: string[] = [];
  let last: string | undefined;
  for (const { path, line, content } of matches) {
    if (path !== last) lines.push(path);
    lines.push(`  ${line}: ${content}`);
    last = path;
  }
  return { matches_format: 'each path, then its lines as "  <line>: <content>"', matches_text: lines.join('\n') };
}

/** The asked-for matches with the context lines around them. */
function pageOf(matches: readonly ContentMatch[], offset: number, limit: number): ContentMatch[] {
  const page: ContentMatch[] = [];
  let seen = 0;
  let before: ContentMatch[] = [];
  for (const match of matches) {
    if (!match.isMatch) {
      if (seen > offset && seen <= offset + limit) page.push(match);
      else before.push(match);
      continue;
    }
    seen += 1;
    if (seen > offset + limit) break;
    if (seen > offset) page.push(...(seen === offset + 1 ? leading(before, match) : []), match);
    before = [];
  }
  return page;
}

/** The context lines that stand right before a match, when the page starts with it. */
function leading(before: readonly ContentMatch[], match: ContentMatch): ContentMatch[] {
  return before.filter(
    (line) => line.path === match.path && line.line < match.line && match.line - line.line <= maxContext,
  );
}

function nextPage(args: Args, shown: number, total: number, cut: boolean) {
  const next = args.offset + shown;
  if (next >= total && !cut) return {};
  return { truncated: true, hint: next < total ? `Go on with offset ${next}.` : 'There are more; narrow the search.' };
}
