/** Packs a folder into a gzipped tar file and unpacks one, bounded, without ever writing outside the target. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { UserError } from '../lib/errors.ts';

/** More is not a collection of documents any more. */
const mostBytes = 256 * 1024 * 1024;
const mostEntries = 50_000;
const deepest = 32;
const block = 512;

/** Everything below `folder` but the top-level names in `without`. Links are kept as links. Throws `UserError` when too large. */
export async function packFolder(folder: string, without: ReadonlySet<string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  function add(...buffers: Buffer[]): void {
    for (const buffer of buffers) bytes += buffer.length;
    pieces.push(...buffers);
    if (bytes > mostBytes || pieces.length > mostEntries * 4) throw tooLarge();
  }
  function walk(relative: string, depth: number): void {
    if (depth > deepest) throw tooLarge();
    for (const name of readdirSync(join(folder, relative)).sort()) {
      if (relative === '' && without.has(name)) continue;
      const path = relative === '' ? name : `${relative}/${name}`;
      const stat = lstatSync(join(folder, path));
      const mtime = Math.floor(stat.mtimeMs / 1000);
      if (stat.isDirectory()) {
        add(...header({ path: `${path}/`, type: '5', mode: stat.mode, mtime, size: 0 }));
        walk(path, depth + 1);
      } else if (stat.isSymbolicLink()) {
        const link = readlinkSync(join(folder, path));
        add(...header({ path, type: '2', mode: 0o777, mtime, size: 0, link }));
      } else if (stat.isFile()) {
        if (bytes + stat.size > mostBytes) throw tooLarge();
        const content = readFileSync(join(folder, path));
        add(
          ...header({ path, type: '0', mode: stat.mode, mtime, size: content.length }),
          content,
          padding(content.length),
        );
      }
    }
  }
  walk('', 0);
  add(Buffer.alloc(block * 2));
  return await promisify(gzip)(Buffer.concat(pieces));
}

/** Unpacks into an empty folder. Throws `UserError` for an archive that is damaged, too large, or leads outside. */
export async function unpackInto(archive: Buffer, folder: string): Promise<void> {
  const tar = await promisify(gunzip)(archive, { maxOutputLength: mostBytes + 64 * 1024 * 1024 }).catch(() => {
    throw damaged('it cannot be unpacked');
  });
  let extra: Extra = {};
  let entries = 0;
  for (let at = 0; at + block <= tar.length; ) {
    const head = tar.subarray(at, at + block);
    if (head.every((byte) => byte === 0)) break;
    const entry = readHeader(head);
    const size = extra.size ?? entry.size;
    const start = at + block;
    if (start + size > tar.length) throw damaged('it ends too early');
    const content = tar.subarray(start, start + size);
    at = start + Math.ceil(size / block) * block;
    if (entry.type === 'x') extra = { ...extra, ...readPax(content) };
    else if (entry.type === 'L') extra = { ...extra, path: cString(content) };
    else if (entry.type === 'K') extra = { ...extra, link: cString(content) };
    else if (entry.type !== 'g') {
      entries += 1;
      if (entries > mostEntries) throw damaged('it holds too many files');
      place(folder, { ...entry, ...extra }, content);
      extra = {};
    }
  }
}

interface Extra {
  readonly path?: string;
  readonly link?: string;
  readonly size?: number;
}

interface Entry {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly mtime: number;
  readonly size: number;
  readonly link?: string;
}

function place(folder: string, entry: Entry, content: Buffer): void {
  const parts = entry.path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return;
  if (
    entry.path.startsWith('/') ||
    parts.length > deepest + 1 ||
    parts.some((part) => part === '..' || /[\0\\]/.test(part))
  ) {
    throw damaged(`it leads outside: ${JSON.stringify(entry.path)}`);
  }
  const path = join(folder, ...parts);
  makeFolders(folder, parts.slice(0, -1));
  if (entry.type === '5') {
    makeFolders(folder, parts);
  } else if (entry.type === '2') {
    symlinkSync(entry.link ?? '', path);
  } else if (entry.type === '0' || entry.type === '\0') {
    // A link of that name would be written through.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw damaged('it holds a file twice');
    writeFileSync(path, content, { flag: 'wx' });
    chmodSync(path, (entry.mode & 0o777) | 0o600);
  }
}

/** Real folders all the way: an entry below a link would land wherever that leads. */
function makeFolders(folder: string, parts: readonly string[]): void {
  let path = folder;
  for (const part of parts) {
    path = join(path, part);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) mkdirSync(path);
    else if (!stat.isDirectory()) throw damaged(`something lies below a file or link: ${dirname(path)}`);
  }
}

function header(entry: Entry): Buffer[] {
  const long = Buffer.byteLength(entry.path) > 100 || Buffer.byteLength(entry.link ?? '') > 100;
  const plain = /^[\x20-\x7e]*$/.test(entry.path + (entry.link ?? ''));
  if (!long && plain) return [writeHeader(entry)];
  const records = paxRecord('path', entry.path) + (entry.link === undefined ? '' : paxRecord('linkpath', entry.link));
  const body = Buffer.from(records, 'utf8');
  const name = 'PaxHeader';
  return [
    writeHeader({ path: name, type: 'x', mode: 0o644, mtime: entry.mtime, size: body.length }),
    body,
    padding(body.length),
    writeHeader({ ...entry, path: `${name}-entry`, ...(entry.link === undefined ? {} : { link: '' }) }),
  ];
}

function writeHeader({ path, type, mode, mtime, size, link = '' }: Entry): Buffer {
  const head = Buffer.alloc(block);
  head.write(path, 0, 100, 'latin1');
  head.write(octal(mode & 0o7777, 7), 100, 'latin1');
  head.write(octal(0, 7), 108, 'latin1');
  head.write(octal(0, 7), 116, 'latin1');
  head.write(octal(size, 11), 124, 'latin1');
  head.write(octal(Math.max(0, mtime), 11), 136, 'latin1');
  head.write(' '.repeat(8), 148, 'latin1');
  head.write(type, 156, 'latin1');
  head.write(link, 157, 100, 'latin1');
  head.write('ustar\x0000', 257, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return head;
}

function readHeader(head: Buffer): Entry {
  const stored = number(head, 148, 8);
  const sum = head.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (stored !== sum) throw damaged('a checksum is wrong');
  const name = cString(head.subarray(0, 100));
  const isUstar = head.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar && head[262] === 0 ? cString(head.subarray(345, 500)) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    type: head.toString('latin1', 156, 157),
    mode: number(head, 100, 8),
    mtime: number(head, 136, 12),
    size: number(head, 124, 12),
    link: cString(head.subarray(157, 257)),
  };
}

function number(head: Buffer, start: number, length: number): number {
  const text = head.toString('latin1', start, start + length).replace(/[\0 ]+/g, '');
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw damaged('a number is not one');
  return Number.parseInt(text, 8);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** `length key=value\n`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function readPax(content: Buffer): Extra {
  let found: Extra = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, space));
    if (space === -1 || !Number.isInteger(length) || length <= 0) throw damaged('a header cannot be read');
    const record = content.toString('utf8', space + 1, at + length - 1);
    const [key, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)];
    if (key === 'path') found = { ...found, path: value };
    if (key === 'linkpath') found = { ...found, link: value };
    if (key === 'size') found = { ...found, size: Number(value) };
    at += length;
  }
  if (found.size !== undefined && !(Number.isSafeInteger(found.size) && found.size >= 0)) {
    throw damaged('a number is not one');
  }
  return found;
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

function tooLarge(): UserError {
  return new UserError('The skills folder is too large for a snapshot (256 MB, 50,000 files).', {
    hint: 'Move large files out of it, or turn snapshots off: hermes config set curator.backup.enabled false',
  });
}

function damaged(why: string): UserError {
  return new UserError(`The snapshot is damaged: ${why}.`, {
    hint: 'Choose another one: hermes curator rollback --list',
  });
}
