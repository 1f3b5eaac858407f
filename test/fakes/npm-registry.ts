/** A registry in the format of npm: one document a package, and its versions as gzipped tar files. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type JsonAnswer, type JsonServer, startJsonServer } from './json-server.ts';

export interface Published {
  readonly name: string;
  readonly version: string;
  /** What `package.json` says beside name and version. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** What the tarball has beside `package.json`, by path; a link is `{ link: target }`. */
  readonly files?: Readonly<Record<string, string | { readonly link: string }>>;
  /** What the tarball's own `package.json` says instead. */
  readonly inside?: Readonly<Record<string, unknown>>;
  /** Instead of the tarball. */
  readonly tarball?: JsonAnswer;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  readonly requests: JsonServer['requests'];
  /** The newest of each name is the one published last. */
  publish(...packages: readonly Published[]): void;
}

export async function startNpmRegistry(...packages: readonly Published[]): Promise<NpmRegistry> {
  const server = await startJsonServer();
  const all: Published[] = [];
  const publish = (...more: readonly Published[]): void => {
    all.push(...more);
    server.answer(routesOf(all, server.url));
  };
  publish(...packages);
  return {
    url: `${server.url}/`,
    requests: server.requests,
    publish,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function routesOf(all: readonly Published[], url: string): Record<string, JsonAnswer> {
  const routes: Record<string, JsonAnswer> = {};
  for (const [name, versions] of Map.groupBy(all, (each) => each.name)) {
    const documents = versions.map((published) => {
      const { version, about = {}, inside, files = {}, tarball } = published;
      const manifest = { name, version, ...about };
      const bytes = tarOf({ 'package.json': JSON.stringify(inside ?? manifest), ...files });
      const path = `/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
      routes[`GET ${path}`] = tarball ?? { headers: { 'content-type': 'application/octet-stream' }, body: bytes };
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      return [version, { ...manifest, dist: { tarball: `${url}${path}`, integrity } }] as const;
    });
    const body = { name, 'dist-tags': { latest: versions.at(-1)?.version }, versions: Object.fromEntries(documents) };
    // npm writes the slash of a scope as %2f.
    for (const written of [name, name.replace('/', '%2f')]) routes[`GET /${written}`] = { body };
  }
  return routes;
}

function tarOf(files: NonNullable<Published['files']>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const data = Buffer.from(typeof content === 'string' ? content : '');
    const link = typeof content === 'string' ? undefined : content.link;
    const rest = (512 - (data.length % 512)) % 512;
    return [header(`package/${path}`, data.length, link), data, Buffer.alloc(rest)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** ustar: fields of fixed width, numbers in octal, and a sum over the header with spaces in the place of the sum. */
function header(path: string, size: number, link: string | undefined): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  block.write(path, 0, 100);
  block.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100);
  block.write(`${' '.repeat(8)}${link === undefined ? '0' : '2'}`, 148);
  block.write(link ?? '', 157, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
