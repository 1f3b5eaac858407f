/** Writes a file for the file tools: not over changes the session has not seen, and with a check of its syntax. */
import type { FilePath } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
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
  { processSettings, state }: ToolServices,
): Promise<FileProblem | undefined> {
  const known = state.readLedger.lastKnown(target.resolved);
  if (!processSettings.files.stateGuard || known === undefined || current === undefined) return undefined;
  if (known.digest === fingerprint(current).digest) return undefined;
  return {
    error: `${target.path} was changed by someone else since you last read it, so nothing was written. Read it again and repeat the change.`,
  };
}

/** Writes the text as UTF-8 and remembers it as seen. */
export async function saveFile(target: FilePath, text: string, services: ToolServices): Promise<SavedFile> {
  const bytes = new TextEncoder().encode(text);
  const { createdDirectories } = await services.files.write(target.resolved, bytes);
  services.state.readLedger.noteContents(target.resolved, bytes);
  return { createdDirectories, bytes: bytes.byteLength };
}
