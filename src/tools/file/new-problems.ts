/** Checks the syntax after an edit; what was wrong in the file before is not held against it. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { extensionOf } from './content-kind.ts';
import { checkSyntax, type SyntaxReport } from './syntax-check.ts';

/** `before` is undefined for a new file. Never throws: what cannot be checked is skipped. */
export async function checkEdit(
  target: FilePath,
  texts: { readonly before: string | undefined; readonly after: string },
  { services, signal }: ToolContext<ToolServices>,
): Promise<SyntaxReport> {
  const { before, after } = texts;
  const now = await checkSyntax(services, target.resolved, after, signal);
  if (now.status !== 'error' || before === undefined) return now;
  const then = await checkAside(target, before, { services, signal });
  if (then?.report.status !== 'error') return now;
  const known = new Set(problemsIn(then.report.output, then.path, before).map(({ key }) => key));
  const found = problemsIn(now.output, target.resolved, after);
  // Other lines show the neighbourhood, which an edit may have changed.
  const telling = found.filter(({ isPlaced, line }) => isPlaced || /error/i.test(line));
  const fresh = telling.filter(({ key }) => !known.has(key));
  if (telling.length > 0 && fresh.length === 0) {
    return { status: 'ok', output: '', message: 'What is wrong in this file was so before the edit.' };
  }
  // Where a report is one sentence of many lines, a part of it says little.
  const isList = found.every(({ isPlaced }) => isPlaced);
  return isList ? { ...now, output: fresh.map(({ line }) => line).join('\n') } : now;
}

/** The text is checked in a file elsewhere: its own is taken already. */
async function checkAside(
  { resolved }: FilePath,
  text: string,
  { services, signal }: Pick<ToolContext<ToolServices>, 'services' | 'signal'>,
): Promise<{ readonly path: string; readonly report: SyntaxReport } | undefined> {
  const { environment, files } = services;
  const folder = environment.kind === 'local' ? tmpdir() : '/tmp';
  const path = posix.join(folder, `hermes-before-${randomUUID()}.${extensionOf(resolved)}`);
  try {
    await files.write(path, new TextEncoder().encode(text));
    return { path, report: await checkSyntax(services, path, text, signal) };
  } catch {
    // Without the old report all of the new one counts.
    return undefined;
  } finally {
    await files.remove(path).catch(() => undefined);
  }
}

interface Problem {
  readonly line: string;
  /** Equal for one problem before and after lines were added above it. */
  readonly key: string;
  readonly isPlaced: boolean;
}

/** A place in the file, its path left out, as the checkers write it. */
const place = /^(?: *--> *)?:(\d+)|, line (\d+)\)/;

/** The lines of a report. A problem is known by its words and by the line of the file that it is about. */
function problemsIn(report: string, path: string, text: string): readonly Problem[] {
  const source = text.split('\n');
  return report.split('\n').map((line) => {
    // Python names the file without its folder.
    const plain = line.replaceAll(path, '').replaceAll(posix.basename(path), '');
    const [, first, second] = place.exec(plain) ?? [];
    const number = first ?? second;
    const about = number === undefined ? '' : (source[Number(number) - 1] ?? '').trim();
    return { line, key: `${plain.replaceAll(/\d+/g, '#').trim()}\0${about}`, isPlaced: number !== undefined };
  });
}
