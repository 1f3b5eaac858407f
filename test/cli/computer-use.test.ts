/** `hermes computer-use`: whether the driver is here, what it says of itself, and how it gets here. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import * as command from '../../src/cli/commands/computer-use.ts';
import { install, refreshDriver } from '../../src/cli/computer-use/install.ts';
import { doctor } from '../../src/cli/computer-use/status.ts';
import { grantPermissions, permissionStatus } from '../../src/cli/computer-use/permissions.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { fakeDriver } from '../fakes/cua-driver.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { temporaryDirectory } from '../sessions/support.ts';
import { contextOn, runCommand } from './config/run-command.ts';

function placeOf(t: TestContext, more: Readonly<Record<string, string>>) {
  const { home, env } = temporaryHome(t);
  return { home, env: { ...env, HOME: home.path, PATH: '/usr/bin:/bin', ...more } };
}

/** For what is not reached by words: runs it and gives what it wrote. */
function outputOf(place: ReturnType<typeof placeOf>) {
  const stdout = new PassThrough();
  const context = contextOn(place, { stdin: new PassThrough(), stdout, stderr: stdout });
  return { context, text: () => String((stdout.read() as Buffer | null) ?? '') };
}

const nowhere = { HERMES_CUA_DRIVER_CMD: '/nowhere/cua-driver' };

test('without a driver each command says how to get one, and doctor exits with 2', async (t) => {
  const place = placeOf(t, nowhere);
  const status = await runCommand(command, place, 'status');
  assert.deepEqual(
    [status.stdout, status.exitCode],
    ['cua-driver: not installed\n  Run: hermes computer-use install\n', 0],
  );
  const doctor = await runCommand(command, place, 'doctor');
  assert.equal(doctor.exitCode, 2);
  assert.match(
    doctor.stdout,
    /not installed \(looked for '\/nowhere\/cua-driver'\)\n {2}Run: hermes computer-use install/,
  );
  const permissions = await runCommand(command, place, 'permissions', 'status', '--json');
  assert.equal(permissions.exitCode, 1);
  const read = JSON.parse(permissions.stdout) as Record<string, unknown>;
  assert.deepEqual([read['installed'], read['ready'], read['version']], [false, null, null]);
});

test('status tells the path, the version, and a newer one where the driver knows of it', async (t) => {
  const driver = fakeDriver(t, { commands: { 'check-update': { update_available: true, latest_version: '0.38.0' } } });
  const place = placeOf(t, driver.env);
  const { stdout } = await runCommand(command, place, 'status');
  assert.equal(
    stdout,
    `cua-driver: installed at ${driver.path} (cua-driver 0.37.0)\n  ↑ cua-driver 0.38.0 is out. Run: hermes computer-use install --upgrade\n`,
  );
  driver.change({ commands: { 'check-update': { update_available: false } } });
  assert.match((await runCommand(command, place, 'status')).stdout, /✓ Up to date\.\n$/);
  driver.change({ commands: { 'check-update': { update_available: false, error: 'no network' } } });
  assert.match((await runCommand(command, place, 'status')).stdout, /Bring it up to date: /, 'nobody knows');
});

test('doctor shows what the driver finds, exits with 0, 1 or 2, and hands on which checks are wanted', async (t) => {
  const driver = fakeDriver(t);
  const place = placeOf(t, driver.env);
  const fine = await runCommand(command, place, 'doctor', '--include', 'a', '--include', 'b', '--skip', 'c');
  assert.deepEqual(
    [fine.exitCode, fine.stdout],
    [0, '✓ cua-driver 0.37.0 on linux: ok\n  ✓ binary_version: cua-driver 0.37.0\n'],
  );
  assert.deepEqual(driver.calls(), [['health_report', { include: ['a', 'b'], skip: ['c'] }]]);
  const report = {
    overall: 'degraded',
    platform: 'linux',
    driver_version: '0.37.0',
    checks: [{ name: 'ax_capability', status: 'fail', message: 'no bus', hint: 'start one', data: { bus: 'none' } }],
  };
  driver.change({ tools: { health_report: { content: [], structuredContent: report } } });
  const bad = await runCommand(command, place, 'doctor');
  assert.equal(bad.exitCode, 1);
  assert.match(bad.stdout, /^⚠ .*degraded\n {2}✗ ax_capability: no bus\n {6}start one\n {6}bus=none\n$/);
  const json = await runCommand(command, place, 'doctor', '--json');
  assert.deepEqual([json.exitCode, JSON.parse(json.stdout)], [1, report]);
  driver.change({ dies: 'health_report' });
  const dead = await runCommand(command, place, 'doctor');
  assert.deepEqual([dead.exitCode, dead.stdout], [2, '']);
  assert.match(dead.stderr, /^cua-driver could not be asked: .*\n {2}Bring it up to date: hermes computer-use install/);
});

test('a program that is no driver has no version, and doctor says what to do about it', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'cua-driver');
  const place = placeOf(t, { HERMES_CUA_DRIVER_CMD: path });
  const write = (script: string): void => writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  write("echo '({junk <html>'");
  assert.match((await runCommand(command, place, 'status')).stdout, /\n {2}⚠ It does not tell its version\. Next: /);
  assert.match((await runCommand(command, place, 'doctor')).stderr, /Connection closed.*\n {2}Bring it up to date: /);
  write('exec sleep 600');
  const stdout = new PassThrough();
  const context = contextOn(place, { stdin: new PassThrough(), stdout, stderr: stdout });
  assert.equal(await doctor(context, { include: [], skip: [], json: false }, 300), 2);
  assert.match(
    String(stdout.read()),
    /^cua-driver could not be asked: it did not answer within 0\.3 seconds\n {2}Bring it up to date: /,
  );
});

test('permissions are those of macOS; elsewhere the driver alone has to be well', async (t) => {
  const driver = fakeDriver(t, {
    commands: {
      doctor: {
        ok: true,
        probes: [
          { label: 'X11', status: 'ok', message: '' },
          { label: 'bus', status: 'warn', message: 'none' },
        ],
      },
      permissions: { accessibility: true, screen_recording: false },
    },
  });
  const place = placeOf(t, driver.env);
  const linux = outputOf(place);
  assert.equal(await permissionStatus(linux.context, false, 'linux'), 0);
  assert.equal(
    linux.text(),
    'cua-driver: cua-driver 0.37.0 (linux)\n  ✓ the driver itself (linux has no permissions for it)\n  ⚠ bus: none\n',
  );
  assert.equal(await grantPermissions(linux.context, 'linux'), 64);
  assert.match(linux.text(), /Only macOS/);
  const mac = outputOf(place);
  assert.equal(await permissionStatus(mac.context, false, 'darwin'), 1);
  assert.match(
    mac.text(),
    /✓ Accessibility\n {2}✗ Screen Recording\n {2}Grant them: hermes computer-use permissions grant/,
  );
});

test('its own installer is fetched whole, run without keys of ours, and then it is there', async (t) => {
  const place = placeOf(t, { OPENAI_API_KEY: 'sk-secret', PATH: process.env['PATH'] ?? '' });
  const script = [
    'mkdir -p "$HOME/.local/bin"',
    String.raw`printf '#!/bin/sh\necho "cua-driver 9.9.9 ${'$'}{OPENAI_API_KEY:-no key}"\n' > "$HOME/.local/bin/cua-driver"`,
    'echo "${OPENAI_API_KEY:-none} $CUA_DRIVER_RS_TELEMETRY_ENABLED" > "$HOME/seen"',
    'chmod +x "$HOME/.local/bin/cua-driver"',
  ].join('\n');
  await using server = await startJsonServer({ 'GET /install.sh': { body: script } });
  const { context, text } = outputOf(place);
  await refreshDriver(context, { from: server.url, platform: 'linux' });
  assert.equal(text(), '', 'an update brings none where there was none');
  await install(context, { upgrade: false, from: server.url, platform: 'linux' });
  const path = join(place.home.path, '.local', 'bin', 'cua-driver');
  assert.match(
    text(),
    new RegExp(`✓ cua-driver: ${path} \\(cua-driver 9\\.9\\.9 no key\\)\nNext: hermes computer-use doctor\n$`),
  );
  assert.equal(readFileSync(join(place.home.path, 'seen'), 'utf8'), 'none 0\n');
  await install(context, { upgrade: false, from: server.url, platform: 'linux' });
  assert.match(text(), /installed already/);
  assert.equal(server.requests.length, 1, 'it is not fetched again unasked');
  await refreshDriver(context, { from: server.url, platform: 'linux' });
  assert.equal(server.requests.length, 2, 'an update brings it up to date');
});

test('an installer that cannot be fetched, or fails, is told', async (t) => {
  const place = placeOf(t, nowhere);
  await using server = await startJsonServer({ 'GET /bad/install.sh': { body: 'exit 7' } });
  const { context, text } = outputOf(place);
  const at = (from: string) => install(context, { upgrade: false, from: `${server.url}${from}`, platform: 'linux' });
  await assert.rejects(at(''), /could not be fetched from .*status 404/);
  await assert.rejects(at('/bad'), /ended with exit code 7/);
  await assert.rejects(install(context, { upgrade: false, platform: 'sunos' }), /There is no cua-driver for sunos/);
  assert.match(text(), /Installing cua-driver/);
});
