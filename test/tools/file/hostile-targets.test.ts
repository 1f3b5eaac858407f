/** Ways by which a real file could be reached that the file tools keep out of. */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { processSettings } from '../../../src/config/process-settings.ts';
import type { FileSystem } from '../../../src/environments/environment.ts';
import { createPathGuard } from '../../../src/safety/paths.ts';
import type { Disk } from '../../../src/safety/same-file.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import { jsonOf, person, runTool } from '../support.ts';
import { openWorkplace, said, type Workplace } from './support.ts';

const secret = 'the-secret-itself\n';
/** Below the person's directory. */
const guarded = [
  '.ssh/id_rsa',
  '.ssh/authorized_keys',
  '.aws/credentials',
  '.netrc',
  '.npmrc',
  '.hermes/.env',
  '.hermes/auth.json',
  '.hermes/mcp-tokens/x.json',
];

/** A machine with something to protect, and every way to it that a program could have laid. */
function laidOut(t: TestContext): { readonly place: Workplace; readonly ways: readonly string[] } {
  const place = openWorkplace(t);
  const { directory, userHome } = place;
  const open: number[] = [];
  t.after(() => open.forEach(closeSync));
  symlinkSync(userHome, join(directory, 'house'));
  symlinkSync('house', join(directory, 'house2'));
  const ways = guarded.flatMap((name, n) => {
    const path = place.put(join(userHome, name), secret);
    symlinkSync(path, join(directory, `link${n}`));
    symlinkSync(`link${n}`, join(directory, `chain${n}`));
    symlinkSync(relative(directory, path), join(directory, `relative${n}`));
    symlinkSync(dirname(path), join(directory, `folder${n}`));
    linkSync(path, join(directory, `hard${n}.txt`));
    const fd = openSync(path, 'r');
    open.push(fd);
    return [
      path,
      `~/${name}`,
      `~/./${name}`,
      `house/${name}`,
      `house2/../../home/${name}`,
      `link${n}`,
      `chain${n}`,
      `relative${n}`,
      `folder${n}/${name.split('/').at(-1) ?? ''}`,
      `hard${n}.txt`,
      `../home/${name}`,
      `${userHome}//x/../${name}`,
      `/proc/self/root${path}`,
      `/proc/thread-self/root${path}`,
      `/proc/${process.pid}/root/proc/self/root${path}`,
      `/proc/self/fd/${fd}`,
      `/dev/fd/${fd}`,
      `/proc/${process.pid}/fd/${fd}`,
    ];
  });
  return { place, ways: process.platform === 'linux' ? ways : ways.filter((way) => !/^\/(?:proc|dev)\//.test(way)) };
}

test('no way leads to the text of a credential', async (t) => {
  const { place, ways } = laidOut(t);
  assert.ok(ways.length >= 100);
  for (const path of ways) {
    const read = await place.read({ path });
    assert.match(said(read, 'error'), /^(?:Access denied|Write denied):/, path);
    const found = await place.search({ path, pattern: 'secret' });
    assert.ok(!found.text.includes('the-secret'), path);
  }
  for (const path of ['.', '..', 'house', '~', '~/.ssh', 'folder0']) {
    const found = await place.search({ path, pattern: 'the-secret' });
    assert.ok(!found.text.includes('the-secret-itself'), path);
  }
});

test('no way leads to a change of a credential, by writing, patching, moving or removing', async (t) => {
  const { place, ways } = laidOut(t);
  for (const path of ways) {
    for (const answer of [
      await place.write({ path, content: 'evil' }),
      await place.patch({ path, old_string: 'secret', new_string: 'evil' }),
    ]) {
      assert.equal(answer.outcome.isError, true, path);
      assert.match(said(answer, 'error'), /^(?:Write denied|Access denied|Could not|Refusing)/, path);
    }
    const sections = [`*** Update File: ${path}\n@@\n-${secret.trim()}\n+evil`, `*** Add File: ${path}\n+evil`];
    for (const section of sections)
      assert.equal((await place.patch({ mode: 'patch', patch: section })).outcome.isError, true, section);
  }
  place.put('evil.txt', 'evil\n');
  for (const name of guarded) {
    const path = join(place.userHome, name);
    for (const section of [
      `*** Delete File: ${path}`,
      `*** Move File: ${path} -> stolen.txt`,
      `*** Move File: evil.txt -> ${path}2/../x`,
    ])
      assert.equal((await place.patch({ mode: 'patch', patch: section })).outcome.isError, true, section);
    assert.equal(readFileSync(path, 'utf8'), secret, name);
  }
});

test('devices and the memory of processes are not read, also through links', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const place = openWorkplace(t);
  const names = [
    ...'zero random urandom full stdin stdout stderr tty console fd/0 fd/1 fd/2'
      .split(' ')
      .map((name) => `/dev/${name}`),
    ...'environ cmdline maps smaps smaps_rollup numa_maps mem auxv pagemap fd/0'
      .split(' ')
      .flatMap((name) => [`/proc/self/${name}`, `/proc/${process.pid}/${name}`, `/proc/self/root/proc/self/${name}`]),
    `/proc/self/task/${process.pid}/environ`,
  ].filter((path) => existsSync(path));
  assert.ok(names.length > 20);
  for (const [n, path] of names.entries()) {
    symlinkSync(path, join(place.directory, `device${n}`));
    // Where a stream leads to an ordinary file, a link to it is one to that file.
    const ways = /std|fd/.test(path) ? [path] : [path, `device${n}`];
    for (const way of ways) {
      const read = await place.read({ path: way });
      assert.ok(read['content'] === undefined && read.outcome.isError, way);
    }
  }
});

/** A repository whose hook a write is after. */
function repository(place: Workplace): { readonly hook: string } {
  place.put('.git/config', '[core]\n');
  return { hook: place.put('.git/hooks/pre-commit', 'echo fine\n') };
}

test('what runs later by itself is written when a person says yes to it, each time, and never where nobody is', async (t) => {
  const place = openWorkplace(t);
  const { hook } = repository(place);
  symlinkSync('.git', join(place.directory, 'g'));
  mkdirSync(join(place.userHome, '.local/bin'), { recursive: true });
  symlinkSync(join(place.userHome, '.local/bin'), join(place.directory, 'bin'));
  const ways = [
    '.git/hooks/pre-commit',
    'g/hooks/pre-commit',
    'x/../.git/hooks/pre-commit',
    'bin/git',
    '.vscode/tasks.json',
  ];
  for (const path of ways)
    assert.match(
      said(await place.write({ path, content: '{}' }), 'error'),
      /^Write denied: .*runs by itself later/,
      path,
    );
  place.put('evil', 'evil\n');
  const moved = await place.patch({ mode: 'patch', patch: '*** Move File: evil -> .git/hooks/post-checkout' });
  assert.match(said(moved, 'error'), /runs by itself later/);
  assert.equal(readFileSync(hook, 'utf8'), 'echo fine\n');
  const human = person('always');
  for (const content of ['echo one\n', 'echo two\n']) {
    const args = { path: '.git/hooks/pre-commit', content };
    assert.ok(!(await runTool(writeFileTool, args, place.services, { human })).isError);
    assert.equal(readFileSync(hook, 'utf8'), content);
  }
  assert.equal(human.asked.length, 2);
  assert.deepEqual(human.asked[0]?.reasons, [`write to a file that runs by itself later: ${hook}`]);
});

test('nothing is kept of a file before a write that is refused', async (t) => {
  const kept: string[] = [];
  const checkpoints = {
    before: (paths: readonly string[]) => {
      kept.push(...paths);
      return Promise.resolve();
    },
  };
  const place = openWorkplace(t, { services: { edits: { checkpoints } } });
  repository(place);
  for (const path of ['~/.ssh/config', '~/.hermes/config.yaml', '/usr/local/bin/x', '.git/hooks/pre-commit']) {
    await place.write({ path, content: 'x' });
    await place.patch({ mode: 'patch', patch: `*** Add File: ${path}\n+x` });
  }
  assert.deepEqual(kept, []);
  await place.write({ path: 'a.txt', content: 'x' });
  assert.deepEqual(kept, [join(place.directory, 'a.txt')]);
});

test('several places may be written to where the owner marks them off; a person is asked about others', async (t) => {
  const place = openWorkplace(t);
  const roots = [join(place.directory, 'a'), join(place.directory, 'b')].join(':');
  const services = { ...place.services, processSettings: processSettings({ HERMES_WRITE_SAFE_ROOT: roots }) };
  symlinkSync(place.directory, join(place.put('a/x', '').replace(/x$/, 'out')));
  const write = async (path: string) => await runTool(writeFileTool, { path, content: 'x' }, services);
  for (const path of ['a/1', 'b/c/2']) assert.ok(!(await write(path)).isError, path);
  for (const path of ['c', 'a/../c', 'ab', 'a/out/c', '~/c']) {
    assert.match(JSON.stringify(jsonOf(await write(path))), /"Write denied: .*HERMES_WRITE_SAFE_ROOT/, path);
  }
  assert.ok(!existsSync(join(place.directory, 'c')));
  const human = person('once');
  assert.ok(!(await runTool(writeFileTool, { path: 'c', content: 'x' }, services, { human })).isError);
  const edit = { path: 'c', old_string: 'x', new_string: 'y' };
  assert.ok(!(await runTool(patchTool, edit, services, { human })).isError);
  assert.equal(human.asked.length, 2);
});

test('a folder that becomes a link while a call is under way leads nowhere', async (t) => {
  for (let step = 1; step <= 12; step += 1) {
    let left = step;
    const swap = (place: Workplace): void => {
      left -= 1;
      if (left !== 0) return;
      renameSync(join(place.directory, 'open'), join(place.directory, 'aside'));
      symlinkSync(join(place.directory, '.git/hooks'), join(place.directory, 'open'));
    };
    const place: Workplace = openWorkplace(t, {
      otherwise: ({ files }) => {
        // Between two looks of the tools; what lies between the last look and the write is the environment's part.
        const stat: FileSystem['stat'] = async (path) => {
          swap(place);
          return await files.stat(path);
        };
        return { files: { ...files, stat } };
      },
    });
    const { hook } = repository(place);
    place.put('open/pre-commit', 'echo mine\n');
    const written = await place.write({ path: 'open/pre-commit', content: 'evil' });
    const patched = await place.patch({ path: 'open/pre-commit', old_string: 'mine', new_string: 'evil' });
    assert.ok([written, patched].every((answer) => answer.text !== ''));
    assert.equal(readFileSync(hook, 'utf8'), 'echo fine\n', `at step ${step}`);
    assert.deepEqual(readdirSync(dirname(hook)), ['pre-commit']);
    rmSync(place.directory, { recursive: true });
  }
});

test('a home that is mounted under another name is still that home', () => {
  const mounted: Readonly<Record<string, string>> = {
    '/mnt/h': '/home/ann',
    '/mnt/keys': '/home/ann/.ssh',
    '/mnt/all': '/',
    '/mnt/h2': '/home/ann/.hermes',
    '/mnt/e': '/etc',
  };
  const disk: Disk = {
    identify: (path) => ({ id: mounted[path] ?? (path === '' ? '/' : path), names: 1 }),
    list: () => [],
  };
  const guard = createPathGuard({
    homePath: '/home/ann/.hermes',
    root: '/home/ann/.hermes',
    userHome: '/home/ann',
    disk,
  });
  for (const path of ['/mnt/h/.ssh/id_rsa', '/mnt/keys/id_rsa', '/mnt/all/home/ann/.ssh/id_rsa', '/mnt/h2/.env']) {
    assert.ok(guard.denyRead(path), path);
    assert.ok(guard.denyWrite(path), path);
  }
  for (const path of ['/mnt/e/hosts', '/mnt/all/usr/bin/git', '/mnt/h/.bashrc', '/mnt/h2/config.yaml'])
    assert.ok(guard.denyWrite(path), path);
  assert.ok(guard.runsLater('/mnt/h/.vimrc') && guard.isLearned('/mnt/h2/memories/MEMORY.md'));
  assert.equal(guard.denyWrite('/mnt/h/shop/x'), undefined);
});
