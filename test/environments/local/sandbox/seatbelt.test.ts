/** The rules that macOS gets, as text. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seatbeltProfile } from '../../../../src/environments/local/sandbox/seatbelt.ts';
import { makeDirectory } from '../../support.ts';

const nothing = { writable: [], readOnly: [], rules: [], hidden: [], shown: [] };
const own = { inside: '/s/inside', door: '/s/door' };

/** The last rule of a profile that is about an access to a path. */
function lastRule(profile: string, access: string, path: string): string | undefined {
  return profile.split('\n').findLast((line) => {
    const folder = /\(subpath "([^"]*)"\)\)$/.exec(line)?.[1];
    return (
      line === `(deny ${access})` || (folder !== undefined && line.includes(access) && path.startsWith(`${folder}/`))
    );
  });
}

test('nothing is written but what may be, and the narrower folder wins', () => {
  const profile = seatbeltProfile({
    ...own,
    places: {
      ...nothing,
      writable: ['/work', '/home/me/.npm'],
      readOnly: ['/work/.git/hooks'],
      hidden: ['/home/me/.ssh'],
    },
    reachesHosts: true,
  });
  assert.equal(lastRule(profile, 'file-write*', '/etc/passwd'), '(deny file-write*)');
  assert.equal(lastRule(profile, 'file-write*', '/work/src/a.ts'), '(allow file-write* (subpath "/work"))');
  assert.equal(
    lastRule(profile, 'file-write*', '/work/.git/hooks/pre-commit'),
    '(deny file-write* (subpath "/work/.git/hooks"))',
  );
  assert.match(lastRule(profile, 'file-read*', '/home/me/.ssh/id') ?? '', /^\(deny file-read\* file-write\*/);
  assert.ok(profile.includes('(deny file-write-unlink (literal "/work/.git"))'));
  assert.doesNotMatch(profile, /\(deny network\*\)/);
});

test('without a network only this machine is reached', () => {
  const profile = seatbeltProfile({ ...own, places: nothing, reachesHosts: false });
  assert.match(profile, /\(deny network\*\)\n\(allow network\* \(local ip "localhost:\*"\)/);
});

test('processes, keychain and other programs are out of reach', () => {
  const profile = seatbeltProfile({ ...own, places: nothing, reachesHosts: true });
  for (const rule of [
    '(deny signal)',
    '(deny process-info*)',
    '(deny appleevent-send)',
    'com.apple.SecurityServer',
    '(deny lsopen)',
  ]) {
    assert.ok(profile.includes(rule), rule);
  }
});

test('a path is named with and without its links, also when it does not exist yet, and cannot end its quotes', (t) => {
  const directory = makeDirectory(t);
  mkdirSync(join(directory, 'real'));
  symlinkSync(join(directory, 'real'), join(directory, 'link'));
  const places = { ...nothing, hidden: [join(directory, 'link', 'later'), '/a"b\\c'] };
  const profile = seatbeltProfile({ ...own, places, reachesHosts: true });
  assert.ok(profile.includes(`(subpath "${directory}/real/later")`));
  assert.ok(profile.includes(`(subpath "${directory}/link/later")`));
  assert.ok(profile.includes(String.raw`(subpath "/a\"b\\c")`));
});
