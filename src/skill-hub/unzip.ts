/** The files of a skill that comes as a zip archive: read in memory, within bounds, and nothing but plain files. */
import { UserError } from '../lib/errors.ts';
import { memberLimits } from './members.ts';

/** True for what begins as a zip archive does. */
export function isZip(body: Buffer): boolean {
  return body.length >= 4 && body.readUInt32LE(0) === 0x04034b50;
}

/**
 * All files of the archive, without the one folder they may all stand in. Names are as they stand there: `checkMembers`
 * judges them before anything is written. Throws `UserError` for what is broken, encrypted, too large, or a link.
 */
export async function unzipSkill(archive: Buffer, name: string): Promise<ReadonlyMap<string, Buffer>> {
  const { fromBufferPromise } = await import('yauzl');
  const files = new Map<string, Buffer>();
  let total = 0;
  try {
    const zip = await fromBufferPromise(archive, {
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      if (isLink(entry.externalFileAttributes)) throw refused(name, `${entry.fileName} is a link to somewhere else`);
      if (entry.isEncrypted()) throw refused(name, 'it is encrypted');
      total += entry.uncompressedSize;
      if (
        files.size >= memberLimits.files ||
        entry.uncompressedSize > memberLimits.bytesEach ||
        total > memberLimits.bytesAll
      )
        throw refused(
          name,
          `it is too large; at most ${memberLimits.files} files and ${memberLimits.bytesAll} bytes are taken`,
        );
      if (files.has(entry.fileName)) throw refused(name, `${entry.fileName} is in it twice`);
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) if (chunk instanceof Buffer) chunks.push(chunk);
      files.set(entry.fileName, Buffer.concat(chunks));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw refused(name, `the archive is broken (${error instanceof Error ? error.message : String(error)})`);
  }
  return withoutTopFolder(files);
}

/** Archives of a folder hold the folder; those of a file manager also its own notes. */
function withoutTopFolder(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const own = [...files].filter(([path]) => !/^__MACOSX\/|(?:^|\/)\.DS_Store$/.test(path));
  const [top] = own[0]?.[0].split('/') ?? [];
  if (files.has('SKILL.md') || top === undefined) return new Map(own);
  if (!own.every(([path]) => path.startsWith(`${top}/`))) return new Map(own);
  return new Map(own.map(([path, body]) => [path.slice(top.length + 1), body]));
}

/** The upper half holds the mode of a file that was packed on Unix. */
function isLink(attributes: number): boolean {
  return ((attributes >>> 16) & 0o170000) === 0o120000;
}

function refused(name: string, why: string): UserError {
  return new UserError(`${name} was not unpacked: ${why}.`, { hint: 'Nothing was written.' });
}
