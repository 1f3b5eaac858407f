/** Writes a file for the file tools: not over changes the session has not seen, and with a check of its syntax. */
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { beginRun, wordsEntered } from '../terminal/outside-run.ts';
import type { FileProblem } from './file-access.ts';
import { fingerprint } from './read-ledger.ts';

export interface SavedFile {
  readonly createdDirectories: readonly string[];
  readonly bytes: number;
}

/** Why a file must not be written now: it changed on disk since this session last saw it. */
export async function staleFile(
  target: FilePath,
  current: Uint8Array | undefined,
  { services, sessionId }: ToolContext<ToolServices>,
): Promise<FileProblem | undefined> {
  const { files, processSettings, state } = services;
  const known = state.readLedger.lastKnown(target.resolved);
  if (!processSettings.files.stateGuard || known === undefined || current === undefined) return undefined;
  if (known.digest === fingerprint(current).digest) return undefined;
  const writer = state.fileWrites.otherWriter(await files.realPath(target.resolved), sessionId);
  const who = writer === undefined ? 'someone else' : `another agent (session ${writer})`;
  return {
    error: `${target.path} was changed by ${who} since you last read it, so nothing was written. Read it again and repeat the change.`,
  };
}

/** Runs work that reads files and writes them, while no other session of this process does so with one of them. */
export async function alone<T>(
  targets: readonly FilePath[],
  { services, signal }: ToolContext<ToolServices>,
  work: () => Promise<T>,
): Promise<T> {
  const real = await Promise.all(targets.map(({ resolved }) => services.files.realPath(resolved)));
  return await services.state.fileWrites.alone([...new Set(real)], signal, work);
}

/** Writes the text as UTF-8 and remembers it as seen. */
export async function saveFile(
  target: FilePath,
  text: string,
  { services, sessionId }: ToolContext<ToolServices>,
): Promise<SavedFile> {
  const { files, state } = services;
  const bytes = new TextEncoder().encode(text);
  // What the conversation knows from others may stand in it, in whatever words.
  const end = await beginRun(wordsEntered(services), services);
  try {
    const { createdDirectories } = await files.write(target.resolved, bytes);
    state.readLedger.noteContents(target.resolved, bytes);
    state.fileWrites.note(await files.realPath(target.resolved), sessionId);
    return { createdDirectories, bytes: bytes.byteLength };
  } finally {
    await end();
  }
}
