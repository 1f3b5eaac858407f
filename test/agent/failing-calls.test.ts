/** What a turn keeps in view of edits that fail: those that were never made good are named under the answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, call, collect, contentOf, editingTool } from './support.ts';

const failedEdit = editingTool('patch', () => ({ value: { success: false, error: 'no match' } }));

test('a failed edit that was never made good is named under the answer', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('patch', { path: 'a.txt' })] }, { text: 'All done!' });
  const { agent } = agentOn(server, { tools: [failedEdit] });
  const { result } = await collect(agent.run('go'));
  assert.equal(
    result.finalResponse,
    'All done!\n\n⚠️ File-mutation verifier: 1 file(s) were NOT modified this turn\n- `a.txt` (error)',
  );
});

test('the list of failed edits is streamed with the answer, and the next request does not carry it', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('patch', { path: 'a.txt' })] }, { text: 'All done!' }, { text: 'Yes.' });
  const { agent, transcript } = agentOn(server, { tools: [failedEdit] });
  const { result, events } = await collect(agent.run('go'));
  const shown = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
  assert.match(shown, /NOT modified/);
  assert.equal(shown, result.finalResponse);
  assert.equal(contentOf(transcript.messages.at(-1)), 'All done!');
  const next = await collect(agent.run('really?'));
  assert.equal(next.result.finalResponse, 'Yes.');
  assert.doesNotMatch(server.lastRequest.rawBody, /NOT modified/);
});

test('failed edits are named under whatever text a turn ends with', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('patch', { path: 'a.txt' })] }) });
  const { agent } = agentOn(server, { tools: [failedEdit] });
  const { result, events } = await collect(agent.run('go'));
  assert.match(result.finalResponse ?? '', /failed 3 times[\s\S]*\n\n⚠️ File-mutation verifier: 1 file/);
  const shown = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
  assert.equal(shown, result.finalResponse);
});

test('an edit that failed is made good by one of the same file under another spelling', async () => {
  await using server = await startModelServer();
  server.enqueue(
    { toolCalls: [call('patch', { path: 'a.txt' })] },
    { toolCalls: [call('patch', { path: 'b.txt' })] },
    { toolCalls: [call('write_file', { path: './sub/../a.txt' })] },
    { text: 'done' },
  );
  const { agent } = agentOn(server, {
    tools: [failedEdit, editingTool('write_file', () => ({ value: { bytes_written: 1 } }))],
  });
  const { result } = await collect(agent.run('go'));
  assert.match(result.finalResponse ?? '', /1 file\(s\) were NOT modified this turn\n- `b\.txt` \(error\)$/);
});

test('of an edit of several files that failed in part, only what was left undone is named', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('patch', { path: '' })] }, { text: 'done' });
  const inPart = {
    value: { success: false, error: 'left: hunk 1 was not found' },
    changedFiles: ['/work/changed', '/work/made', '/work/gone'],
  };
  const tool = editingTool('patch', () => inPart, ['changed', 'made', 'gone', 'left']);
  const { agent } = agentOn(server, { tools: [tool] });
  const { result } = await collect(agent.run('go'));
  assert.match(result.finalResponse ?? '', /: 1 file\(s\) were NOT modified this turn\n- `left` \(error\)$/);
});

test('calls whose arguments do not fit are the same only when the arguments are', async () => {
  await using server = await startModelServer();
  for (const wrong of [{}, { path: {} }, { paht: 'a' }]) server.enqueue({ toolCalls: [call('patch', wrong)] });
  server.enqueue({ text: 'gave up' });
  const { agent } = agentOn(server, { tools: [failedEdit] });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'gave up');
});
