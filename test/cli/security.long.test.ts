/** `hermes security audit` and `hermes security log`, as people run them. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { baseScore } from '../../src/cli/security/cvss.ts';
import { installedPackages, mcpPackages, pluginPackages } from '../../src/cli/security/packages.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type JsonRequest, startJsonServer } from '../fakes/json-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { hermes, makePlace, ok, type Place } from './hermes-process.ts';

interface Question {
  readonly package: { readonly name: string; readonly ecosystem: string };
  readonly version: string;
  readonly page_token?: string;
}

const hole = { id: 'GHSA-aaaa', summary: 'reads\u001b[2J too far', database_specific: { severity: 'HIGH' } };

/** A home with an MCP server and a plug-in that need old packages, and an OSV that knows holes by package. */
async function osvPlace(place: Place, holes: Readonly<Record<string, readonly object[]>>) {
  const server = await startJsonServer({
    'POST /v1/query': ({ body }: JsonRequest) => {
      const { package: asked } = JSON.parse(body) as Question;
      return { body: holes[asked.name] === undefined ? {} : { vulns: holes[asked.name] } };
    },
  });
  place.write(
    'config.yaml',
    'mcp_servers:\n  files:\n    command: npx\n    args: [-y, "@mcp/server-files@1.2.3", /srv]\n  free:\n    command: npx\n    args: [some-server]\n',
  );
  mkdirSync(join(place.home, 'plugins/tea'), { recursive: true });
  writeFileSync(join(place.home, 'plugins/tea/requirements.txt'), '# tea\nkettle[steam]==0.9.1\ncup>=2\n');
  const audit = (...flags: string[]) =>
    hermes(place, ['security', 'audit', '--skip-venv', ...flags], { env: { OSV_ENDPOINT: `${server.url}/v1/query` } });
  const asked = () => server.requests.map(({ body }) => JSON.parse(body) as Question);
  return { server, audit, asked };
}

suite('security', { concurrency: 2 }, () => {
  test('pinned packages of MCP servers and plug-ins are asked about; a hole of the level ends with 1', async (t) => {
    const place = makePlace(t);
    const { server, audit, asked } = await osvPlace(place, { kettle: [hole], '@mcp/server-files': [] });
    await using _ = server;
    const run = ok(await audit());
    assert.match(run.stdout, /✗ kettle 0\.9\.1 \(plug-in tea\)\n {4}high {5}GHSA-aaaa {2}reads\\x1b\[2J too far\n/);
    assert.deepEqual(
      asked()
        .map(({ package: { name, ecosystem }, version }) => `${name} ${ecosystem} ${version}`)
        .sort(),
      ['@mcp/server-files npm 1.2.3', 'kettle PyPI 0.9.1'],
    );
    assert.equal((await audit('--fail-on', 'high')).code, 1);
    assert.equal((await audit('--fail-on', 'high', '--skip-plugins')).code, 0);
    const json = JSON.parse((await audit('--json', '--skip-mcp')).stdout) as {
      packages: number;
      vulnerable: unknown[];
    };
    assert.deepEqual([json.packages, json.vulnerable.length], [1, 1]);
  });

  test('malware is critical, what is withdrawn does not count, and who cannot be asked ends with 2', async (t) => {
    const place = makePlace(t);
    const withdrawn = { ...hole, withdrawn: '2026-01-01T00:00:00Z' };
    const { server, audit } = await osvPlace(place, { kettle: [withdrawn], '@mcp/server-files': [{ id: 'MAL-1' }] });
    await using _ = server;
    const run = await audit();
    assert.deepEqual([run.code, /kettle/.test(run.stdout)], [1, false]);
    server.answer({ 'POST /v1/query': { status: 503 } });
    const down = await audit();
    assert.equal(down.code, 2);
    assert.match(down.stderr, /OSV could not be asked: it answered with status 503/);
    assert.doesNotMatch(down.stdout, /No known hole/);
    const offline = await hermes(place, ['security', 'audit'], {
      env: { OSV_ENDPOINT: 'http://127.0.0.1:9/v1/query' },
    });
    assert.equal(offline.code, 2);
  });

  test('the packages of this program are those that lie in node_modules, without those for development', () => {
    const names = new Set(installedPackages(join(import.meta.dirname, '../..')).map(({ name }) => name));
    for (const name of ['zod', 'commander', 'yaml', '@aws-sdk/client-bedrock-runtime'])
      assert.ok(names.has(name), name);
    for (const name of ['typescript', '@biomejs/biome', 'knip']) assert.ok(!names.has(name), name);
  });

  test('of plug-ins that npm brought every package counts, also those that only another one needs', (t) => {
    const { home } = temporaryHome(t);
    const put = (folder: string, manifest: object) => {
      mkdirSync(join(home.path, 'plugins', folder), { recursive: true });
      writeFileSync(join(home.path, 'plugins', folder, 'package.json'), JSON.stringify(manifest));
    };
    put('', { private: true, dependencies: { '@acme/notes': '^1.0.0' } });
    put('node_modules/@acme/notes', { version: '1.2.0', dependencies: { pen: '*' } });
    put('node_modules/@acme/notes/node_modules/pen', { version: '0.1.0' });
    assert.deepEqual(
      pluginPackages(home.path).map(({ name, version, from }) => `${name} ${version} ${from}`),
      ['@acme/notes 1.2.0 plug-ins from npm', 'pen 0.1.0 plug-ins from npm'],
    );
  });

  test('a version is taken from npx, uvx and pipx only where it is exact', async (t) => {
    const place = temporaryHome(t);
    const servers = {
      a: { command: '/usr/bin/npx', args: ['-y', 'thing@2.0.0-beta.1'] },
      b: { command: 'uvx', args: ['--from', 'tool==1.0', 'tool'] },
      c: { command: 'npx', args: ['thing@latest'] },
      d: { command: 'node', args: ['thing@1.0.0'] },
    };
    place.write('config.yaml', JSON.stringify({ mcp_servers: servers }));
    const { config } = await loadConfig(place);
    assert.deepEqual(
      mcpPackages(config).map(({ name, version }) => `${name} ${version}`),
      ['thing 2.0.0-beta.1', 'tool 1.0'],
    );
  });

  test('scores are those of the specification', () => {
    const scores = {
      'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H': 9.8,
      'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N': 6.1,
      'CVSS:3.0/AV:L/AC:H/PR:L/UI:N/S:U/C:N/I:N/A:L': 2.5,
      'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N': 0,
    };
    for (const [vector, score] of Object.entries(scores)) assert.equal(baseScore(vector), score, vector);
    assert.equal(baseScore('CVSS:4.0/AV:N'), undefined);
    assert.equal(baseScore('CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'), undefined);
  });

  test('the log shows decisions to a person and to a script, and tells when it was changed', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    assert.match(ok(await hermes(place, ['security', 'log'])).stdout, /Nothing has been decided yet/);
    assert.match(ok(await hermes(place, ['security', 'log', '--verify'])).stdout, /Nothing has been decided yet/);
    server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'chmod 777 /srv/x; echo \u001b[31m' } }] });
    server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'echo hello' } }] }, { text: 'done' });
    ok(await hermes(place, ['-z', 'go']));
    const { stdout } = ok(await hermes(place, ['security', 'log']));
    assert.match(
      stdout,
      /^1 \S+ \[\S+\] \S+ terminal: refused by nobody; for .*world-writable permissions, write outside the workspace: chmod 777 \/srv\/x; echo \\x1b\[31m$/m,
    );
    assert.match(stdout, /^3 \S+ \[\S+\] terminal of 2: ok, exit 0, outside$/m);
    const json = ok(await hermes(place, ['security', 'log', '--json', '-n', '1']))
      .stdout.trim()
      .split('\n');
    assert.deepEqual(
      json.map((line) => (JSON.parse(line) as { seq: number }).seq),
      [3],
    );
    assert.match(ok(await hermes(place, ['security', 'log', '--session', 'nobody'])).stdout, /Nothing/);
    assert.match(ok(await hermes(place, ['security', 'log', '--verify'])).stdout, /✓ 3 entries, whole/);
    const path = join(place.home, 'logs/audit.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('777', '755'));
    const changed = await hermes(place, ['security', 'log', '--verify']);
    assert.equal(changed.code, 1);
    assert.match(changed.stdout, /✗ audit\.jsonl:1: 1 line changed/);
  });
});

/** What `hermes doctor --security` says. */
async function probe(place: Place, more: Readonly<Record<string, string>> = {}) {
  const run = await hermes(place, ['doctor', '--security'], { env: more });
  return { code: run.code, lines: run.stdout.split('\n').map((line) => line.trim()) };
}

const startsWith = (lines: readonly string[], start: string): readonly string[] =>
  lines.filter((line) => line.startsWith(start));

suite('doctor --security', { concurrency: 2 }, () => {
  test('the file tools reach no key, setting or record, and the hardest commands are not run', async (t) => {
    const { lines } = await probe(makePlace(t));
    for (const line of [
      '✓ keys, settings and records: none of 14 can be reached',
      '✓ your keys and start-up files: none of 11 can be reached',
      '✓ what the system runs by: none of 7 can be reached',
      '✓ the program itself: none of 4 can be reached',
      '✓ never run: all 10 that were tried',
      '✓ a command sees none of 1 keys',
      '– nothing has been decided yet',
    ]) {
      assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`);
    }
  });

  test('a link to a settings file is followed to where it lies', async (t) => {
    const place = makePlace(t);
    place.write('kept-elsewhere.yaml', '');
    rmSync(join(place.home, 'config.yaml'), { force: true });
    symlinkSync(join(place.home, 'kept-elsewhere.yaml'), join(place.home, 'config.yaml'));
    const { lines } = await probe(place);
    assert.deepEqual(startsWith(lines, '✓ keys, settings and records'), [
      '✓ keys, settings and records: none of 14 can be reached',
    ]);
  });

  test('a key that a start-up file of the shell gives to every command is found, also when it is encoded', async (t) => {
    const place = makePlace(t);
    const key = 'sk-or-v1-0123456789abcdef0123456789abcdef';
    place.write('.env', `OPENROUTER_API_KEY=${key}\n`);
    place.write('config.yaml', 'terminal: {env_passthrough: [OPENROUTER_API_KEY]}\n');
    const copy = Buffer.from(key).toString('base64');
    writeFileSync(join(place.home, '../.bashrc'), `export HARMLESS=${copy}\nexport OTHER="x ${key}"\n`);
    const { code, lines } = await probe(place);
    assert.equal(code, 1);
    assert.deepEqual(startsWith(lines, '✗ a command finds a key').toSorted(), [
      '✗ a command finds a key in its variable HARMLESS',
      '✗ a command finds a key in its variable OTHER',
    ]);
    assert.match(lines.join('\n'), /⚠ terminal\.env_passthrough: OPENROUTER_API_KEY is not handed on/);
    assert.doesNotMatch(lines.join('\n'), /0123456789abcdef/);
  });

  test('files that other users can read are named, and how to close them', async (t) => {
    if (process.platform === 'win32') return t.skip('there are no such rights');
    const place = makePlace(t);
    place.write('.env', 'A=b\n');
    chmodSync(join(place.home, '.env'), 0o644);
    chmodSync(place.home, 0o755);
    const open = await probe(place);
    assert.equal(open.code, 1);
    assert.match(open.lines.join('\n'), /✗ other users can read or change .*\.env/);
    chmodSync(place.home, 0o700);
    assert.match((await probe(place)).lines.join('\n'), /✓ the home is closed to other users/);
  });

  test('what the owner lets run is a choice and no hole; what is never run stays so', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'approvals:\n  mode: "off"\n');
    const { lines } = await probe(place);
    assert.match(lines.join('\n'), /✓ never run: all 10/);
    assert.match(lines.join('\n'), /– not refused where nobody can be asked: .* \(as approvals\.mode: off says\)/);
  });

  test('a confined command gets at no file, no process, no metadata service and no port of ours; where there is no sandbox that is told', async (t) => {
    const { lines } = await probe(makePlace(t));
    assert.deepEqual(startsWith(lines, '✗ a confined command can'), []);
    const section = lines[lines.indexOf('◆ What a confined command reaches') + 1] ?? '';
    assert.match(section, /^✓ out of reach: \d+ of 13$|^– nothing can be confined here: /);
  });

  test('a record that was changed is told', async (t) => {
    await using server = await startModelServer();
    const place = makePlace(t, server);
    server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'echo hello' } }] }, { text: 'done' });
    ok(await hermes(place, ['-z', 'go']));
    assert.match((await probe(place)).lines.join('\n'), /✓ the chain of 2 entries is whole/);
    const path = join(place.home, 'logs/audit.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'));
    const { code, lines } = await probe(place);
    assert.deepEqual([code, startsWith(lines, '✗ entries').length], [1, 1], lines.join('\n'));
  });
});
