/** How language servers come into a home, with an npm that is somebody else's program. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { hermes, makePlace, ok } from '../../cli/hermes-process.ts';
import { until } from '../../environments/support.ts';
import { languageServer } from '../../fakes/language-server.ts';
import { said } from '../../tools/file/support.ts';
import { openProject } from './support.ts';

/** A directory with an `npm` that puts a server for Dockerfiles where npm would, and writes down how it was called. */
function fakeNpm(folder: string, diary: string, ending = ''): { readonly path: string; readonly calls: string } {
  const path = join(folder, 'programs');
  const calls = join(folder, 'calls');
  mkdirSync(path, { recursive: true });
  const [, fake = ''] = languageServer('publishes', diary);
  const server = `process.argv.splice(1, 9, ${JSON.stringify(fake)}, 'publishes', ${JSON.stringify(diary)}); import(${JSON.stringify(pathToFileURL(fake).href)})`;
  const script = `#!/bin/sh
printf '%s\\n' "$*" "$OPENROUTER_API_KEY" "$PWD" >> '${calls}'
${ending}
mkdir -p node_modules/.bin
cat > node_modules/.bin/docker-langserver <<'END'
#!/usr/bin/env node
${server}
END
chmod +x node_modules/.bin/docker-langserver
`;
  writeFileSync(join(path, 'npm'), script);
  chmodSync(join(path, 'npm'), 0o755);
  return { path, calls };
}

function openWithNpm(t: TestContext, strategy: 'auto' | 'manual', ending = '') {
  const { folder } = openProject(t);
  const diary = join(folder, '..', 'diary');
  const npm = fakeNpm(join(folder, '..'), diary, ending);
  const env = { PATH: `${npm.path}:/usr/bin:/bin`, OPENROUTER_API_KEY: 'sk-or-1234' };
  return { place: openProject(t, { settings: { install_strategy: strategy, wait_timeout: 60 }, env }), npm };
}

suite('installing language servers', { concurrency: 2 }, () => {
  test('a missing server of npm comes in the background, once, and is used from a later edit on', async (t) => {
    const { place, npm } = openWithNpm(t, 'auto', 'until [ -e "$0.go" ]; do sleep 0.05; done');
    const script = join(place.folder, 'node_modules/.bin/docker-langserver');
    for (const path of ['a.dockerfile', 'b.dockerfile']) {
      const answer = await place.write({ path, content: '# BAD\n' });
      assert.deepEqual([answer['bytes_written'], answer['lsp_diagnostics']], [6, undefined]);
    }
    writeFileSync(join(npm.path, 'npm.go'), '');
    await until(() => place.log.some((line) => line.startsWith('installed the')), 'the server was installed', 60_000);
    assert.ok(existsSync(script));
    assert.deepEqual(readFileSync(npm.calls, 'utf8').split('\n'), [
      `install --prefix ${place.folder} --ignore-scripts --no-audit --no-fund --loglevel=error dockerfile-language-server-nodejs`,
      '',
      place.folder,
      '',
    ]);
    assert.equal(place.log.filter((line) => line.startsWith('installing')).length, 1);
    const later = await place.write({ path: 'c.dockerfile', content: '# BAD\n' });
    assert.match(said(later, 'lsp_diagnostics'), /ERROR \[1:3\] not good: # BAD/);
  });

  test('nothing is installed unasked where the user wants it so, where npm does not bring it or it needs more, or outside of git', async (t) => {
    const manual = openWithNpm(t, 'manual');
    await manual.place.write({ path: 'a.dockerfile', content: 'x\n' });
    const auto = openWithNpm(t, 'auto');
    await auto.place.write({ path: 'a.go', content: 'package a\n' });
    await auto.place.write({ path: 'a.hs', content: 'main = x\n' });
    await auto.place.write({ path: 'a.sh', content: 'x\n' });
    await auto.place.write({ path: '../home/a.dockerfile', content: 'x\n' });
    for (const { place, npm } of [manual, auto]) {
      await place.diagnostics.close();
      assert.equal(existsSync(npm.calls), false);
    }
  });

  test('an installation that fails is logged and not tried again; one under way ends with the session', async (t) => {
    const failing = openWithNpm(t, 'auto', 'echo "no such package" >&2; exit 1');
    await failing.place.write({ path: 'a.dockerfile', content: 'x\n' });
    await until(() => failing.place.log.some((line) => line.includes('no such package')), 'it failed', 60_000);
    await failing.place.write({ path: 'b.dockerfile', content: 'x\n' });
    assert.equal(failing.place.log.filter((line) => line.startsWith('installing')).length, 1);
    const slow = openWithNpm(t, 'auto', 'sleep 600');
    await slow.place.write({ path: 'a.dockerfile', content: 'x\n' });
    await until(() => existsSync(slow.npm.calls), 'it began', 60_000);
    await slow.place.diagnostics.close();
    assert.match(slow.place.log.join('\n'), /could not be installed: .* failed: it was stopped/);
  });

  test('hermes lsp installs, finds and lists servers, and says how others come', async (t) => {
    const place = makePlace(t);
    const { path, calls } = fakeNpm(join(place.home, '..'), join(place.home, 'diary'));
    const env = { PATH: `${path}:/usr/bin:/bin` };
    const run = (...args: readonly string[]) => hermes(place, ['lsp', ...args], { env });
    const none = await run('which', 'dockerfile-ls');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /is not here\.\nhermes lsp install dockerfile-ls/);
    const script = join(place.home, 'lsp/node_modules/.bin/docker-langserver');
    assert.equal(
      ok(await run('install', 'dockerfile-ls')).stdout,
      `Installing dockerfile-ls with npm …\n✓ dockerfile-ls: ${script}\n`,
    );
    assert.match(ok(await run('install', 'dockerfile-ls')).stdout, /is here already/);
    assert.equal(readFileSync(calls, 'utf8').split('\n').length, 4);
    assert.equal(ok(await run('which', 'dockerfile-ls')).stdout, `${script}\n`);
    assert.match(ok(await run('list', '--installed-only')).stdout, /✓ dockerfile-ls +Dockerfile Containerfile +~/);
    const { servers, install_strategy } = JSON.parse(ok(await run('status', '--json')).stdout);
    assert.equal(install_strategy, 'auto');
    assert.equal(servers.length, 27);
    assert.deepEqual(
      servers.find(({ id }: { id: string }) => id === 'dockerfile-ls'),
      { id: 'dockerfile-ls', installed: true, path: script, from: 'home', disabled: false, install: 'npm' },
    );
    assert.match(ok(await run()).stdout, /^Language servers: on$[^]*Here: +\d+ of 27\n/m);
    for (const [id, problem, code] of [
      ['clangd', /clangd is not installed by Hermes\.\nTo install it: /, 1],
      ['nobody', /no language server 'nobody'/, 2],
      ['gopls', /installed with go, which was not found/, 1],
    ] as const) {
      const refused = await run('install', id);
      assert.deepEqual([refused.code, problem.test(refused.stderr)], [code, true], refused.stderr);
    }
    ok(await run('restart'));
    assert.ok(existsSync(join(place.home, 'lsp/restart')));
  });
});
