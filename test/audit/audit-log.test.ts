/** The audit log: a chain that tells when it was touched, written by many, cut off by nobody unseen. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AuditLimits, AuditLog } from '../../src/audit/audit-log.ts';
import type { DecisionEntry } from '../../src/audit/entry.ts';
import { lastEntries } from '../../src/audit/read-entries.ts';
import { verifyAuditLog } from '../../src/audit/verify.ts';
import { randomFrom } from '../random.ts';

interface Place {
  readonly home: string;
  readonly log: string;
  readonly open: (limits?: Partial<AuditLimits>) => AuditLog;
  readonly lines: () => string[];
}

function aHome(t: TestContext): Place {
  const home = mkdtempSync(join(tmpdir(), 'hermes-audit-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const log = join(home, 'logs', 'audit.jsonl');
  return {
    home,
    log,
    open: (limits) => new AuditLog({ homePath: home, limits: { maxBytes: 10_000_000, backups: 9, ...limits } }),
    lines: () => readFileSync(log, 'utf8').split('\n').slice(0, -1),
  };
}

const decision = (shown: string): DecisionEntry => ({
  kind: 'decision',
  session: 's1',
  surface: 'cli',
  tool: 'terminal',
  shown,
  findings: [],
  sources: [{ from: 'user' }],
  decision: 'allowed',
  by: 'rules',
});

async function fill(log: AuditLog, count: number, name = 'command'): Promise<void> {
  for (let number = 1; number <= count; number += 1) await log.write(decision(`${name} ${number}`));
}

suite('audit log', () => {
  test('every entry is a line of JSON with its time, its number and the hash of the line before it', async (t) => {
    const { home, open, lines } = aHome(t);
    const log = open();
    assert.equal(await log.write(decision('ls')), 1);
    assert.equal(await log.write(decision('git status'), { durable: true }), 2);
    const [first, second] = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.match(String(first?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    assert.deepEqual([first?.['seq'], first?.['shown'], second?.['seq']], [1, 'ls', 2]);
    assert.equal(second?.['prev'], first?.['hash']);
    const { entries, problems, notes } = await verifyAuditLog(home);
    assert.deepEqual({ entries, problems, notes }, { entries: 2, problems: [], notes: [] });
    if (process.platform !== 'win32') {
      const modes = ['logs', 'logs/audit.jsonl', 'logs/audit.seal', 'audit.key'].map(
        (name) => statSync(join(home, name)).mode & 0o777,
      );
      assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o600]);
    }
  });

  test('nothing is made before the first entry, and a home that is gone is not brought back', async (t) => {
    const { home } = aHome(t);
    let told = 0;
    const log = new AuditLog({
      homePath: home,
      limits: { maxBytes: 1000, backups: 1 },
      onProblem: () => (told += 1),
    });
    assert.deepEqual(readdirSync(home), []);
    rmSync(home, { recursive: true });
    assert.equal(await log.write(decision('ls')), undefined);
    assert.equal(await log.write(decision('ls')), undefined);
    assert.ok(!existsSync(home));
    assert.equal(told, 1, 'told once');
    mkdirSync(home);
    assert.equal(await log.write(decision('pwd')), 3, 'what waited is written with the next one');
    assert.deepEqual((await verifyAuditLog(home)).problems, []);
  });

  test('hidden and control characters of a command stand escaped in the file', async (t) => {
    const { home, open, log } = aHome(t);
    await open().write(decision('echo \u001b[2K\u009b\u202egnp \u200b'));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is what is tested
    assert.doesNotMatch(readFileSync(log, 'utf8'), /[\u001b\u009b\u202e\u200b]/);
    const [entry] = await lastEntries(home, 1, () => true);
    assert.equal(entry?.['shown'], 'echo \u001b[2K\u009b\u202egnp \u200b');
  });

  test('a change of any one byte of the file is found', async (t) => {
    const { home, open, log } = aHome(t);
    await fill(open(), 12, 'echo "ä" > file');
    const whole = readFileSync(log);
    const random = randomFrom(8);
    const places = new Set([0, whole.length - 1, whole.indexOf('\n'), whole.lastIndexOf('"hash"') + 9]);
    while (places.size < 250) places.add(Math.floor(random() * whole.length));
    for (const at of places) {
      const changed = Buffer.from(whole);
      changed[at] = ((whole[at] ?? 0) + 1 + Math.floor(random() * 255)) % 256;
      writeFileSync(log, changed);
      assert.notDeepEqual((await verifyAuditLog(home)).problems, [], `byte ${at}`);
    }
    writeFileSync(log, whole);
    assert.deepEqual((await verifyAuditLog(home)).problems, []);
  });

  test('lines that are removed, swapped, added or cut off are found and named', async (t) => {
    const { home, open, log, lines } = aHome(t);
    await fill(open(), 6);
    const all = lines();
    const told = async (kept: readonly (string | undefined)[]): Promise<string> => {
      writeFileSync(log, kept.map((line) => `${line ?? ''}\n`).join(''));
      return (await verifyAuditLog(home)).problems.join('; ');
    };
    assert.match(await told([...all.slice(0, 2), ...all.slice(3)]), /entry 4 does not follow from entry 2/);
    assert.match(await told([...all.slice(0, 2), all[3], all[2], ...all.slice(4)]), /does not follow/);
    assert.match(await told(all.slice(2)), /entries 1 to 2 are missing at the beginning/);
    assert.match(await told(all.slice(0, 4)), /entries 5 to 6 are missing at the end/);
    assert.match(await told([...all, '{"seq":7}']), /audit\.jsonl:7: 1 line changed, or not written by this program/);
    rmSync(log);
    assert.match((await verifyAuditLog(home)).problems.join('; '), /entries 1 to 6 are missing at the end/);
    assert.equal(await told(all), '');
  });

  test('a chain that somebody made anew, with hashes that fit, does not have the seal', async (t) => {
    const { home, open, log } = aHome(t);
    const other = aHome(t);
    await fill(open(), 4, 'rm -rf');
    await fill(other.open(), 4, 'ls');
    writeFileSync(log, readFileSync(other.log));
    assert.match((await verifyAuditLog(home)).problems.join('; '), /entry 4 is not the one that was sealed/);
    writeFileSync(join(home, 'logs/audit.seal'), readFileSync(join(other.home, 'logs/audit.seal')));
    assert.match((await verifyAuditLog(home)).problems.join('; '), /the seal was not made with the key of this home/);
    rmSync(join(home, 'logs/audit.seal'));
    assert.match((await verifyAuditLog(home)).problems.join('; '), /the seal is gone/);
  });

  test('entries that were cut off stay told after the next one is written', async (t) => {
    const { home, open, log, lines } = aHome(t);
    await fill(open(), 6);
    writeFileSync(log, `${lines().slice(0, 4).join('\n')}\n`);
    await fill(open(), 2, 'later');
    assert.match((await verifyAuditLog(home)).problems.join('; '), /entries 5 to 6 are missing \(found by entry 7, /);
    rmSync(log);
    rmSync(join(home, 'logs/audit.seal'));
    await fill(open(), 1, 'after all was removed');
    assert.match(
      (await verifyAuditLog(home)).problems.join('; '),
      /the seal was missing or false \(found by entry 1, /,
    );
  });

  test('a line that its writer could not finish is told, and set aside by the next writer', async (t) => {
    const { home, open, log, lines } = aHome(t);
    await fill(open(), 3);
    appendFileSync(log, '{"seq":4,"time":"2026-');
    const torn = await verifyAuditLog(home);
    assert.deepEqual([torn.entries, torn.problems], [3, []]);
    assert.match(torn.notes.join(), /audit\.jsonl:4: the last line is torn/);
    await fill(open(), 1, 'later');
    const later = await verifyAuditLog(home);
    assert.deepEqual([later.entries, later.problems], [5, []]);
    assert.match(later.notes.join(), /audit\.jsonl:4: a torn line was set aside/);
    writeFileSync(
      log,
      lines()
        .map((line, at) => `${at === 3 ? line.replace('2026', '2027') : line}\n`)
        .join(''),
    );
    assert.match((await verifyAuditLog(home)).problems.join(), /audit\.jsonl:4: 1 line changed/);
  });

  test('a writer that was ended between the line and the seal is no problem', async (t) => {
    const { home, open } = aHome(t);
    await fill(open(), 2);
    const seal = readFileSync(join(home, 'logs/audit.seal'));
    await fill(open(), 1);
    writeFileSync(join(home, 'logs/audit.seal'), seal);
    const before = await verifyAuditLog(home);
    assert.deepEqual(before.problems, []);
    assert.match(before.notes.join(), /1 entry behind the seal/);
    await fill(open(), 1);
    const after = await verifyAuditLog(home);
    assert.deepEqual(after.problems, []);
    assert.match(after.notes.join(), /had no seal yet/);
  });

  test('full files make room, the chain goes on over them, and what was rotated away is no problem', async (t) => {
    const { home, open, log } = aHome(t);
    const limits = { maxBytes: 2000, backups: 3 };
    const writers = [open(limits), open(limits)];
    for (let number = 1; number <= 60; number += 1) await writers[number % 2]?.write(decision(`command ${number}`));
    const files = readdirSync(join(home, 'logs')).filter((name) => name.startsWith('audit.jsonl'));
    assert.deepEqual(files.sort(), ['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2', 'audit.jsonl.3']);
    for (const name of files) assert.ok(statSync(join(home, 'logs', name)).size <= 2000);
    const { end, problems, notes } = await verifyAuditLog(home);
    assert.deepEqual([end?.seq, problems, notes], [60, [], []]);
    rmSync(`${log}.3`);
    assert.match((await verifyAuditLog(home)).problems.join(), /are missing at the beginning/);
    await fill(open({ ...limits, backups: 0 }), 20);
    assert.deepEqual(
      readdirSync(join(home, 'logs')).filter((name) => name.startsWith('audit.jsonl')),
      ['audit.jsonl'],
    );
    assert.deepEqual((await verifyAuditLog(home)).problems, []);
  });

  test('a rotation that was broken off is finished by the next writer', async (t) => {
    const { home, open, log } = aHome(t);
    await fill(open(), 5);
    renameSync(log, `${log}.1`);
    await fill(open(), 2);
    const { entries, problems } = await verifyAuditLog(home);
    assert.deepEqual([entries, problems], [7, []]);
  });

  test('many writers in one process and in others make one chain', async (t) => {
    const { home, open } = aHome(t);
    const limits = { maxBytes: 40_000, backups: 50 };
    const script = fileURLToPath(new URL('write-entries.ts', import.meta.url));
    const others = [1, 2, 3].map(async (name) => {
      const child = spawn(process.execPath, [script, home, `process ${name}`, '80'], { stdio: 'inherit' });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      assert.equal(code, 0);
    });
    const logs = [open(limits), open(limits), open(limits)];
    await Promise.all(
      logs.map((log, index) =>
        Promise.all(Array.from({ length: 60 }, (_, at) => log.write(decision(`${index} ${at}`)))),
      ),
    );
    await Promise.all(others);
    const { entries, end, problems, notes } = await verifyAuditLog(home);
    assert.deepEqual([entries, end?.seq, problems, notes], [420, 420, [], []]);
  });

  test('a file that cannot be written keeps nobody waiting, and the entries come later', async (t) => {
    const { home, open, log } = aHome(t);
    mkdirSync(log, { recursive: true });
    const writer = open();
    assert.equal(await writer.write(decision('first')), undefined);
    rmSync(log, { recursive: true });
    assert.equal(await writer.write(decision('second')), 2);
    const shown = (await lastEntries(home, 10, () => true)).map((entry) => entry['shown']);
    assert.deepEqual(shown, ['first', 'second']);
    truncateSync(log, 0);
    assert.match((await verifyAuditLog(home)).problems.join(), /entries 1 to 2 are missing at the end/);
  });
});
