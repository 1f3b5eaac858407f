/** Searches with ripgrep, whose JSON lines keep odd file names and line contents apart. */
import type { ToolContext } from '../../../agent/tool.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import type { ToolServices } from '../../services.ts';
import { type ContentMatch, type ContentResult, contentResult } from './grep.ts';
import { maxSearchOutput, type SearchRequest, searchTimeoutMs } from './search-request.ts';

export async function ripgrepContent(
  rg: string,
  request: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<ContentResult> {
  const argv = [
    rg,
    '--json',
    '--max-columns=4000',
    '--max-filesize=32M',
    '--sort=path',
    ...(request.context > 0 ? [`--context=${request.context}`] : []),
    ...(request.file_glob === undefined ? [] : ['--glob', request.file_glob]),
    '--regexp',
    request.pattern,
    '--',
    request.root,
  ];
  const run = await context.services.environment.runProgram(argv, {
    timeoutMs: searchTimeoutMs,
    signal: context.signal,
    maxOutput: maxSearchOutput,
  });
  const lines = run.output.split('\n');
  return contentResult(run, lines.flatMap(readEvent), context.services.guard, request);
}

function readEvent(line: string): ContentMatch[] {
  const event = line === '' ? undefined : parseJson(line);
  if (!isJsonObject(event) || (event['type'] !== 'match' && event['type'] !== 'context')) return [];
  const { data } = event;
  if (!isJsonObject(data) || typeof data['line_number'] !== 'number') return [];
  const path = textOf(data['path']);
  const text = textOf(data['lines']);
  if (path === undefined || text === undefined) return [];
  return [
    {
      path,
      line: data['line_number'],
      text: text.replace(/\r?\n$/, ''),
      isMatch: event['type'] === 'match',
    },
  ];
}

/** ripgrep gives text where it is UTF-8, and base64 bytes where it is not. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if (typeof value['text'] === 'string') return value['text'];
  return typeof value['bytes'] === 'string' ? Buffer.from(value['bytes'], 'base64').toString('utf8') : undefined;
}
