/** A voice message that is stopped while a program still listens to it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { RunCommands } from '../../src/gateway/commands/run-commands.ts';
import { openMedia } from '../../src/gateway/media/open-media.ts';
import { isRunning } from '../../src/lib/is-running.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { placeFor } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';
import { openGateway } from './support.ts';

const skip = process.platform === 'win32' ? 'programs that hear are not run on Windows' : false;
const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  busy_ack_enabled: false\n  platforms:\n    fake:\n      streaming: false\n';

test('/stop ends the program that listens to a voice message, and the next message is answered', {
  skip,
}, async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const place = placeFor(t, server, `${quiet}stt: {provider: local_command}\n`, {
    env: { HERMES_LOCAL_STT_COMMAND: 'echo $$ > $HOME/pid.part; mv $HOME/pid.part $HOME/pid; exec sleep 3600' },
  });
  const fake = new ChatService({ files: true });
  fake.sent.set('r', Buffer.from('RIFF'));
  const commands = new RunCommands({
    version: '0',
    startedAt: 0,
    saveVariables: () => Promise.resolve(),
    restart: () => false,
  });
  await openGateway(t, server, { place, fake, commands, media: (program) => openMedia(program) });
  const voice = { kind: 'voice', reference: 'r', mime_type: 'audio/wav', name: 'a.wav' } as const;
  await fake.say('', { attachments: [voice] });
  const file = join(dirname(place.homePath), 'pid');
  while (!existsSync(file)) await sleep(5);
  const pid = Number(readFileSync(file, 'utf8'));
  assert.equal(isRunning(pid), true);
  await fake.say('/stop');
  await fake.until(() => fake.texts().length === 2);
  while (isRunning(pid)) await sleep(5);
  await fake.say('hi');
  await fake.until(() => fake.texts().includes('hello'));
  assert.match(fake.texts().join('\n'), /Stopped, so this is not answered/);
  assert.equal(server.requests.length, 1);
});
