/** Directories with files in them, and facts for a prompt. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { builtInIdentity } from '../../src/config/soul.ts';
import { ruleNames, type RuleTextLimits } from '../../src/prompt/rule-text.ts';
import type { PromptTool } from '../../src/prompt/guidance.ts';
import type { PromptFacts } from '../../src/prompt/system-prompt.ts';
import { toolCatalogue } from '../../src/tools/catalogue.ts';

/** A directory that goes with the test, filled with files by relative path. */
export function directoryWith(t: TestContext, files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-prompt-')));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) put(directory, path, content);
  return directory;
}

export function put(directory: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

/** The limits of a session; its scan knows two rules. */
export function limits(changes: Partial<RuleTextLimits> = {}): RuleTextLimits {
  return {
    scan: (text) => [
      ...(/ignore previous instructions/i.test(text) ? [{ rule: 'prompt_injection' }] : []),
      ...(text.includes('\u200b') ? [{ rule: 'invisible unicode U+200B' }] : []),
    ],
    maxChars: 20_000,
    names: ruleNames(''),
    ...changes,
  };
}

const catalogue = await Promise.all(toolCatalogue.map((entry) => entry.load()));

/** Tools of the catalogue by name, in its order. */
function toolsNamed(names: readonly string[]): readonly PromptTool[] {
  return catalogue.filter(({ name }) => names.includes(name));
}

const allTools = ['terminal', 'read_file', 'write_file', 'patch', 'search_files', 'todo', 'memory', 'skill_view'];

export type FactChanges = Partial<Omit<PromptFacts, 'tools'>> & { readonly tools?: readonly string[] };

export function facts({ tools = allTools, ...changes }: FactChanges = {}): PromptFacts {
  return {
    profile: 'default',
    identity: builtInIdentity,
    tools: toolsNamed(tools),
    completionGuidance: true,
    parallelGuidance: true,
    toolUseEnforcement: 'auto',
    skillsIndex: '',
    environment: { kind: 'local', platform: 'Linux 6.1', home: '/home/ada', cwd: '/home/ada/work' },
    surface: 'cli',
    platformHints: {},
    deploymentText: '',
    systemMessage: '',
    projectContext: '',
    coding: { rules: '', snapshot: '', instructions: '' },
    memory: '',
    userProfile: '',
    externalMemory: '',
    model: 'claude-sonnet-4-6',
    provider: 'anthropic',
    startedAt: new Date('2026-03-30T14:30:00Z'),
    timeZone: 'UTC',
    ...changes,
  };
}
