/** A conversation whose commands run on another host reads there what its sub-agents left here. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headless } from '../../../src/agent/human.ts';
import { noSshServer, startSshServer } from '../../environments/ssh-server.ts';
import { makeDirectory } from '../../environments/support.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { openChat, textOf } from '../support.ts';
import { goalOf, isChild, toldIn } from './support.ts';

test('the whole summary and the record of a sub-agent can be read over ssh, and nothing of other conversations is there', {
  skip: noSshServer() ?? false,
}, async (t) => {
  const long = `Begin. ${'word word word word word\n'.repeat(300)}The end.`;
  let path = '';
  await using server = await startModelServer({
    respond(request) {
      if (isChild(request)) return { text: goalOf(request) === 'tell' ? long : 'Of somebody else.' };
      const told = textOf(request.body.messages.at(-1));
      const [verb, goal] = told.split(' ');
      if (verb === 'delegate') return { toolCalls: [{ name: 'delegate_task', arguments: { goal } }] };
      return verb === 'read' ? { toolCalls: [{ name: 'read_file', arguments: { path } }] } : { text: 'Thank you.' };
    },
  });
  const scratch = makeDirectory(t);
  const ssh = await startSshServer(t, scratch);
  const programs = makeDirectory(t);
  // The files of ssh are looked for in the home of the account, whatever HOME says.
  writeFileSync(join(programs, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${ssh.clientArgs.join(' ')} "$@"\n`);
  chmodSync(join(programs, 'ssh'), 0o755);
  const config = `terminal: {backend: ssh, ssh_host: 127.0.0.1, ssh_user: ${ssh.user}, ssh_port: ${ssh.port}, ssh_key: ${ssh.key}}\ndelegation:\n  max_summary_chars: 3000\n`;
  const env = { PATH: `${programs}:${process.env['PATH']}` };
  const chat = await openChat(t, server, config, { env, present: true });
  const other = await chat.program.openSession({ surface: 'cli', human: headless });
  await other.agent.runConversation('delegate else');
  await chat.say('delegate tell');
  const [entry = {}] = toldIn(chat).results;
  path = String(entry['summary_full_path']);
  assert.match(path, /^~\/\.hermes\/cache\/delegation\/subagent-summary-/);
  assert.ok(String(entry['summary']).includes(path), 'the summary names the same place');
  await chat.say('read it');
  assert.match(textOf(server.lastRequest.body.messages.at(-1)), /The end\./);
  assert.ok(
    (await chat.store.sessions.sources(chat.session.id)).some(({ name }) => name === 'the record of a sub-agent'),
  );
  path = String(entry['live_transcript']);
  await chat.say('read that');
  assert.match(textOf(server.lastRequest.body.messages.at(-1)), /status=completed/);
  const there = join(ssh.home, '.hermes/cache/delegation/live');
  assert.ok(existsSync(there));
  assert.equal(readdirSync(there).length, 1);
  await other.close('cli_close');
});
