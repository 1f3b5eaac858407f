/** Skills in GitHub repositories: taps are listed, any repository can be installed from. */
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { readDocument } from '../../skills/frontmatter.ts';
import { trustOf } from '../../safety/skill-guard/guard.ts';
import { readSummary } from '../../skills/skill-header.ts';
import type { Download } from '../download.ts';
import type { Tap } from '../hub-files.ts';
import { checkMembers, memberLimits } from '../members.ts';
import type { FetchedSkill, SkillOffer, SkillSource } from '../source.ts';
import { getFile, statusError } from './http-answers.ts';

export interface GithubOptions {
  readonly download: Download;
  readonly taps: () => readonly Tap[];
  /** The list that was kept for a key lately, or that of `load`. */
  readonly remember: (key: string, load: () => Promise<readonly SkillOffer[]>) => Promise<readonly SkillOffer[]>;
  /** Default `https://api.github.com`. */
  readonly api?: string;
  /** Default `https://raw.githubusercontent.com`. */
  readonly raw?: string;
  /** Whether a token goes along; only for the text of errors. */
  readonly hasToken: boolean;
}

export function githubSource(options: GithubOptions): SkillSource {
  return {
    id: 'github',
    owns: (identifier) => repositoryPath.test(identifier) && !identifier.startsWith('official/'),
    async offers(_query, signal, warn) {
      const lists = await Promise.all(
        options.taps().map(async ({ repo, path }) => {
          try {
            return await options.remember(`github:${repo}:${path}`, () => listTap(options, repo, path, signal));
          } catch (error) {
            if (signal.aborted) throw error;
            warn(`${repo}: ${errorMessage(error)}`);
            return [];
          }
        }),
      );
      return lists.flat();
    },
    async fetch(identifier, signal) {
      const [owner = '', name = '', ...path] = identifier.split('/');
      return await fetchSkill(options, `${owner}/${name}`, path.join('/').replace(/\/SKILL\.md$/, ''), signal);
    },
  };
}

/** `skills-sh/<owner>/<repo>/<slug>`: the skill of that name wherever it stands in the repository. */
export function skillsShSource(options: GithubOptions): SkillSource {
  return {
    id: 'skills-sh',
    owns: (identifier) => skillsShPrefix.test(identifier),
    offers: () => Promise.resolve([]),
    async fetch(identifier, signal) {
      const [owner = '', name = '', ...rest] = identifier.replace(skillsShPrefix, '').split('/');
      const slug = rest.join('/');
      const repo = `${owner}/${name}`;
      if (!repositoryPath.test(`${repo}/${slug}`)) throw notAnIdentifier(identifier);
      const tree = await readTree(options, repo, signal);
      const folders = skillFolders(tree, '');
      const path = folders.find((folder) => folder === slug || folder.endsWith(`/${slug}`));
      if (path === undefined) throw new UserError(`${repo} has no skill '${slug}'.`, { hint: 'Check the name.' });
      const skill = await download(options, repo, tree, path, signal);
      return { ...skill, identifier: `skills-sh/${repo}/${slug}`, source: 'skills-sh' };
    },
  };
}

/** The name of a repository as it is written; `undefined` when it is none. */
export function repositoryName(text: string): string | undefined {
  const plain = text.replace(/^https?:\/\/github\.com\//i, '').replace(/(?:\.git)?\/?$/, '');
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/.test(plain) ? plain : undefined;
}

const repositoryPath = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}\/[^\s:][^:]*$/;
/** With the spellings that people use. */
const skillsShPrefix = /^(?:skills-sh|skills\.sh|skils-sh|skils\.sh)\//;
const maxListed = 300;

interface Tree {
  readonly commit: string;
  readonly entries: readonly z.output<typeof entryShape>[];
}

const entryShape = z.object({
  path: z.string(),
  mode: z.string(),
  type: z.string(),
  sha: z.string(),
  size: z.number().optional(),
});
const treeShape = z.object({ tree: z.array(entryShape), truncated: z.boolean().catch(false) });
const commitShape = z.object({ sha: z.string().regex(/^[0-9a-f]{40,64}$/) });
const groupingShape = z.object({ groupings: z.array(z.object({ title: z.string(), skills: z.array(z.string()) })) });

async function fetchSkill(
  options: GithubOptions,
  repo: string,
  path: string,
  signal: AbortSignal,
): Promise<FetchedSkill> {
  if (path === '' || path.split('/').includes('..')) throw notAnIdentifier(`${repo}/${path}`);
  const tree = await readTree(options, repo, signal);
  const skill = await download(options, repo, tree, path, signal);
  return { ...skill, identifier: `${repo}/${path}` };
}

/** All files below a folder, at one commit, each compared with the hash that git has for it. */
async function download(
  options: GithubOptions,
  repo: string,
  { commit, entries }: Tree,
  path: string,
  signal: AbortSignal,
): Promise<FetchedSkill> {
  const members = entries.filter((entry) => entry.path.startsWith(`${path}/`) && entry.type !== 'tree');
  const odd = members.find(({ mode, type }) => type !== 'blob' || mode === '120000');
  if (odd !== undefined) {
    throw new UserError(`The skill was not installed: ${odd.path} is a link to somewhere else.`, {
      hint: 'Nothing was written. Skills consist of plain files.',
    });
  }
  if (!members.some((entry) => entry.path === `${path}/SKILL.md`)) {
    throw new UserError(`${repo} has no skill at '${path}'.`, {
      hint: 'Write <owner>/<repository>/<path of the folder with the SKILL.md>.',
    });
  }
  checkMembers(new Map(members.map((entry) => [entry.path.slice(path.length + 1), { length: entry.size ?? 0 }])));
  const limit = pLimit(6);
  const bodies = await Promise.all(
    members.map((entry) =>
      limit(async () => {
        const body = await getFile(options.download, rawAddress(options, repo, commit, entry.path), signal);
        if (gitHash(body) !== entry.sha && entry.sha.length === 40) {
          throw new UserError(`${entry.path} of ${repo} is not what git says it is; nothing was written.`);
        }
        return [entry.path.slice(path.length + 1), body] as const;
      }),
    ),
  );
  const files = new Map(bodies);
  const { header, body } = await readDocument(files.get('SKILL.md')?.toString('utf8') ?? '');
  const name = readSummary(header, body).name ?? path.split('/').at(-1);
  return { name, identifier: '', source: 'github', trust: trustOf(repo), files, metadata: { repo, commit } };
}

async function listTap(
  options: GithubOptions,
  repo: string,
  below: string,
  signal: AbortSignal,
): Promise<SkillOffer[]> {
  const tree = await readTree(options, repo, signal);
  const folders = skillFolders(tree, below.replace(/^\/|\/$/g, '')).slice(0, maxListed);
  const labels = await readGroupings(options, repo, tree, signal);
  const limit = pLimit(8);
  return await Promise.all(
    folders.map((path) =>
      limit(async (): Promise<SkillOffer> => {
        const text = await getFile(
          options.download,
          rawAddress(options, repo, tree.commit, `${path}/SKILL.md`),
          signal,
        );
        const { header, body } = await readDocument(text.toString('utf8'));
        const folder = path.split('/').at(-1) ?? path;
        const { name = folder, description } = readSummary(header, body);
        const category = labels.get(folder) ?? labels.get(name);
        const offer = { name, description, identifier: `${repo}/${path}`, source: 'github', trust: trustOf(repo) };
        return category === undefined ? offer : { ...offer, category };
      }),
    ),
  );
}

async function readGroupings(options: GithubOptions, repo: string, tree: Tree, signal: AbortSignal) {
  const labels = new Map<string, string>();
  if (!tree.entries.some(({ path }) => path === 'skills.sh.json')) return labels;
  const text = await getFile(options.download, rawAddress(options, repo, tree.commit, 'skills.sh.json'), signal);
  const parsed = groupingShape.safeParse(parseJson(text.toString('utf8')));
  for (const { title, skills } of parsed.success ? parsed.data.groupings : []) {
    for (const skill of skills) labels.set(skill, title);
  }
  return labels;
}

function skillFolders({ entries }: Tree, below: string): string[] {
  const start = below === '' ? '' : `${below}/`;
  return entries.flatMap(({ path, type, mode, size = 0 }) => {
    const fits = path.startsWith(start) && path.endsWith('/SKILL.md') && type === 'blob' && mode !== '120000';
    return fits && size <= memberLimits.bytesEach ? [path.slice(0, -'/SKILL.md'.length)] : [];
  });
}

/** See https://docs.github.com/en/rest/git/trees. */
async function readTree(options: GithubOptions, repo: string, signal: AbortSignal): Promise<Tree> {
  const { sha: commit } = commitShape.parse(await askApi(options, `/repos/${repo}/commits/HEAD`, repo, signal));
  const answer = treeShape.parse(await askApi(options, `/repos/${repo}/git/trees/${commit}?recursive=1`, repo, signal));
  if (answer.truncated) {
    throw new UserError(`${repo} has too many files to be listed.`, {
      hint: 'Clone it, and install from the folder on your disk.',
    });
  }
  return { commit, entries: answer.tree };
}

async function askApi(options: GithubOptions, path: string, repo: string, signal: AbortSignal): Promise<unknown> {
  const url = `${options.api ?? 'https://api.github.com'}${path}`;
  const { status, body, headers } = await options.download(url, { maxBytes: 16 * 1024 * 1024, signal });
  if (status === 200) return parseJson(body.toString('utf8'));
  if (status === 404)
    throw new UserError(`${repo} was not found on GitHub.`, { hint: 'Check the name, or your access.' });
  if (status === 401) throw new UserError('GitHub refused the token.', { hint: 'Renew GITHUB_TOKEN, or unset it.' });
  if (status === 429 || (status === 403 && headers['x-ratelimit-remaining'] === '0')) {
    throw new UserError("GitHub's limit of requests is used up for now.", {
      hint: options.hasToken ? 'Try again in an hour.' : 'Set GITHUB_TOKEN (60 requests an hour without one).',
    });
  }
  throw statusError(url, status);
}

function rawAddress(options: GithubOptions, repo: string, commit: string, path: string): string {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  return `${options.raw ?? 'https://raw.githubusercontent.com'}/${repo}/${commit}/${parts}`;
}

function gitHash(body: Buffer): string {
  return createHash('sha1').update(`blob ${body.length}\0`).update(body).digest('hex');
}

function notAnIdentifier(identifier: string): UserError {
  return new UserError(`'${identifier.slice(0, 200)}' is not a skill of a repository.`, {
    exitCode: 2,
    hint: 'Write <owner>/<repository>/<path>.',
  });
}
