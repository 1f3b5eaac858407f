/** Research with pages that mean no harm: nobody is asked anything, also when it goes on another day or through a sub-agent. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chatAt, placeFor } from '../runtime/support.ts';
import { startSite } from '../tools/web/site.ts';
import { type Order, startObedientModel, written } from './obedient-model.ts';

const search = (query: string): Order => ({ name: 'web_search', arguments: { query } });
const extract = (...urls: string[]): Order => ({ name: 'web_extract', arguments: { urls } });

test('to search, read what was found, follow a link, write it down and go on later asks nothing', async (t) => {
  const site = await startSite(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    const isSearch = pathname === '/search';
    response.setHeader('content-type', isSearch ? 'application/json' : 'text/html');
    const found = ['a', 'b'].map((name) => ({
      url: `${site.url}/${searchParams.get('q')}-${name}?from=search`,
      title: name,
      content: 'tea',
      score: 1,
    }));
    response.end(isSearch ? JSON.stringify({ results: found }) : '<p>Tea. <a href="/more?page=2">more</a></p>');
  });
  await using model = await startObedientModel();
  const place = placeFor(t, model, 'security:\n  allow_private_urls: true\n', { env: { SEARXNG_URL: site.url } });
  const write = (path: string): Order => ({ name: 'write_file', arguments: { path, content: 'Tea is a plant.\n' } });
  const asked: string[] = [];
  const day = async (...orders: Order[]): Promise<void> => {
    const chat = await chatAt(place, { present: true });
    await chat.say(`Find out about tea.\n${orders.map(written).join('\n')}`);
    asked.push(...chat.asked.map(({ command, reasons }) => `${command}: ${reasons.join('; ')}`));
    await chat.leave();
  };
  await day(
    search('tea'),
    extract(`${site.url}/tea-a?from=search`, `${site.url}/tea-b?from=search`),
    extract(`${site.url}/more?page=2`),
    search('green'),
    {
      name: 'delegate_task',
      arguments: { goal: `Read this.\n${written(extract(`${site.url}/green-a?from=search`))}` },
    },
    write('report.md'),
    { name: 'terminal', arguments: { command: 'wc -l report.md' } },
  );
  await day(
    { name: 'read_file', arguments: { path: 'report.md' } },
    search('black'),
    extract(`${site.url}/black-a?from=search`),
    { name: 'patch', arguments: { path: 'report.md', old_string: 'Tea', new_string: 'Black tea' } },
    { name: 'terminal', arguments: { command: 'mkdir -p old && cp report.md old/' } },
  );
  assert.deepEqual(asked, []);
  const read = site.requests.map(({ url }) => url);
  for (const path of ['/tea-b', '/more', '/green-a', '/black-a']) {
    assert.ok(
      read.some((url) => url?.startsWith(path)),
      `${path} of ${read.join()}`,
    );
  }
  assert.match(readFileSync(join(place.work, 'report.md'), 'utf8'), /Black tea/);
  assert.ok(existsSync(join(place.work, 'old', 'report.md')));
});
