/** Tirith from its release: checked, whole or not there, and not tried again for a day when it failed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { create } from 'tar';
import { installTirith } from '../../../../src/tools/terminal/tirith/install-tirith.ts';
import { type JsonAnswer, startJsonServer } from '../../../fakes/json-server.ts';

const archives = ['x86_64', 'aarch64'].flatMap((arch) =>
  ['unknown-linux-gnu', 'apple-darwin'].map((system) => `tirith-${arch}-${system}.tar.gz`),
);

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'hermes-tirith-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function archiveOf(t: TestContext, name: string, text: string): Promise<Buffer> {
  const base = folder(t);
  writeFileSync(join(base, 'README.md'), 'read me');
  writeFileSync(join(base, name), text, { mode: 0o755 });
  const file = join(base, 'archive.tar.gz');
  await create({ gzip: true, file, cwd: base }, ['README.md', name]);
  return readFileSync(file);
}

function release(body: Buffer, sum = createHash('sha256').update(body).digest('hex')): Record<string, JsonAnswer> {
  const files: Record<string, JsonAnswer> = {
    'GET /v/checksums.txt': { body: archives.map((name) => `${sum}  ${name}\n`).join('') },
    'GET /v/checksums.txt.sig': { body: 'sig' },
    'GET /v/checksums.txt.pem': { body: 'pem' },
  };
  for (const name of archives) files[`GET /v/${name}`] = { body };
  return files;
}

async function install(t: TestContext, files: Record<string, JsonAnswer>, { homePath = folder(t), cosign = '' } = {}) {
  await using server = await startJsonServer(files);
  const programs = folder(t);
  if (cosign !== '') writeFileSync(join(programs, 'cosign'), `#!/bin/sh\n${cosign}\n`, { mode: 0o755 });
  const failure = await installTirith({
    homePath,
    fetch,
    env: { PATH: programs },
    signal: new AbortController().signal,
    address: `${server.url}/v`,
  }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const program = join(homePath, 'bin', 'tirith');
  const marker = join(homePath, '.tirith-install-failed');
  return { homePath, program, marker, failure, there: existsSync(program), requests: server.requests.length };
}

test('it comes from its release, for its owner to run', async (t) => {
  const { program, failure, marker } = await install(t, release(await archiveOf(t, 'tirith', 'new')));
  assert.equal(failure, undefined);
  assert.equal(readFileSync(program, 'utf8'), 'new');
  assert.equal(statSync(program).mode & 0o777, 0o700);
  assert.ok(!existsSync(marker));
});

const broken: readonly (readonly [string, (t: TestContext) => Promise<Record<string, JsonAnswer>>, RegExp, string?])[] =
  [
    [
      'another checksum',
      async (t) => release(await archiveOf(t, 'tirith', 'x'), 'a'.repeat(64)),
      /is not what its checksum says/,
    ],
    ['no checksum', async (t) => release(await archiveOf(t, 'tirith', 'x'), 'none'), /has no checksum of tirith-/],
    ['no program in it', async (t) => release(await archiveOf(t, 'other', 'x')), /no tirith in the release/],
    ['no release', () => Promise.resolve({}), /status 404/],
    [
      'a signature of somebody else',
      async (t) => release(await archiveOf(t, 'tirith', 'x')),
      /the signature of checksums.txt is not the one of its maker/,
      'exit 1',
    ],
  ];

for (const [what, files, why, cosign] of broken) {
  test(`with ${what} nothing is installed, and a day passes before the next try`, async (t) => {
    const first = await install(t, await files(t), cosign === undefined ? {} : { cosign });
    assert.match(first.failure ?? '', why);
    assert.ok(!first.there);
    const good = release(await archiveOf(t, 'tirith', 'new'));
    assert.equal((await install(t, good, first)).requests, 0);
    const dayAgo = Date.now() / 1000 - 25 * 3600;
    utimesSync(first.marker, dayAgo, dayAgo);
    const later = await install(t, good, { homePath: first.homePath });
    assert.ok(later.there && !existsSync(later.marker));
  });
}

test('cosign is asked about the very tag', async (t) => {
  const homePath = folder(t);
  mkdirSync(join(homePath, 'out'));
  const cosign = `echo "$@" > '${join(homePath, 'out', 'args')}'`;
  const { there } = await install(t, release(await archiveOf(t, 'tirith', 'new')), { homePath, cosign });
  assert.ok(there);
  assert.match(
    readFileSync(join(homePath, 'out', 'args'), 'utf8'),
    /^verify-blob .*--certificate-identity https:\/\/github\.com\/sheeki03\/tirith\/\.github\/workflows\/release\.yml@refs\/tags\/v[\d.]+ --certificate-oidc-issuer/,
  );
});
