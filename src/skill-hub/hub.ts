/** The hub as its callers see it: all sources behind one search, one fetch and one install. */
import { isAbsolute, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import type { SkillSourceSettings } from '../config/skill-settings.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { bundledSkillsFolder } from './bundled/paths.ts';
import { createDownload, type Download, type DownloadOptions } from './download.ts';
import { defaultTaps, readTaps, type Tap } from './hub-files.ts';
import { rememberOffers } from './offer-cache.ts';
import type { FetchedSkill, SkillOffer, SkillSource } from './source.ts';
import { browseShSource } from './sources/browse-sh.ts';
import { marketplaceSource } from './sources/claude-marketplace.ts';
import { clawhubSource } from './sources/clawhub.ts';
import { folderSource, officialSource } from './sources/folder.ts';
import { githubSource, skillsShSource } from './sources/github.ts';
import { lobehubSource } from './sources/lobehub.ts';
import { urlSource } from './sources/url.ts';
import { wellKnownSource } from './sources/well-known.ts';

export interface HubOptions {
  readonly homePath: string;
  readonly settings: SkillSourceSettings;
  readonly cwd: string;
  readonly now?: () => number;
  /** Where GitHub is, for tests and for servers of one's own. */
  readonly github?: { readonly api: string; readonly raw: string };
  /** Where the registries are, for tests and mirrors; default: their public addresses. */
  readonly registries?: Readonly<Partial<Record<'clawhub' | 'lobehub' | 'browseSh', string>>>;
  /** Default: none is local. */
  readonly download?: Pick<DownloadOptions, 'localHosts' | 'allowPrivate' | 'lookup' | 'timeoutMs' | 'proxies'>;
}

export interface Hub {
  readonly download: Download;
  readonly github: { readonly api: string; readonly raw: string };
  readonly hasToken: boolean;
  readonly sourceIds: readonly string[];
  /** All offers that fit, best first; `warnings` names sources that could not be asked. */
  search(
    query: string,
    source: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly offers: readonly SkillOffer[]; readonly warnings: readonly string[] }>;
  /** Throws `UserError` for an identifier that is of no source. */
  fetch(identifier: string, signal: AbortSignal): Promise<FetchedSkill>;
}

export function openHub(options: HubOptions): Hub {
  const { homePath, settings, cwd, now = Date.now } = options;
  const { userHome, optionalFolder, githubToken: token } = settings;
  const github = options.github ?? { api: 'https://api.github.com', raw: 'https://raw.githubusercontent.com' };
  const authorization = new Map(
    token !== undefined ? [github.api, github.raw].map((base) => [new URL(base).host, `Bearer ${token}`] as const) : [],
  );
  const download = createDownload({ ...options.download, authorization });
  const taps = (): readonly Tap[] => [...defaultTaps, ...readTaps(homePath)];
  const githubOptions = {
    ...github,
    download,
    taps: () => taps().filter(({ repo }) => !isAbsolute(repo)),
    remember: (key: string, load: () => Promise<readonly SkillOffer[]>) => rememberOffers({ homePath, now }, key, load),
    hasToken: token !== undefined,
  };
  const remembered = (source: SkillSource): SkillSource => ({
    ...source,
    // Only ClawHub searches by itself; the others give all they have.
    offers: async (query, signal, warn) =>
      await rememberOffers({ homePath, now }, `${source.id}:${source.id === 'clawhub' ? query : ''}`, () =>
        source.offers(query, signal, warn),
      ),
  });
  const repositories = githubSource(githubOptions);
  // The order decides whose an identifier is.
  const sources: readonly SkillSource[] = [
    officialSource([
      ...(optionalFolder === undefined ? [] : [resolve(cwd, optionalFolder)]),
      bundledSkillsFolder(settings),
    ]),
    folderSource({
      cwd,
      userHome,
      folders: () => taps().flatMap(({ repo, path }) => (isAbsolute(repo) ? [skillsBelow(repo, path)] : [])),
    }),
    skillsShSource(githubOptions),
    wellKnownSource(download),
    remembered(clawhubSource(download, options.registries?.clawhub)),
    remembered(lobehubSource(download, options.registries?.lobehub)),
    remembered(browseShSource(download, options.registries?.browseSh)),
    remembered(
      marketplaceSource({ download, raw: github.raw, repositories: ['anthropics/skills'], github: repositories }),
    ),
    urlSource(download),
    repositories,
  ];

  return {
    download,
    github,
    hasToken: githubOptions.hasToken,
    sourceIds: sources.map(({ id }) => id),
    async search(query, source, signal) {
      const owners = source === undefined ? undefined : publishers.get(source);
      const wanted = owners === undefined ? (source ?? 'all') : 'github';
      const asked = sources.filter(({ id }) => wanted === 'all' || id === wanted);
      if (asked.length === 0) {
        throw new UserError(`There is no source '${source?.slice(0, 40)}'.`, {
          exitCode: 2,
          hint: `Choose from: ${['all', ...sources.map(({ id }) => id), ...publishers.keys()].join(', ')}.`,
        });
      }
      const warnings: string[] = [];
      const found = await Promise.all(
        asked.map(async (entry) => {
          try {
            return await entry.offers(query, signal, (line) => warnings.push(line));
          } catch (error) {
            if (signal.aborted) throw error;
            warnings.push(`${entry.id}: ${errorMessage(error)}`);
            return [];
          }
        }),
      );
      const offers = found.flat().filter(({ identifier }) => owners === undefined || owners.test(identifier));
      return { offers: rank(offers, query), warnings };
    },
    async fetch(identifier, signal) {
      const source = sources.find((entry) => entry.owns(identifier));
      if (source !== undefined) return await source.fetch(identifier, signal);
      throw new UserError(`'${identifier.slice(0, 200)}' names no source.`, {
        exitCode: 2,
        hint: 'Write official/<category>/<name>, <owner>/<repository>/<path>, an address, or ./folder. Find skills with: hermes skills search <words>',
      });
    },
  };
}

/** What `--source` also takes: the skills of one publisher in the repositories that are searched. */
const publishers: ReadonlyMap<string, RegExp> = new Map([
  ['nvidia', /^nvidia\//i],
  ['openai', /^openai\//i],
  ['anthropic', /^anthropics\//i],
  ['huggingface', /^huggingface\//i],
  ['voltagent', /^voltagent\//i],
  ['gstack', /^garrytan\/gstack\//i],
  ['minimax', /^minimax(?:-ai)?\//i],
]);

/** A tap that is a folder may keep its skills in the folder that its entry names, or directly. */
function skillsBelow(folder: string, path: string): string {
  const below = join(folder, path);
  return existsSync(below) ? below : folder;
}

/** Trusted before others; a match in the name before one in the description. Every word must be found. */
function rank(offers: readonly SkillOffer[], query: string): SkillOffer[] {
  const words = /^https?:\/\//i.test(query)
    ? []
    : query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
  const scored = offers.flatMap((offer) => {
    const name = offer.name.toLowerCase();
    const all = `${name} ${offer.description} ${offer.identifier} ${offer.category ?? ''}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    const hits = words.filter((word) => name.includes(word)).length + (name === words.join('-') ? words.length + 1 : 0);
    return [{ offer, score: hits * 10 + trustOrder.indexOf(offer.trust) }];
  });
  const seen = new Set<string>();
  return scored
    .sort((a, b) => b.score - a.score || (a.offer.name < b.offer.name ? -1 : 1))
    .flatMap(({ offer }) => {
      if (seen.has(offer.identifier)) return [];
      seen.add(offer.identifier);
      return [offer];
    });
}

const trustOrder: readonly string[] = ['agent-created', 'community', 'trusted', 'builtin'];
