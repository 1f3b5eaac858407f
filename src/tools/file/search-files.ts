/** `search_files`: finds text in files, or files by name. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { answering } from './file-access.ts';
import { type ContentMatch, grepContent } from './search/grep.ts';
import { listFiles } from './search/list-files.ts';
import { ripgrepContent } from './search/ripgrep.ts';
import type { SearchRequest } from './search/search-request.ts';
import { cutText, previewLine } from './text-window.ts';

const parameters = z.object({
  pattern: z.string().min(1).describe('content: a regular expression; files: a glob such as *.ts'),
  target: z.enum(['content', 'files']).default('content').describe('Search in files, or for files'),
  path: z.string().default('.').describe('Where to search: a directory or a file'),
  file_glob: z.string().optional().describe('content: only files that match, such as *.py'),
  limit: z.int().min(1).max(1000).default(50).describe('Most results'),
  offset: z.int().min(0).default(0).describe('Results to skip'),
  output_mode: z
    .enum(['content', 'files_only', 'count'])
    .default('content')
    .describe('content: matching lines; files_only: names; count: matches a file'),
  context: z.int().min(0).max(20).default(0).describe('Lines to show around each match'),
});

type Args = z.infer<typeof parameters>;

const maxLineChars = 500;

export const searchFilesTool = defineTool<ToolServices, typeof parameters>({
  name: 'search_files',
  toolset: 'file',
  description:
    'Search in files with a regular expression, or find files by name (newest first). Ignored and hidden files are left out. Use it instead of grep, find and ls.',
  emoji: '🔎',
  parameters,
  parallel: 'safe',
  preview: ({ pattern, path }) => previewLine(path === '.' ? pattern : `${pattern} in ${path}`),
  async execute(args, context) {
    const { files, readLedger } = context.services;
    const times = readLedger.noteRequest(JSON.stringify(['search_files', args]));
    if (times >= 4) {
      return {
        error: `BLOCKED: this search was made ${times - 1} times in a row. Use what you have, or change it.`,
        already_searched: times - 1,
      };
    }
    const result = await answering(`search ${args.path}`, async () => {
      const root = files.resolve(args.path);
      if ((await files.stat(root)) === undefined) return { error: `Path not found: ${args.path}` };
      const request: SearchRequest = { ...args, root };
      return args.target === 'files'
        ? await findFiles(args, request, context)
        : await findContent(args, request, context);
    });
    if (times < 3 || 'error' in result) return result;
    return { ...result, _warning: 'This is the third time in a row for this search; the next one is refused.' };
  },
});

async function findFiles(args: Args, request: SearchRequest, context: ToolContext<ToolServices>) {
  const found = await listFiles(request, context);
  if ('error' in found) return found;
  const page = found.files.slice(args.offset, args.offset + args.limit);
  return {
    total_count: found.files.length,
    files: page,
    ...nextPage(args, page.length, found.files.length, found.cut),
  };
}

async function findContent(args: Args, request: SearchRequest, context: ToolContext<ToolServices>) {
  const rg = await context.services.environment.findProgram('rg');
  const found = rg === undefined ? await grepContent(request, context) : await ripgrepContent(rg, request, context);
  if ('error' in found) return found;
  const { matches, cut } = found;
  const hits = matches.filter((match) => match.isMatch);
  if (args.output_mode === 'content') {
    const total = hits.length;
    const page = pageOf(matches, args.offset, args.limit);
    const { redact } = context.services;
    const shown = page.map(({ path, line, text }) => ({ path, line, content: cutText(redact(text), maxLineChars) }));
    const shownHits = page.filter((match) => match.isMatch).length;
    return { total_count: total, matches: shown, ...nextPage(args, shownHits, total, cut) };
  }
  const counts = new Map<string, number>();
  for (const { path } of hits) counts.set(path, (counts.get(path) ?? 0) + 1);
  const page = [...counts].slice(args.offset, args.offset + args.limit);
  const rest = nextPage(args, page.length, counts.size, cut);
  return args.output_mode === 'files_only'
    ? { total_count: counts.size, files: page.map(([path]) => path), ...rest }
    : { total_count: counts.size, counts: Object.fromEntries(page), ...rest };
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
  return before.filter((line) => line.path === match.path && line.line < match.line && match.line - line.line <= 20);
}

function nextPage(args: Args, shown: number, total: number, cut: boolean) {
  const next = args.offset + shown;
  if (next >= total && !cut) return {};
  return { truncated: true, hint: next < total ? `Go on with offset ${next}.` : 'There are more; narrow the search.' };
}
