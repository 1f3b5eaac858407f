/** What a session's own home, project, memory and skills make of its prompt. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { noLog } from '../../src/lib/log.ts';
import { createMemoryStore } from '../../src/memory/memory-store.ts';
import { joinParts } from '../../src/prompt/system-prompt.ts';
import type { PromptSpec } from '../../src/runtime/session-spec.ts';
import { type PromptRequest, sessionPromptParts } from '../../src/runtime/session-prompt.ts';
import { createToolServices } from '../../src/runtime/tool-services.ts';
import { skillEnvironment } from '../../src/config/skill-settings.ts';
import { createSkillLibrary } from '../../src/skills/skill-library.ts';
import { toolCatalogue } from '../../src/tools/catalogue.ts';
import type { Knowledge } from '../../src/tools/services.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { plainSettings } from '../skills/support.ts';
import { put } from './support.ts';

interface Request extends PromptRequest {
  readonly model?: string;
  readonly contextLength?: number;
  readonly spec?: PromptSpec;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly toolsets?: readonly string[];
}

/** A home and a project with one of everything. */
async function place(t: TestContext) {
  const { home, env, write } = temporaryHome(t);
  const cwd = join(home.path, '..', 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  put(home.path, 'SOUL.md', 'You are Ada.');
  put(home.path, 'memories/MEMORY.md', 'The server is called bert.\n§\nBuild with make.');
  put(home.path, 'memories/USER.md', 'Likes short answers.');
  put(home.path, 'skills/notes/journal/SKILL.md', '---\nname: journal\ndescription: A day in a page.\n---\nWrite.\n');
  put(
    home.path,
    'skills/web/surf/SKILL.md',
    '---\nname: surf\ndescription: Browse.\nmetadata:\n  hermes:\n    requires_toolsets: [spotify]\n---\nGo.\n',
  );
  put(cwd, 'AGENTS.md', 'Use tabs.');
  const tools = await Promise.all(toolCatalogue.map((entry) => entry.load()));
  return {
    home,
    cwd,
    prompt: async ({
      model = 'claude-sonnet-4-6',
      contextLength,
      spec = {},
      env: more,
      config,
      toolsets,
      ...request
    }: Request = {}) => {
      write('config.yaml', config ?? '');
      const all = {
        home,
        env: { ...env, ...more },
        config: await loadConfig({ home, env: { ...env, ...more } }),
        cwd,
        surface: 'cli',
        prompt: spec,
        store: undefined,
        log: noLog,
      };
      const available = {
        tools: new Set(tools.map(({ name }) => name)),
        toolsets: new Set(tools.map(({ toolset }) => toolset)),
      };
      const basic = createToolServices(all, 's1');
      t.after(() => basic.environment.close());
      const knowledge: Knowledge = {
        skills: createSkillLibrary({
          homePath: home.path,
          settings: plainSettings,
          surface: 'cli',
          environment: skillEnvironment(env),
          available: () => available,
        }),
        memory: {
          store: createMemoryStore({
            homePath: home.path,
            limits: { memory: 2200, user: 1375 },
            enabled: { memory: true, user: true },
          }),
          origin: 'foreground',
        },
      };
      const services = { ...basic, knowledge };
      const chosen = toolsets === undefined ? tools : tools.filter(({ toolset }) => toolsets.includes(toolset));
      const parts = {
        ...all,
        tools: chosen,
        route: { model, provider: 'anthropic', ...(contextLength && { contextLength }) },
      };
      return joinParts(await sessionPromptParts(parts, services, 's1', request));
    },
  };
}

test('skills, platform, project, memory and start follow each other', async (t) => {
  const { prompt } = await place(t);
  const text = await prompt();
  const marks = [
    'You are Ada.',
    '<available_skills>',
    'terminal: simple',
    '# Project Context',
    'MEMORY (',
    'USER PROFILE (',
    'Conversation started:',
  ];
  const found = marks.map((mark) => text.indexOf(mark));
  assert.ok(!found.includes(-1), found.join());
  assert.deepEqual(
    found,
    [...found].sort((a, b) => a - b),
  );
  assert.equal(text.split('You are Ada.').length, 2);
  assert.match(
    text,
    /\n═{46}\nMEMORY \(your personal notes\) \[2% — 45\/2,200 chars\]\n═{46}\nThe server is called bert\.\n§\nBuild with make\./,
  );
});

test('a child that skips files and memory sees neither SOUL.md nor AGENTS.md text', async (t) => {
  const { prompt } = await place(t);
  const child = await prompt({ skipContextFiles: true, skipMemory: true });
  assert.match(child, /^You are Hermes Agent/);
  assert.doesNotMatch(child, /Ada|Use tabs|MEMORY \(|USER PROFILE/);
});

test('--ignore-rules leaves out SOUL.md, project files and memory', async (t) => {
  const { prompt } = await place(t);
  assert.doesNotMatch(await prompt({ spec: { ignoreRules: true } }), /Ada|Use tabs|MEMORY \(|USER PROFILE/);
});

test('what whoever deployed it and the caller say stands in its tier', async (t) => {
  const { prompt } = await place(t);
  const text = await prompt({
    spec: { systemMessage: 'CALLER' },
    externalMemory: () => Promise.resolve('RECALL'),
    env: { HERMES_AGENT_HELP_GUIDANCE: 'HELP' },
  });
  assert.match(
    text,
    /HELP\n\nCALLER\n\n# Project Context[\s\S]*Likes short answers\.\n\nRECALL\n\nConversation started/,
  );
});

test('a skill whose toolset is off is not advertised, and none is without the tools for skills', async (t) => {
  const { prompt } = await place(t);
  const text = await prompt();
  assert.match(text, /- journal: A day in a page\./);
  assert.doesNotMatch(text, /surf/);
  assert.doesNotMatch(await prompt({ toolsets: ['terminal', 'file'] }), /available_skills/);
});

test('configuration decides on enforcement, hints, limits and names of rule files', async (t) => {
  const { prompt } = await place(t);
  assert.match(
    await prompt({ model: 'Qwen3', config: 'agent:\n  tool_use_enforcement: [qwen]\n' }),
    /# Tool-use enforcement/,
  );
  assert.match(await prompt({ config: 'platform_hints:\n  cli:\n    replace: HINT\n' }), /\n\nHINT\n\n# Project/);
  assert.equal(await prompt({ config: 'platform_hints: nonsense\n' }), await prompt());
  assert.match(await prompt({ config: 'context_file_max_chars: 5\n' }), /kept 3\+1 of 9 chars/);
  assert.doesNotMatch(await prompt({ env: { HERMES_MD_NAMES: 'CLAUDE.md' } }), /Use tabs/);
});

test('a project file has the room that the window leaves it, unless it is configured', async (t) => {
  const { prompt, cwd } = await place(t);
  const rules = 'Use tabs. '.repeat(2500).trim();
  put(cwd, 'AGENTS.md', rules);
  const warnings: string[] = [];
  const onWarning = (line: string) => void warnings.push(line);
  assert.match(await prompt({ onWarning }), /kept 14000\+4000 of 24999 chars/, 'the window is not known');
  assert.match(await prompt({ onWarning, contextLength: 80_000 }), /kept 14000\+4000 of 24999/);
  assert.deepEqual(
    warnings,
    Array(2).fill(
      `${join(cwd, 'AGENTS.md')}: only its start and end reach the model, it is longer than 20,000 characters.`,
    ),
  );
  assert.ok((await prompt({ contextLength: 200_000 })).includes(rules));
  assert.match(await prompt({ contextLength: 200_000, config: 'context_file_max_chars: 20000\n' }), /kept 14000\+4000/);
  put(cwd, 'AGENTS.md', 'x'.repeat(600_000));
  assert.match(await prompt({ contextLength: 10_000_000 }), /kept 350000\+100000 of 600000/, 'half a million at most');
});

test('broken files are warnings, and the prompt is made all the same', async (t) => {
  const { prompt, cwd, home } = await place(t);
  put(cwd, 'AGENTS.md', new Uint8Array([0, 1]));
  put(home.path, 'SOUL.md', new Uint8Array([0, 1]));
  const warnings: string[] = [];
  assert.match(await prompt({ onWarning: (line) => void warnings.push(line) }), /^You are Hermes Agent/);
  assert.equal(warnings.length, 2);
});
