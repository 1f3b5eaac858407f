/** A home with secret managers, and a start that fetches from them. */
import { dirname } from 'node:path';
import type { TestContext } from 'node:test';
import { fetchAtStart, type SecretReport } from '../../../src/cli/secrets/at-start.ts';
import { loadEnvironment } from '../../../src/config/dotenv.ts';
import { temporaryHome, type TemporaryHome } from '../../config/temporary-home.ts';

export interface SecretHome extends TemporaryHome {
  /** Folder for programs and their notes. */
  readonly base: string;
  /** What a process does before its command reads the environment. */
  start(shell?: Readonly<Record<string, string>>): Promise<{
    readonly env: Record<string, string | undefined>;
    readonly report: SecretReport | undefined;
    readonly warnings: readonly string[];
  }>;
}

/** `config` is a config.yaml; programs of `fakes/secret-managers.ts` are found on PATH. */
export function secretHome(t: TestContext, config: string): SecretHome {
  const place = temporaryHome(t);
  place.write('config.yaml', config);
  const base = dirname(place.home.path);
  const PATH = `${base}/programs:/usr/bin:/bin`;
  return {
    ...place,
    env: { ...place.env, PATH },
    base,
    async start(shell = {}) {
      const { env } = loadEnvironment(place.home, { ...place.env, PATH, ...shell });
      const report = await fetchAtStart({ home: place.home, env, ignoreUserConfig: false });
      return { env, report, warnings: report?.warnings ?? [] };
    },
  };
}

/** Settings of 1Password; `more` are further lines of its map. */
export function onePasswordConfig(references: Readonly<Record<string, string>>, more = ''): string {
  const lines = Object.entries(references).map(([name, reference]) => `      ${name}: ${reference}\n`);
  return `secrets:\n  onepassword:\n    enabled: true\n${more}    env:\n${lines.join('')}`;
}

/** Settings of Bitwarden with the project `p1`. */
export function bitwardenConfig(more = ''): string {
  return `  bitwarden:\n    enabled: true\n    project_id: p1\n    auto_install: false\n${more}`;
}
