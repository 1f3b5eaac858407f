/** The gateway as a service: what is written for systemd and launchd, and what they are asked to do. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Launchd } from '../../../src/gateway/service/launchd.ts';
import { launchdPlist } from '../../../src/gateway/service/launchd-plist.ts';
import { type ServiceFacts, serviceSuffix } from '../../../src/gateway/service/service.ts';
import { systemdUnit } from '../../../src/gateway/service/systemd-unit.ts';
import { hermes, makePlace, ok, type Place } from '../../cli/hermes-process.ts';

const home = { path: '/home/ann/.hermes', root: '/home/ann/.hermes', profile: 'default' };
const facts: ServiceFacts = {
  home,
  node: '/opt/node 24/bin/node',
  script: '/opt/hermes/bin/hermes.mjs',
  path: '/usr/bin:/opt/50%/bin',
  drainSeconds: 30,
  watchdogSeconds: 0,
};

test('systemd watches over the gateway when that is wanted', () => {
  const plain = systemdUnit(facts).split('\n');
  assert.ok(plain.includes('Type=simple') && !plain.some((line) => line.startsWith('WatchdogSec')));
  const watched = systemdUnit({ ...facts, watchdogSeconds: 60 }).split('\n');
  for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=60']) assert.ok(watched.includes(line), line);
});

/** A `systemctl` that writes down what it is asked, and knows what is active. */
function withSystemctl(t: TestContext) {
  const place = makePlace(t);
  const bin = join(place.home, '..', 'bin');
  mkdirSync(bin, { recursive: true });
  const asked = join(bin, 'asked');
  writeFileSync(
    join(bin, 'systemctl'),
    `#!/bin/sh
echo "$*" >> ${asked}
case "$*" in
  *is-active*) [ -e ${bin}/active ] && echo active || echo inactive ;;
  *is-enabled*) echo enabled ;;
  *" restart "*|*" start "*) touch ${bin}/active ;;
  *" stop "*|*"disable --now"*) rm -f ${bin}/active ;;
esac
`,
    { mode: 0o755 },
  );
  const env = { PATH: `${bin}:${place.env['PATH']}` };
  return {
    place,
    run: (...args: string[]) => hermes(place, ['gateway', ...args], { env }),
    unit: unitOf(place),
    /** What it was asked to do since the last look. */
    asked: (): string[] => {
      const lines = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [];
      rmSync(asked, { force: true });
      return lines.filter((line) => !/is-active|is-enabled/.test(line));
    },
  };
}

function unitOf(place: Place): string {
  return join(place.env['HOME'] ?? '', '.config/systemd/user/hermes-gateway.service');
}

test('a unit starts the gateway again, except where that would change nothing, and gives turns their time', () => {
  const lines = systemdUnit(facts).split('\n');
  for (const line of [
    'ExecStart="/opt/node 24/bin/node" "/opt/hermes/bin/hermes.mjs" "gateway" "run"',
    'Environment="HERMES_HOME=/home/ann/.hermes"',
    'Environment="PATH=/usr/bin:/opt/50%%/bin"',
    'Restart=always',
    'RestartSec=5',
    'StartLimitIntervalSec=0',
    'RestartForceExitStatus=75',
    'RestartPreventExitStatus=78',
    'KillMode=mixed',
    'TimeoutStopSec=70',
    'WantedBy=default.target',
  ])
    assert.ok(lines.includes(line), line);
  assert.ok(!lines.some((line) => line.startsWith('User=')));
});

test('a unit of the system runs as a user; what systemd would read as its own is kept as it is', () => {
  const odd = { ...facts, script: String.raw`/opt/$HOME "x"\y/hermes.mjs` };
  const lines = systemdUnit(odd, 'ann').split('\n');
  assert.ok(lines.includes('User=ann'));
  assert.ok(lines.includes('WantedBy=multi-user.target'));
  assert.match(
    lines.find((line) => line.startsWith('ExecStart=')) ?? '',
    /"\/opt\/\$\$HOME \\"x\\"\\\\y\/hermes\.mjs"/,
  );
});

test('services of profiles and of other homes have names of their own', () => {
  const own = '/home/ann';
  assert.equal(serviceSuffix(home, own), '');
  assert.equal(serviceSuffix({ ...home, path: `${home.root}/profiles/work`, profile: 'work' }, own), '-work');
  assert.match(serviceSuffix({ path: '/srv/h', root: '/srv/h', profile: 'default' }, own), /^-[0-9a-f]{8}$/);
});

test('install writes the unit and starts it; start, stop, restart and uninstall go to systemd', {
  skip: process.platform !== 'linux' && 'systemd is for Linux',
}, async (t) => {
  const { run, unit, asked } = withSystemctl(t);
  const installed = ok(await run('install'));
  assert.match(installed.stdout, new RegExp(`Written: ${unit}`));
  assert.match(readFileSync(unit, 'utf8'), /"gateway" "run"/);
  assert.deepEqual(asked(), [
    '--user show-environment',
    '--user daemon-reload',
    '--user enable hermes-gateway.service',
    '--user restart hermes-gateway.service',
  ]);
  assert.match(ok(await run('install')).stdout, /installed already/);
  assert.deepEqual(asked(), []);
  ok(await run('restart'));
  assert.deepEqual(asked(), ['--user restart hermes-gateway.service']);
  assert.match(ok(await run('status')).stdout, /does not run[^]*hermes-gateway\.service \(active, starts by itself\)/);
  ok(await run('stop'));
  assert.deepEqual(asked(), ['--user stop hermes-gateway.service']);
  writeFileSync(unit, 'old');
  assert.match(ok(await run('status')).stdout, /out of date/);
  ok(await run('start'));
  assert.deepEqual(asked(), ['--user daemon-reload', '--user start hermes-gateway.service']);
  assert.match(readFileSync(unit, 'utf8'), /"gateway" "run"/);
  ok(await run('uninstall'));
  assert.equal(existsSync(unit), false);
  assert.deepEqual(asked(), ['--user disable --now hermes-gateway.service', '--user daemon-reload']);
});

test('without a service, start says what to do, and stop has nothing to stop', {
  skip: process.platform !== 'linux' && 'systemd is for Linux',
}, async (t) => {
  const { run } = withSystemctl(t);
  const refused = await run('start');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /not installed as a service[^]*hermes gateway install/);
  assert.match(ok(await run('stop')).stdout, /No gateway runs/);
});

test('migrate-legacy removes the unit of an older installation, and none that runs something else', {
  skip: process.platform !== 'linux' && 'systemd is for Linux',
}, async (t) => {
  const { run, unit, asked } = withSystemctl(t);
  const older = join(dirname(unit), 'hermes.service');
  mkdirSync(dirname(older), { recursive: true });
  writeFileSync(older, '[Service]\nExecStart=/opt/messenger/hermes\n');
  assert.match(ok(await run('migrate-legacy', '--yes')).stdout, /no units/);
  writeFileSync(older, '[Service]\nExecStart=/opt/hermes/bin/hermes gateway run\n');
  assert.match(ok(await run('migrate-legacy', '--dry-run')).stdout, /Would be removed/);
  assert.ok(existsSync(older));
  ok(await run('migrate-legacy', '--yes'));
  assert.equal(existsSync(older), false);
  assert.deepEqual(asked(), ['--user disable --now hermes.service', '--user daemon-reload']);
});

test('launchd is given a property list, and a start loads one that was unloaded', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-launchd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const asked: string[] = [];
  let loaded = false;
  const label = 'ai.hermes.gateway';
  const service = new Launchd({
    label,
    file: join(folder, 'LaunchAgents', `${label}.plist`),
    plist: launchdPlist(label, { ...facts, path: '/a&b' }),
    uid: 501,
    run: (_program, args) => {
      asked.push(args.join(' '));
      if (args[0] === 'bootstrap') loaded = true;
      if (args[0] === 'bootout') loaded = false;
      const refused = args[0] === 'kickstart' && !loaded;
      return Promise.resolve({ code: refused ? 113 : 0, stdout: 'state = running', stderr: '' });
    },
  });
  await service.install({ startNow: true, startOnLogin: true });
  const plist = readFileSync(service.file, 'utf8');
  assert.match(plist, /<string>\/a&amp;b<\/string>/);
  assert.match(plist, /<key>Label<\/key>\s*<string>ai\.hermes\.gateway<\/string>/);
  assert.deepEqual(asked.slice(-3), [
    `kickstart gui/501/${label}`,
    `bootstrap gui/501 ${service.file}`,
    `kickstart gui/501/${label}`,
  ]);
  loaded = false;
  await service.start();
  assert.equal(loaded, true);
  assert.ok(statSync(service.file).size > 0);
});
