/** Output that is long, binary, or arrives in pieces. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { BoundedOutput, truncateMiddle } from '../../src/environments/bounded-output.ts';
import { ReportScanner } from '../../src/environments/local/report-scanner.ts';
import { RollingOutput } from '../../src/environments/rolling-output.ts';
import { makeWorkplace } from './support.ts';

test('of a long output the first 40 % and the last 60 % are kept, and everything is counted', async (t) => {
  const { run } = makeWorkplace(t, { maxOutputChars: 1000 });
  const result = await run(`printf 'a%.0s' $(seq 5000); printf 'b%.0s' $(seq 5000)`);
  assert.equal(result.totalChars, 10_000);
  assert.match(result.output, /^a{400}\n\n.*\[OUTPUT TRUNCATED - 9000 chars omitted out of 10000 total\].*\n\nb{600}$/);
});

test('a gigabyte goes through flat memory', async (t) => {
  const { run } = makeWorkplace(t);
  await run('yes | head -c 50M');
  const before = process.memoryUsage().rss;
  let highest = before;
  const result = await run('yes | head -c 1G', {
    timeoutMs: 120_000,
    onOutput: () => (highest = Math.max(highest, process.memoryUsage.rss())),
  });
  assert.equal(result.totalChars, 2 ** 30);
  assert.ok(highest - before < 100e6, `${Math.round((highest - before) / 1e6)} MB more`);
});

test('bytes that are no text become replacement characters, and characters cut by a chunk come whole', async (t) => {
  const { run } = makeWorkplace(t);
  assert.equal((await run(String.raw`printf '\xff\x00\xfe'`)).output, '\ufffd\0\ufffd');
  assert.equal((await run(String.raw`printf '\xe2'; sleep 0.05; printf '\x82\xac'`)).output, '€');
  const noise = await run('head -c 300000 /dev/urandom');
  assert.equal(noise.exitCode, 0);
});

test('output is shown as it arrives', async (t) => {
  const { run, directory } = makeWorkplace(t);
  const chunks: string[] = [];
  // The command goes on only when its first line has been shown.
  const result = await run('echo one; until [ -e go ]; do sleep 0.01; done; echo two', {
    onOutput: (chunk) => {
      chunks.push(chunk);
      writeFileSync(join(directory, 'go'), '');
    },
  });
  assert.deepEqual(chunks, ['one\n', 'two\n']);
  assert.equal(result.output, 'one\ntwo\n');
});

test('bounded output keeps exactly head and tail of any sequence of pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 60 }), (pieces, limit) => {
      const whole = pieces.join('');
      const output = new BoundedOutput(limit);
      for (const piece of pieces) output.push(piece);
      assert.equal(output.totalChars, whole.length);
      assert.equal(output.text(), truncateMiddle(whole, limit));
      if (whole.length <= limit) assert.equal(output.text(), whole);
      else assert.ok(output.text().startsWith(whole.slice(0, Math.floor(limit * 0.4))));
    }),
  );
});

test('a cut never leaves half of a surrogate pair', () => {
  for (let limit = 5; limit < 15; limit++) {
    assert.equal(truncateMiddle('😀'.repeat(20), limit).isWellFormed(), true, `limit ${limit}`);
  }
});

test('rolling output keeps the newest characters', () => {
  const output = new RollingOutput(10);
  for (let number = 0; number < 10_000; number++) output.push(`${number},`);
  assert.equal(output.tail(), '9998,9999,');
  assert.equal(output.tail(5), '9999,');
});

test('reports are found however the stream is cut, and no byte of output is lost', () => {
  const secret = '0123456789abcdef0123456789abcdef';
  const report = Buffer.from(`\u001e${secret}r7\0/some/place\u001f${secret}`);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (before, after, sizes) => {
        // Almost-reports in the output are output.
        const decoy = Buffer.from(`\u001e\u001e${secret.slice(0, 9)}`);
        const stream = Buffer.concat([before, decoy, report, after, report]);
        const scanner = new ReportScanner(secret);
        const output: Buffer[] = [];
        const reports: string[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const found of scanner.push(stream.subarray(at, at + size))) {
            if (found.kind === 'output') output.push(Buffer.from(found.bytes));
            else reports.push(`${found.status} ${found.cwd} ${found.last}`);
          }
          at += size;
        }
        assert.deepEqual(reports, ['7 /some/place false', '7 /some/place false']);
        assert.deepEqual(Buffer.concat(output), Buffer.concat([before, decoy, after]));
      },
    ),
  );
});
