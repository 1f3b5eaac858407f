/** What there is against a call that writes files. */
import { type Finding, type Judgement, learnedChange, unclear } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';

/** Paths as the model wrote them. What must never be written is refused by the guarded files themselves. */
export async function judgeWrite(tool: string, paths: readonly string[], services: ToolServices): Promise<Judgement> {
  const shown = `${tool} ${paths.join(' ')}`;
  if (services.insideContainer) return { shown, findings: [] };
  const { files, guard } = services;
  const real = await Promise.all(paths.map((path) => files.realPath(files.resolve(path))));
  const findings = await outsideSafeRoot(real, services);
  return { shown, findings: real.some((path) => guard.isLearned(path)) ? [...findings, learnedChange()] : findings };
}

/** `HERMES_WRITE_SAFE_ROOT`: one finding for each path that really lies outside of it; an answer never holds for good. */
async function outsideSafeRoot(
  realPaths: readonly string[],
  { files, processSettings }: ToolServices,
): Promise<Finding[]> {
  const writeRoot = processSettings.files.writeRoot ?? '';
  if (writeRoot.trim() === '') return [];
  const root = (await files.realPath(files.resolve(writeRoot))).replace(/(?<=.)[\\/]+$/, '');
  const isInside = (path: string): boolean =>
    root === '/' || path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}\\`);
  return realPaths
    .filter((path) => !isInside(path))
    .map((path) => unclear(`write outside HERMES_WRITE_SAFE_ROOT: ${path}`));
}
