/** A session of the browser as a film. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noLog } from '../../../src/lib/log.ts';
import { Recording } from '../../../src/tools/browser/recording.ts';
import { browsing, refOf, servePages, skip } from './support.ts';

const ffmpeg = '/usr/bin/ffmpeg';

test('what the pages of a session show is a film afterwards, and old films go', {
  skip: skip || (existsSync(ffmpeg) && existsSync('/usr/bin/ffprobe') ? false : 'there is no ffmpeg here'),
}, async (t) => {
  const pages = await servePages({
    '/': '<title>One</title><body style="background:red"><button onclick="window.open(\'/two\')">Open</button>',
    '/two': '<title>Two</title><body style="background:blue"><p>Two</p>',
  });
  const hosts: string[] = [];
  const within = async (host: string, work: () => Promise<void>): Promise<void> => {
    hosts.push(host);
    await work();
  };
  const browser = browsing({
    recording: () => {
      const env = { PATH: process.env['PATH'] ?? '' };
      return Promise.resolve(new Recording({ ffmpeg, env, homePath: browser.homePath, log: noLog, within }));
    },
  });
  t.after(async () => {
    await browser.close();
    pages.close();
  });
  const folder = join(browser.homePath, 'browser_recordings');
  mkdirSync(folder);
  writeFileSync(join(folder, 'session_old.webm'), '');
  utimesSync(join(folder, 'session_old.webm'), 1, 1);
  writeFileSync(join(folder, 'mine.webm'), '');
  utimesSync(join(folder, 'mine.webm'), 1, 1);
  const { snapshot } = await browser.call('browser_navigate', { url: pages.url });
  await browser.call('browser_click', { ref: refOf(snapshot, 'Open') });
  assert.match(JSON.stringify(await browser.call('browser_snapshot')), /Two/);
  await browser.session.close();
  const films = readdirSync(folder).filter((name) => name !== 'mine.webm');
  assert.equal(films.length, 1, films.join(' '));
  assert.match(films[0] ?? '', /^session_\d{8}_\d{6}_[\da-f]{8}\.webm$/);
  const film = join(folder, films[0] ?? '');
  assert.equal(statSync(film).mode & 0o077, 0);
  const asked = [
    '-v',
    'error',
    '-count_frames',
    '-show_entries',
    'stream=codec_name,width,nb_read_frames',
    '-of',
    'csv=p=0',
  ];
  const [codec, width, frames] = execFileSync('/usr/bin/ffprobe', [...asked, film], { encoding: 'utf8' })
    .trim()
    .split(',');
  assert.deepEqual([codec, width], ['vp8', '1280']);
  assert.ok(Number(frames) >= 2, frames);
  assert.deepEqual(hosts, [new URL(pages.url).host]);
});
