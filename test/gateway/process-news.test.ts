/** What a chat hears of processes that its agent left running. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openGateway } from './support.ts';

const quiet = 'auxiliary:\n  title_generation:\n    enabled: false\n';
const display = (more: string): string =>
  `${quiet}display:\n${more}  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n`;
const start = (command: string) => ({
  name: 'terminal',
  arguments: { command, background: true, notify_on_complete: true },
});

for (const [mode, wanted] of [
  ['all', [0, 3]],
  ['result', [0, 3]],
  ['error', [3]],
] as const)
  test(`with background_process_notifications ${mode} the agent is told of the end and answers in the chat`, async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'I see.' }) });
    server.enqueue({ toolCalls: [start('true'), start('echo broken; exit 3')] }, { text: 'Started.' });
    const config = display(`  background_process_notifications: ${mode}\n`);
    const { fake } = await openGateway(t, server, { config });
    await fake.say('build it');
    const news = (): string =>
      server.requests
        .slice(2)
        .map(({ rawBody }) => rawBody)
        .join('\n');
    await fake.until(() => wanted.every((code) => news().includes(`(exit code ${code})`)));
    await fake.until(() => fake.texts().at(-1) === 'I see.');
    assert.match(
      news(),
      /\[IMPORTANT: Background process proc_[0-9a-f]{12} ended \(exit code 3\)\.\\nCommand: echo broken/,
    );
    assert.equal(news().includes('(exit code 0)'), wanted.length === 2);
  });
