/** What a turn keeps in view of calls that fail: edits that were never made good, and the same call again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, call, collect, contentOf, editingTool, errorOf, testTool } from './support.ts';

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
  assert.match(result.finalResponse ?? '', /failed 3 times in a row[\s\S]*\n\n⚠️ File-mutation verifier: 1 file/);
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

test('the same failing call three times in a row ends the turn and says so', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('flaky', { a: 1 })] }) });
  const { agent } = agentOn(server, { tools: [testTool('flaky', () => ({ error: 'nope' }))] });
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 3);
  assert.match(errorOf(result), /same `flaky` call failed 3 times/);
});

test('a failing call counts as the same when only the text of its failure differs', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('flaky', { a: 1 })] }) });
  let pid = 4000;
  const { agent } = agentOn(server, { tools: [testTool('flaky', () => ({ error: `process ${(pid += 1)} died` }))] });
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 3);
  assert.match(result.finalResponse ?? '', /same `flaky` call failed 3 times in a row/);
});

test('failing calls with other arguments, or with another call between them, do not end the turn', async () => {
  await using server = await startModelServer();
  const flaky = (a: number) => ({ toolCalls: [call('flaky', { a })] });
  const other = { toolCalls: [call('fine')] };
  server.enqueue(flaky(1), flaky(2), flaky(1), flaky(1), other, flaky(1), flaky(1), { text: 'gave up' });
  const { agent } = agentOn(server, {
    tools: [testTool('flaky', () => ({ error: 'nope' })), testTool('fine', () => 'ok')],
  });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'gave up');
});

test('calls whose arguments do not fit are the same only when the arguments are', async () => {
  await using server = await startModelServer();
  for (const wrong of [{}, { path: {} }, { paht: 'a' }]) server.enqueue({ toolCalls: [call('patch', wrong)] });
  server.enqueue({ text: 'gave up' });
  const { agent } = agentOn(server, { tools: [failedEdit] });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'gave up');
});
