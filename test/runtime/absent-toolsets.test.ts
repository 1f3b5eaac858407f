/** Tools that need what is not set up are not even loaded; what is set up brings them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lazyConfig } from '../../src/config/lazy-config.ts';
import type { Variables } from '../../src/config/variables.ts';
import { absentToolsets } from '../../src/runtime/absent-toolsets.ts';
import { chooseTools } from '../../src/runtime/choose-tools.ts';

async function toolsFor(env: Variables, settings: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> {
  const config = lazyConfig(new Map(Object.entries(settings)));
  const { tools } = await chooseTools(
    config,
    { surface: 'cli', toolsets: ['image_gen', 'video_gen', 'homeassistant'] },
    { absent: absentToolsets(config, env) },
  );
  // Those of xAI alone are offered only where it makes the videos.
  return tools.map(({ name }) => name).filter((name) => !name.startsWith('xai_video'));
}

test('without a key or a server neither pictures nor videos nor the house have tools', async () => {
  assert.deepEqual(await toolsFor({}), []);
});

test('a key brings the tools of its service, and only when that service is the chosen one', async () => {
  assert.deepEqual(await toolsFor({ FAL_KEY: 'fal-1' }), ['image_generate', 'video_generate']);
  assert.deepEqual(await toolsFor({ OPENAI_API_KEY: 'sk-1' }), []);
  assert.deepEqual(await toolsFor({ OPENAI_API_KEY: 'sk-1' }, { image_gen: { provider: ' OpenAI ' } }), [
    'image_generate',
  ]);
});

test('no session has a tool that writes to other chats or to the board, whatever it asks for', async () => {
  for (const surface of ['cli', 'telegram', 'api_server', 'cron']) {
    for (const toolsets of [undefined, ['all'], ['messaging', 'send_message', 'all']]) {
      const { tools } = await chooseTools(lazyConfig(new Map()), {
        surface,
        ...(toolsets === undefined ? {} : { toolsets }),
      });
      const names = tools.map(({ name }) => name);
      assert.ok(names.includes('read_file'), surface);
      assert.deepEqual(
        names.filter((name) => name === 'send_message' || name.startsWith('kanban_')),
        [],
        `${surface} ${toolsets?.join()}`,
      );
    }
  }
});

test('speech is there by itself, and gone where the one that is chosen has no key or is not installed', async () => {
  const withSpeech = async (tts: object, env: Variables) => {
    const config = lazyConfig(new Map([['tts', { speed: 1, ...tts }]]));
    const { tools } = await chooseTools(
      config,
      { surface: 'cli', toolsets: ['tts'] },
      { absent: absentToolsets(config, env) },
    );
    return tools.length;
  };
  assert.equal(await withSpeech({ provider: 'edge' }, {}), 1);
  assert.equal(await withSpeech({ provider: 'openai' }, {}), 0);
  assert.equal(await withSpeech({ provider: 'openai' }, { OPENAI_API_KEY: 'sk-1' }), 1);
  assert.equal(await withSpeech({ provider: 'espeak' }, { PATH: '/nowhere' }), 0);
});

test('a token brings the tools of the house', async () => {
  assert.deepEqual(
    (await toolsFor({ HASS_TOKEN: 'token' })).map((name) => name.slice(0, 3)),
    ['ha_', 'ha_', 'ha_', 'ha_'],
  );
});

test('a tool of a plug-in stays, whatever its toolset is called', async () => {
  const { todoTool } = await import('../../src/tools/todo/todo.ts');
  const config = lazyConfig(new Map());
  const { tools } = await chooseTools(
    config,
    { surface: 'cli', toolsets: ['image_gen'] },
    { plugged: [{ ...todoTool, name: 'paint', toolset: 'image_gen' }], absent: absentToolsets(config, {}) },
  );
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['paint'],
  );
});
