/** Judges shell text before it runs, and tells where its output comes from. */
import { basename } from 'node:path';
import { isOutside, mergeSources, type Source } from '../../llm/source.ts';
import type { Judgement } from '../../safety/finding.ts';
import { fileSources } from '../file/file-sources.ts';
import { hardlineMessage, ownerForbidsMessage } from '../policy/messages.ts';
import type { ToolServices } from '../services.ts';

/** `cwd`: the directory it starts in. */
export async function judgeShellText(command: string, cwd: string, services: ToolServices): Promise<Judgement> {
  // The parser is loaded with the first command, not with the first prompt.
  const { judgeCommand } = await import('../../safety/commands/judge.ts');
  const { hardline, findings } = judgeCommand(command, { ...services.paths, cwd });
  if (hardline !== undefined) {
    const { reason } = hardline;
    return { shown: command, findings: [], refused: { reason, message: hardlineMessage(reason) } };
  }
  const refused = await ownerRefusal(command, cwd, services);
  if (refused !== undefined) return { shown: command, findings: [], refused };
  return { shown: command, findings: services.insideContainer ? [] : findings };
}

/** What the owner forbids (`approvals.deny`), wherever the command comes from. */
export async function ownerRefusal(
  command: string,
  cwd: string,
  services: Pick<ToolServices, 'config' | 'paths'>,
): Promise<Judgement['refused']> {
  const { deny } = services.config.approvals;
  if (deny.length === 0) return undefined;
  const { deniedBy } = await import('../../safety/commands/denied.ts');
  const pattern = deniedBy(command, deny, { ...services.paths, cwd });
  if (pattern === undefined) return undefined;
  return { reason: `approvals.deny forbids '${pattern}'`, message: ownerForbidsMessage(pattern) };
}

/** Where what a command prints comes from: a program that nobody can see into, or the files that it names. */
export async function commandSources(command: string, cwd: string, services: ToolServices): Promise<readonly Source[]> {
  const { commandOrigin } = await import('../../safety/commands/known-local.ts');
  const { program, files, shows } = commandOrigin(command, { ...services.paths, cwd });
  if (program !== undefined) return [{ from: 'program', name: basename(program) }];
  // A name is no text; what a program brought from outside may have named a file too.
  const read = shows === 'nothing' ? files : await existing(files, services);
  const found = await fileSources(read, services);
  const counted = shows === 'nothing' ? found.filter(isOutside) : found;
  const unnamed: readonly Source[] = shows === 'unnamed files' && counted.length === 0 ? [{ from: 'file' }] : [];
  return mergeSources([{ from: 'tool', name: 'terminal' }], counted, unnamed);
}

async function existing(paths: readonly string[], { files }: ToolServices): Promise<readonly string[]> {
  const found = await Promise.all(paths.slice(0, maxLooks).map(async (path) => (await files.stat(path)) !== undefined));
  return paths.filter((_, index) => found[index] === true);
}

/** Each look costs a little; a command that names more files is judged by the first ones. */
const maxLooks = 64;
