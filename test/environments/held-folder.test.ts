/** Files of this machine while somebody puts links in their way. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inFolder } from '../../src/environments/local/held-folder.ts';
import { createLocalFiles } from '../../src/environments/local/local-files.ts';

const skip = process.platform === 'linux' ? false : 'only Linux can hold a folder';
const text = new TextEncoder().encode('x');

/** A folder of the work, and one beside it that nobody may touch. */
function place(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'hermes-held-'));
  t.after(() => rmSync(base, { recursive: true }));
  const [folder, keys] = [join(base, 'folder'), join(base, 'keys')];
  mkdirSync(folder);
  mkdirSync(keys);
  writeFileSync(join(keys, 'key'), 'secret');
  /** What an attacker does between the look and the act. */
  const swap = (): void => {
    renameSync(folder, `${folder}.away`);
    symlinkSync(keys, folder);
  };
  return { base, folder, keys, swap, files: createLocalFiles(() => base, base) };
}

test('what was looked at as a real path is not followed through a link that came since', { skip }, async (t) => {
  const { base, folder, keys, swap, files } = place(t);
  writeFileSync(join(folder, 'key'), 'mine');
  writeFileSync(join(base, 'other'), 'other');
  swap();
  const asChecked = { asChecked: true };
  await assert.rejects(files.write(join(folder, 'key'), text, asChecked), { code: 'ELOOP' });
  await assert.rejects(files.write(join(folder, 'new'), text, asChecked), { code: 'ELOOP' });
  await assert.rejects(files.remove(join(folder, 'key'), asChecked), /ELOOP|ENOTDIR/);
  await assert.rejects(files.rename(join(base, 'other'), join(folder, 'other'), asChecked), /ELOOP|ENOTDIR/);
  await assert.rejects(files.rename(join(folder, 'key'), join(base, 'stolen'), asChecked), /ELOOP|ENOTDIR/);
  assert.deepEqual(readdirSync(keys), ['key']);
  assert.ok(!existsSync(join(base, 'stolen')));
});

test('a folder that is swapped while it is held stays the one that was meant', { skip }, async (t) => {
  const { folder, keys, swap } = place(t);
  await inFolder(folder, async (held) => {
    swap();
    writeFileSync(join(held, 'note'), 'x');
  });
  assert.deepEqual(readdirSync(keys), ['key']);
  assert.deepEqual(readdirSync(`${folder}.away`), ['note']);
});

test('a link that somebody set on purpose is followed as ever', async (t) => {
  const { base, keys, files } = place(t);
  symlinkSync(join(keys, 'key'), join(base, 'link'));
  await files.write(join(base, 'link'), text);
  assert.equal(new TextDecoder().decode(await files.read(join(keys, 'key'))), 'x');
});
