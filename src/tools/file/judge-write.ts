/** What there is against a call that writes files. */
import { delimiter, posix, win32 } from 'node:path';
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Finding, guardedWrite, type Judgement, learnedChange } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import type { FileProblem } from './file-access.ts';

/** Paths as the model wrote them. What must never be written is refused by the guarded files themselves. */
export async function judgeWrite(tool: string, paths: readonly string[], services: ToolServices): Promise<Judgement> {
  const shown = `${tool} ${paths.join(' ')}`;
  const real = await realPaths(paths, services);
  const findings = await questionsAbout(real, services);
  const learned = !services.insideContainer && real.some((path) => services.guard.isLearned(path));
  return { shown, findings: learned ? [...findings, learnedChange()] : findings };
}

/**
 * Why the files must not be written although the call was allowed: where they lead was changed after that, to a place
 * that nobody was asked about.
 */
export async function unaskedProblem(
  targets: readonly FilePath[],
  { services, approved = [] }: Pick<ToolContext<ToolServices>, 'services' | 'approved'>,
): Promise<FileProblem | undefined> {
  const paths = targets.map(({ resolved }) => resolved);
  const open = await questionsAbout(await realPaths(paths, services), services);
  const unasked = open.find(({ description }) => !approved.includes(description));
  if (unasked === undefined) return undefined;
  return { error: `Write denied: the path leads elsewhere than when the call was allowed (${unasked.description}).` };
}

/** How the model is told that a person did not allow the call. */
export function writeRefusal(message: string): JsonObject {
  return { success: false, error: `Write denied: ${message}` };
}

/** Where the files lie, and, since a link itself can be moved or removed, where the last part of each path does. */
async function realPaths(paths: readonly string[], { files }: ToolServices): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const absolute = files.resolve(path);
      const style = absolute.startsWith('/') ? posix : win32;
      const folder = await files.realPath(style.dirname(absolute));
      return [await files.realPath(absolute), style.join(folder, style.basename(absolute))];
    }),
  );
  return [...new Set(found.flat())];
}

/** What a person is asked about each time. */
async function questionsAbout(real: readonly string[], services: ToolServices): Promise<Finding[]> {
  if (services.insideContainer) return [];
  const runLater = real
    .filter((path) => services.guard.runsLater(path))
    .map((path) => guardedWrite(`write to a file that runs by itself later: ${path}`));
  return [...(await outsideSafeRoots(real, services)), ...runLater];
}

/** `HERMES_WRITE_SAFE_ROOT`, several separated like those of `PATH`: one finding for each path that lies in none. */
async function outsideSafeRoots(
  real: readonly string[],
  { files, processSettings }: ToolServices,
): Promise<readonly Finding[]> {
  const named = (processSettings.files.writeRoot ?? '').split(delimiter).filter((root) => root.trim() !== '');
  if (named.length === 0) return [];
  const found = await Promise.all(named.map((root) => files.realPath(files.resolve(root.trim()))));
  const roots = found.map((root) => root.replace(/(?<=.)[\\/]+$/, ''));
  const isInside = (path: string): boolean =>
    roots.some((root) => root === '/' || path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`));
  return real
    .filter((path) => !isInside(path))
    .map((path) => guardedWrite(`write outside HERMES_WRITE_SAFE_ROOT: ${path}`));
}
