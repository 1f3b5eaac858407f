/** What the owner hands on to commands by name, and what is told of names that have no effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { forwardableNames, passableNames, withheldVariables } from '../../src/runtime/passed-variables.ts';
import { temporaryHome } from '../config/temporary-home.ts';

const settings = `terminal:
  backend: docker
  env_passthrough: [MY_TOKEN, SLACK_BOT_TOKEN, OPENAI_API_KEY]
  docker_forward_env: [GITHUB_TOKEN, WEBHOOK_SECRET]
`;

test('what is the agent’s own is not handed on, which is told in one line for each that is set', async (t) => {
  const { home, env: bare, write } = temporaryHome(t);
  write('config.yaml', settings);
  const env = { ...bare, MY_TOKEN: 'a', SLACK_BOT_TOKEN: 'b', GITHUB_TOKEN: 'c', WEBHOOK_SECRET: 'd' };
  const config = await loadConfig({ home, env });
  const logged: string[] = [];
  const log: Log = { ...noLog, warning: (message) => void logged.push(message) };
  assert.deepEqual(passableNames({ config, env, log }), ['MY_TOKEN']);
  assert.deepEqual(forwardableNames({ config, env, log }), ['GITHUB_TOKEN']);
  const lines = withheldVariables({ config, env });
  assert.deepEqual(
    lines.map((line) => /^(\S+): (\S+) is not handed on: it is the agent's own/.exec(line)?.slice(1)),
    [
      ['terminal.env_passthrough', 'SLACK_BOT_TOKEN'],
      ['terminal.docker_forward_env', 'WEBHOOK_SECRET'],
    ],
  );
  assert.deepEqual(logged, lines);
});
