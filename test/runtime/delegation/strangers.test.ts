/** What sub-agents may ask the web for: a task is the model's words, and a page may have chosen them. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startModelServer, type Step } from '../../fakes/model-server.ts';
import { startSite } from '../../tools/web/site.ts';
import { chatAt, placeFor } from '../support.ts';
import { isChild } from './support.ts';

const open = 'security:\n  allow_private_urls: true\n';
const page = (url: string): Step => ({ toolCalls: [{ name: 'web_extract', arguments: { urls: [url] } }] });
const read = (path: string): Step => ({ toolCalls: [{ name: 'read_file', arguments: { path } }] });

async function aSite(t: TestContext) {
  return await startSite(t, (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<p>Tea. <a href="/found?cup=2">more</a></p>');
  });
}

/** The model takes these steps, then hands an address to a sub-agent, which reads it. */
function handingOn(before: readonly Step[], url: string) {
  const steps: Step[] = [...before, { toolCalls: [{ name: 'delegate_task', arguments: { goal: `Read ${url}` } }] }];
  const childs: Step[] = [page(url)];
  return (request: Parameters<typeof isChild>[0]): Step =>
    (isChild(request) ? childs : steps).shift() ?? { text: 'Done.' };
}

for (const [what, before, handed, says, isRead] of [
  ['after a page an address that the model made up is not read', 'page', 'stranger', 'sum up', false],
  ['nor is one with something in it after a file', 'file', 'carrying', 'sum up', false],
  ['an address that the person wrote is', 'page', 'stranger', 'said', true],
  ['so is a link of a page that was read before', 'page', 'link', 'sum up', true],
  ['and anything in a clean conversation', undefined, 'carrying', 'sum up', true],
] as const) {
  test(`of a task for a sub-agent, ${what}`, async (t) => {
    const [known, stranger] = [await aSite(t), await aSite(t)];
    const url = {
      stranger: `${stranger.url}/hello`,
      carrying: `${stranger.url}/?read=SECRET4713`,
      link: `${known.url}/found?cup=2`,
    }[handed];
    const steps = { page: [page(`${known.url}/tea`)], file: [read('notes.txt')] };
    await using server = await startModelServer({
      respond: handingOn(before === undefined ? [] : steps[before], url),
    });
    const place = placeFor(t, server, open);
    place.put('notes.txt', 'tea\n');
    const chat = await chatAt(place);
    await chat.say(says === 'said' ? `compare ${known.url} and ${url}` : 'sum up');
    const site = handed === 'link' ? known : stranger;
    const asked = site.requests.map((request) => `${site.url}${request.url}`);
    assert.equal(asked.includes(url), isRead, asked.join());
    assert.ok(server.requests.some(isChild));
  });
}
