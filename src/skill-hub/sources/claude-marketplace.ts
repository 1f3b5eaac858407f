/** Skills that plugins of a marketplace bring: `.claude-plugin/marketplace.json` of a repository on GitHub. */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { trustOf } from '../../safety/skill-guard/guard.ts';
import type { Download } from '../download.ts';
import type { SkillOffer, SkillSource } from '../source.ts';
import { getJson } from './http-answers.ts';

export interface MarketplaceOptions {
  readonly download: Download;
  /** Where raw files of repositories are. */
  readonly raw: string;
  /** Repositories with a marketplace. */
  readonly repositories: readonly string[];
  /** The source that fetches a path of a repository. */
  readonly github: Pick<SkillSource, 'fetch'>;
}

const path = z.string().regex(/^(?:\.\/)?[\w./-]{0,200}$/);
const plugin = z.object({
  name: z.string(),
  description: z.string().catch(''),
  source: z.union([path, z.unknown()]).optional(),
  skills: z.array(path).catch([]),
});
const shape = z.object({ plugins: z.array(z.unknown()).max(2_000) });

/** `claude-marketplace/<owner>/<repository>/<path>` */
export function marketplaceSource({ download, raw, repositories, github }: MarketplaceOptions): SkillSource {
  async function listed(repo: string, signal: AbortSignal): Promise<SkillOffer[]> {
    const address = `${raw}/${repo}/HEAD/.claude-plugin/marketplace.json`;
    const read = shape.safeParse(await getJson(download, address, signal));
    if (!read.success) throw new UserError(`The marketplace of ${repo} does not list plugins.`);
    return read.data.plugins.flatMap((entry) => {
      const { data } = plugin.safeParse(entry);
      if (data === undefined) return [];
      const root = typeof data.source === 'string' ? data.source : '.';
      return data.skills.map((skill): SkillOffer => {
        const place = `${root}/${skill}`.split('/').filter((part) => part !== '' && part !== '.');
        return {
          name: place.at(-1) ?? data.name,
          description: data.description,
          identifier: `claude-marketplace/${repo}/${place.join('/')}`,
          source: 'claude-marketplace',
          trust: trustOf(repo),
          category: data.name,
        };
      });
    });
  }
  return {
    id: 'claude-marketplace',
    owns: (identifier) => identifier.startsWith('claude-marketplace/'),
    async offers(_query, signal) {
      return (await Promise.all(repositories.map((repo) => listed(repo, signal)))).flat();
    },
    async fetch(identifier, signal) {
      const fetched = await github.fetch(identifier.slice('claude-marketplace/'.length), signal);
      return { ...fetched, identifier, source: 'claude-marketplace' };
    },
  };
}
