/** The real cua-driver on a real X desktop: it sees windows, fills in a form, and types into a terminal. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolOutcome } from '../../src/agent/tool.ts';
import { createLocalEnvironment } from '../../src/environments/local/local-environment.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { noLog } from '../../src/lib/log.ts';
import { textOf } from '../../src/llm/message.ts';
import { CuaDriver } from '../../src/runtime/cua-driver.ts';
import { computerUseTool } from '../../src/tools/computer-use/computer-use.ts';
import { CuaDesktop } from '../../src/tools/computer-use/cua-desktop.ts';
import { DesktopSession } from '../../src/tools/computer-use/desktop-session.ts';
import { makePlace, hermes } from '../cli/hermes-process.ts';
import { jsonOf, person, policyWith, runTool, servicesOver } from '../tools/support.ts';
import { missingPrograms, startDesktop, type TestDesktop } from './desktop.ts';
import { pythonPackages } from './python-packages.ts';

const missing = missingPrograms(['xterm', 'zenity']);
const skip = process.platform === 'linux' ? (missing ?? false) : 'the desktop of this test is one of Linux';

async function driverProgram(): Promise<{ readonly path: string } | string> {
  const packages = await pythonPackages('cua-driver', ['cua-driver==0.37.0']);
  if (typeof packages === 'string') return packages;
  const find =
    'import importlib.util as u, os; print(os.path.join(os.path.dirname(u.find_spec("cua_driver").origin), "bin", "cua-driver"))';
  return { path: execFileSync(packages.python, ['-c', find], { encoding: 'utf8' }).trim() };
}

/** The tool as a session has it whose model sees pictures. */
function toolOn(t: TestContext, { env, folder }: TestDesktop, program: string) {
  const driver = new CuaDriver({
    program,
    homePath: folder,
    env,
    telemetry: false,
    network: {},
    version: '0',
    log: noLog,
  });
  const computer = new DesktopSession(() =>
    Promise.resolve(new CuaDesktop({ driver, platform: process.platform, session: 'hermes-test' })),
  );
  t.after(() => computer.close());
  const environment = createLocalEnvironment({ cwd: folder, homePath: folder, env: {}, sessionId: 'test' });
  const services = servicesOver(environment, { homePath: folder, root: folder, userHome: folder });
  const vision = {
    isNative: true,
    canDescribe: false,
    canWatch: false,
    describe: () => Promise.reject(new Error('nobody is asked')),
    watch: () => Promise.reject(new Error('nobody is asked')),
  };
  const own = { ...services, state: { ...services.state, computer, vision } };
  const policy = policyWith();
  const human = person('session');
  const call = async (args: JsonObject): Promise<ToolOutcome> =>
    await runTool(computerUseTool, args, own, { policy, human });
  return { call, human };
}

/** Asks until the answer is the wanted one. */
async function until(ask: () => Promise<ToolOutcome>, fits: (outcome: ToolOutcome) => boolean): Promise<ToolOutcome> {
  for (let count = 0; ; count++) {
    const outcome = await ask();
    if (fits(outcome)) return outcome;
    if (count > 240) assert.fail(`in vain: ${textOf(outcome.content).slice(0, 2000)}`);
    await delay(250);
  }
}

function elementOf(outcome: ToolOutcome, role: RegExp): number {
  const line = new RegExp(`#(\\d+) ${role.source}`).exec(textOf(outcome.content));
  assert.ok(line?.[1] !== undefined, textOf(outcome.content));
  return Number(line[1]);
}

test('the agent fills in a form by its elements, and types into a terminal', { skip }, async (t) => {
  const program = await driverProgram();
  if (typeof program === 'string') return t.skip(program);
  const desktop = await startDesktop(t);
  const { call, human } = toolOn(t, desktop, program.path);

  await t.test('what is open is listed, and what titles say counts as from outside', async () => {
    desktop.start('xterm', '-T', 'My Terminal');
    const windows = await until(
      () => call({ action: 'list_windows' }),
      ({ content }) => textOf(content).includes('My Terminal'),
    );
    assert.deepEqual(windows.sources, [{ from: 'program', name: 'the desktop' }]);
    const [window] = jsonOf(windows)['windows'] as JsonObject[];
    assert.equal(window?.['app_name'], 'XTerm');
    assert.deepEqual(human.asked, [], 'looking asks nothing');
  });

  await t.test('text and keys reach the terminal in the background', async () => {
    const seen = await call({ action: 'capture', app: 'xterm' });
    assert.ok(
      Array.isArray(seen.content) && seen.content.some(({ type }) => type === 'image_url'),
      'the model is shown the window',
    );
    assert.match(textOf(seen.content), /^capture mode=som \d+x\d+ app=XTerm window="My Terminal"/);
    assert.deepEqual(seen.sources, [{ from: 'program', name: 'XTerm' }]);
    const typed = jsonOf(await call({ action: 'type', text: 'echo hello > typed.txt' }));
    assert.equal(typed['ok'], true, JSON.stringify(typed));
    assert.equal(jsonOf(await call({ action: 'key', keys: 'Return' }))['ok'], true);
    const file = join(desktop.folder, 'typed.txt');
    const isWritten = () => existsSync(file) && readFileSync(file, 'utf8') !== '';
    for (let count = 0; !isWritten() && count < 240; count++) await delay(250);
    assert.equal(readFileSync(file, 'utf8'), 'hello\n');
    assert.deepEqual(
      human.asked.map(({ reasons }) => reasons.join()),
      ['operates your desktop: type', 'operates your desktop: key'],
    );
    assert.match(human.asked[0]?.command ?? '', /^type: echo hello > typed\.txt in XTerm "My Terminal"$/);
  });

  await t.test('a field gets a value, and a button is pressed', async () => {
    const form = desktop.start('sh', '-c', 'zenity --entry --title "Ask me" --text "What is your name?" > answer.txt');
    await until(
      () => call({ action: 'list_windows' }),
      ({ content }) => textOf(content).includes('Ask me'),
    );
    const seen = await until(
      () => call({ action: 'capture', app: 'zenity', capture_after: false }),
      ({ content }) => textOf(content).includes('push button "OK"'),
    );
    const set = await call({
      action: 'set_value',
      element: elementOf(seen, /text /),
      value: 'Ann',
      capture_after: true,
    });
    assert.match(textOf(set.content), /"ok":true,"action":"set_value".*"effect":"confirmed"/);
    assert.match(textOf(set.content), /#\d+ text "Ann"/);
    // The window is gone before the driver has looked whether the click did something, which it calls an error.
    await call({ action: 'click', element: elementOf(set, /push button "OK"/) });
    await new Promise((resolve) => (form.exitCode === null ? form.once('exit', resolve) : resolve(undefined)));
    assert.equal(readFileSync(join(desktop.folder, 'answer.txt'), 'utf8'), 'Ann\n');
  });

  await t.test('the whole screen is shown, and what is done there is asked about as something else', async () => {
    const seen = await call({ action: 'capture', app: 'screen' });
    assert.match(textOf(seen.content), /^capture mode=som 1280x800 app=the whole screen/);
    const clicked = jsonOf(await call({ action: 'click', coordinate: [100, 100] }));
    assert.equal(clicked['ok'], true, JSON.stringify(clicked));
    assert.match(human.asked.at(-1)?.reasons.join() ?? '', /click in the foreground/);
  });

  await t.test('elements alone come as data, without a picture', async () => {
    const seen = jsonOf(await call({ action: 'capture', app: 'XTerm', mode: 'ax' }));
    assert.equal(seen['window_title'], 'My Terminal');
    assert.equal(seen['total_elements'], 1);
  });

  await t.test('what is not there is said', async () => {
    assert.match(
      textOf((await call({ action: 'capture', app: 'Nothing Like It' })).content),
      /No window on the screen is of 'Nothing Like It'/,
    );
    const lost = jsonOf(await call({ action: 'click', coordinate: [1, 1] }));
    assert.equal(lost['code'], 'no_target', 'nothing is sent to what was chosen before');
  });
});

test('a driver that was killed is started anew, and none outlives the session', { skip }, async (t) => {
  const program = await driverProgram();
  if (typeof program === 'string') return t.skip(program);
  const desktop = await startDesktop(t);
  const driver = new CuaDriver({
    program: program.path,
    homePath: desktop.folder,
    env: desktop.env,
    telemetry: false,
    network: {},
    version: '0',
    log: noLog,
  });
  const signal = AbortSignal.timeout(120_000);
  assert.equal(driversIn(desktop.folder).length, 0, 'nothing runs before the first use');
  assert.equal((await driver.abilities(signal)).has('get_window_state', 'pid'), true);
  const [first = 0] = driversIn(desktop.folder);
  assert.match(readFileSync(`/proc/${first}/environ`, 'utf8'), /(^|\0)CUA_DRIVER_RS_TELEMETRY_ENABLED=0\0/);
  process.kill(first, 'SIGKILL');
  for (let count = 0; driversIn(desktop.folder).includes(first) && count < 240; count++) await delay(100);
  await until(
    async () => ({
      content: JSON.stringify(await driver.call('list_windows', {}, signal).catch(String)),
      isError: false,
    }),
    ({ content }) => textOf(content).includes('windows'),
  );
  await driver.close();
  assert.deepEqual(driversIn(desktop.folder), []);
});

/** Pids of drivers whose home is that folder. */
function driversIn(folder: string): readonly number[] {
  const listed = execFileSync('ls', ['/proc'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /^\d+$/.test(name));
  return listed.map(Number).filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return (
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cua-driver') && environment.includes(`HOME=${folder}`)
      );
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}

test('hermes computer-use says what the driver finds', { skip }, async (t) => {
  const program = await driverProgram();
  if (typeof program === 'string') return t.skip(program);
  const desktop = await startDesktop(t);
  const place = makePlace(t);
  const env = { ...desktop.env, HOME: place.env['HOME'] ?? '', HERMES_CUA_DRIVER_CMD: program.path };

  const status = await hermes(place, ['computer-use', 'status'], { env });
  assert.match(status.stdout, /^cua-driver: .*\(cua-driver 0\.37\.0\)/);
  const report = await hermes(place, ['computer-use', 'doctor', '--json', '--include', 'ax_capability'], { env });
  const read: unknown = JSON.parse(report.stdout);
  assert.ok(isJsonObject(read));
  assert.deepEqual([read['overall'], report.code], ['ok', 0], report.stdout);
  const without = { ...env, DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };
  const blind = await hermes(place, ['computer-use', 'doctor'], { env: without });
  assert.equal(blind.code, 1, blind.stdout);
  assert.match(blind.stdout, /^✗ ax_capability|✗ screen_capture_capability/m);
});
