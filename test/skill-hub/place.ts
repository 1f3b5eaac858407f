/** A home with a hub whose GitHub is a fake. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { skillSourceSettings } from '../../src/config/skill-settings.ts';
import { type Hub, openHub } from '../../src/skill-hub/hub.ts';
import { type Install, type InstallRequest, installSkill } from '../../src/skill-hub/install.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type GithubServer, startGithub } from '../fakes/github-server.ts';

export function skillText(name: string, body = 'Do it well.'): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\n# ${name}\n\n${body}\n`;
}

export interface HubPlace {
  readonly hub: Hub;
  readonly github: GithubServer;
  readonly homePath: string;
  readonly options: Install;
  /** How often the person was asked. */
  readonly asked: string[];
  install(identifier: string, request?: InstallRequest): ReturnType<typeof installSkill>;
  inSkills(path: string): string;
  /** Everything below `skills/` but the hub's own files, sorted. */
  files(): string[];
  hubFile(name: string): string;
}

export const signal = new AbortController().signal;

export async function openPlace(t: TestContext, env: Record<string, string> = {}): Promise<HubPlace> {
  const { home } = temporaryHome(t);
  const github = await startGithub();
  t.after(() => github[Symbol.asyncDispose]());
  const asked: string[] = [];
  const hub = openHub({
    homePath: home.path,
    settings: skillSourceSettings({
      HOME: join(home.path, '..'),
      HERMES_BUNDLED_SKILLS: join(home.path, '..', 'bundle'),
      ...env,
    }),
    cwd: join(home.path, '..'),
    github: github.addresses,
    registries: { clawhub: github.addresses.api, lobehub: github.addresses.api, browseSh: github.addresses.api },
    download: { localHosts: [github.host], timeoutMs: 3_000 },
  });
  const options: Install = {
    homePath: home.path,
    now: () => new Date('2026-01-31T09:00:00Z'),
    confirm: ({ name }) => {
      asked.push(name);
      return Promise.resolve(true);
    },
  };
  const inSkills = (path: string): string => join(home.path, 'skills', path);
  return {
    hub,
    github,
    homePath: home.path,
    options,
    asked,
    install: async (identifier, request = {}) => installSkill(await hub.fetch(identifier, signal), request, options),
    inSkills,
    files: () =>
      existsSync(inSkills(''))
        ? readdirSync(inSkills(''), { recursive: true, withFileTypes: true })
            .filter((entry) => !entry.isDirectory())
            .map((entry) => join(entry.parentPath, entry.name).slice(inSkills('').length + 1))
            .filter((path) => !path.startsWith('.hub/'))
            .sort()
        : [],
    hubFile: (name) => readFileSync(inSkills(`.hub/${name}`), 'utf8'),
  };
}
