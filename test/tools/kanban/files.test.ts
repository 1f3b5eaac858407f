/** Files of tasks: given as they are, or read from the web through the one way out. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startSite } from '../web/site.ts';
import { attachmentsFolder, call, office, said } from './support.ts';

test('a file is attached from base64, listed with its path, and what is no base64 is refused', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task);
  const content = Buffer.from('3 cups').toString('base64');
  const file = { filename: '../list.md', content_base64: content, content_type: 'text/markdown' };
  const added = await call(place, chat, 'kanban_attach', file);
  assert.deepEqual(added, { ok: true, task_id: task.id, attachment_id: 1, size: 6 });
  const { attachments, ...rest } = await call(place, chat, 'kanban_attachments');
  assert.deepEqual(rest, { ok: true, task_id: task.id });
  const [listed] = Array.isArray(attachments) ? attachments : [];
  const path = `${attachmentsFolder(place, task)}/list.md`;
  assert.deepEqual(
    { ...Object(listed), created_at: 0 },
    {
      id: 1,
      filename: 'list.md',
      content_type: 'text/markdown',
      size: 6,
      uploaded_by: 'agent',
      stored_path: path,
      created_at: 0,
    },
  );
  assert.equal(readFileSync(path, 'utf8'), '3 cups');
  for (const wrong of ['', 'a', '<html>', 'YQ=', '====']) {
    const refusal = await call(place, chat, 'kanban_attach', { filename: 'x', content_base64: wrong });
    assert.match(said(refusal), /not valid base64/, wrong);
  }
  const shown = await call(place, chat, 'kanban_show');
  assert.ok(said(shown, 'worker_context').includes(`- list.md, text/markdown, 1 KB: ${path}`));
});

test('a file of the web is attached where this network may be asked, and nothing of it where not', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const asked: string[] = [];
  const site = await startSite(t, (request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/gone.pdf') response.statusCode = 404;
    if (request.url === '/away') {
      response.statusCode = 302;
      response.setHeader('location', 'http://169.254.169.254/latest/meta-data');
    }
    response.setHeader('content-type', 'application/pdf; charset=x');
    response.end('%PDF');
  });
  const open = await place.worker(task, { config: 'security: {allow_private_urls: true}\n' });
  const added = await call(place, open, 'kanban_attach_url', { url: `${site.url}/a/cups%20new.pdf?x=1` });
  assert.deepEqual(added, { ok: true, task_id: task.id, attachment_id: 1, size: 4 });
  const gone = await call(place, open, 'kanban_attach_url', { url: `${site.url}/gone.pdf` });
  assert.match(said(gone), /HTTP status 404/);
  const away = await call(place, open, 'kanban_attach_url', { url: `${site.url}/away` });
  assert.match(said(away), /redirects to an address that is not asked/);
  const { attachments } = await call(place, open, 'kanban_attachments');
  assert.match(JSON.stringify(attachments), /"filename":"cups new\.pdf","content_type":"application\/pdf"/);
  // The site has chosen what it calls its file.
  const after = await call(place, open, 'kanban_attach_url', { url: `${site.url}/more.pdf` });
  assert.match(said(after), /after text from outside entered/);
  await open.leave();

  const closed = await place.worker(task);
  const count = asked.length;
  for (const url of [`${site.url}/b.pdf`, 'http://169.254.169.254/', 'file:///etc/passwd', 'ftp://example.com/x']) {
    assert.match(said(await call(place, closed, 'kanban_attach_url', { url })), /Nothing was read|No answer/, url);
  }
  assert.equal(asked.length, count);
  assert.ok(!existsSync(`${attachmentsFolder(place, task)}/b.pdf`));
});
