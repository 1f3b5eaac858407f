/** Writes a whole home into one zip file. */
import { createReadStream, createWriteStream, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { copyLive, findFiles } from './copy-files.ts';

const LEFT_OUT_FOLDERS = new Set(
  `__pycache__ .git node_modules backups checkpoints .venv venv site-packages .cache .tox .nox .pytest_cache .mypy_cache
  .ruff_cache`.split(/\s+/),
);
/** The values that secret managers gave are had again from them. */
const LEFT_OUT_FILES = /\.py[co]$|^(?:gateway|cron)\.pid$|^\.?(?:bws|op)_cache\.json/;

export interface WrittenBackup {
  readonly files: number;
  /** Bytes before and after. */
  readonly original: number;
  readonly compressed: number;
}

/** Nothing is at `target` until all is in it; the file is for this user's eyes only, as it holds keys. */
export async function writeBackup(root: string, target: string): Promise<WrittenBackup> {
  const { files } = findFiles(
    root,
    (path, entry) => {
      if (entry.isDirectory()) return path !== 'hermes-agent' && !LEFT_OUT_FOLDERS.has(entry.name);
      return !LEFT_OUT_FILES.test(entry.name) && join(root, path) !== target;
    },
    { linked: true },
  );
  const { ZipFile } = await import('yazl');
  const stage = mkdtempSync(join(tmpdir(), 'hermes-backup-'));
  const draft = join(dirname(target), `.${process.pid}.hermes-backup.tmp`);
  const zip = new ZipFile();
  let original = 0;
  let count = 0;
  try {
    for (const [index, path] of files.entries()) {
      let source = join(root, path);
      const about = statSync(source, { throwIfNoEntry: false });
      // It went away meanwhile, as temporary files do.
      if (about === undefined) continue;
      if (path.endsWith('.db')) {
        source = join(stage, `${index}.db`);
        await copyLive(join(root, path), source);
      }
      original += statSync(source).size;
      count += 1;
      // As a stream of unknown length: a log may grow while it is read.
      zip.addReadStreamLazy(path, { mtime: about.mtime, mode: 0o100600 | (about.mode & 0o100) }, (give) => {
        const stream = existsSync(source) ? createReadStream(source) : undefined;
        if (stream === undefined)
          give(new Error(`${path} went away while it was copied`), createReadStream('/dev/null'));
        else give(null, stream);
      });
    }
    zip.end();
    const failed = new Promise<never>((_, reject) => zip.on('error', reject));
    await Promise.race([pipeline(zip.outputStream, createWriteStream(draft, { mode: 0o600 })), failed]);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
    rmSync(stage, { recursive: true, force: true });
  }
  return { files: count, original, compressed: statSync(target).size };
}
