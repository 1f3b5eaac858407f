/** Offers a skill to a repository on GitHub as a pull request, from a fork where the repository is somebody else's. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { UserError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import type { Download } from './download.ts';
import type { FetchedSkill } from './source.ts';

export interface PublishOptions {
  readonly download: Download;
  /** GitHub's API, without a slash at the end. */
  readonly api: string;
  readonly signal: AbortSignal;
  /** Between two looks for a fork that is being made; default 2,000. */
  readonly pollMs?: number;
}

const repository = z.object({
  full_name: z.string(),
  default_branch: z.string(),
  owner: z.object({ login: z.string() }),
  permissions: z.object({ push: z.boolean() }).optional(),
});
const reference = z.object({ object: z.object({ sha: z.string() }) });
const commit = z.object({ tree: z.object({ sha: z.string() }) });
const made = z.object({ sha: z.string() });
const pull = z.object({ html_url: z.string() });
const forkLooks = 15;

/** The address of the pull request. Throws `UserError` naming what GitHub refused; nothing is changed in `repo` itself. */
export async function publishToGithub(
  skill: FetchedSkill & { readonly name: string },
  repo: string,
  options: PublishOptions,
): Promise<string> {
  const upstream = await ask(options, `/repos/${repo}`, repository);
  const place = upstream.permissions?.push === true ? upstream : await forkOf(options, repo);
  const path = `/repos/${place.full_name}/git`;
  const base = upstream.default_branch;
  const { object } = await ask(options, `/repos/${place.full_name}/git/ref/heads/${place.default_branch}`, reference);
  const { tree } = await ask(options, `${path}/commits/${object.sha}`, commit);
  const entries = [];
  for (const [file, body] of skill.files) {
    const { sha } = await ask(options, `${path}/blobs`, made, { content: body.toString('base64'), encoding: 'base64' });
    entries.push({ path: `skills/${skill.name}/${file}`, mode: '100644', type: 'blob', sha });
  }
  const grown = await ask(options, `${path}/trees`, made, { base_tree: tree.sha, tree: entries });
  const message = `Add the skill ${skill.name}`;
  const { sha } = await ask(options, `${path}/commits`, made, { message, tree: grown.sha, parents: [object.sha] });
  const branch = `hermes/skill-${skill.name}-${sha.slice(0, 7)}`;
  await ask(options, `${path}/refs`, z.unknown(), { ref: `refs/heads/${branch}`, sha });
  const head = `${place.owner.login}:${branch}`;
  const { html_url: address } = await ask(options, `/repos/${repo}/pulls`, pull, {
    title: message,
    head,
    base,
    body: '',
  });
  return address;
}

/** GitHub makes a fork after it has answered. */
async function forkOf(options: PublishOptions, repo: string): Promise<z.output<typeof repository>> {
  const fork = await ask(options, `/repos/${repo}/forks`, repository, {});
  for (let look = 1; ; look++) {
    try {
      await ask(options, `/repos/${fork.full_name}/git/ref/heads/${fork.default_branch}`, reference);
      return fork;
    } catch (error) {
      if (look >= forkLooks) throw error;
      await sleep(options.pollMs ?? 2_000, undefined, { signal: options.signal });
    }
  }
}

/** See https://docs.github.com/en/rest/git and https://docs.github.com/en/rest/pulls. With `json` something is made. */
async function ask<T>(
  { download, api, signal }: PublishOptions,
  path: string,
  shape: z.ZodType<T>,
  json?: unknown,
): Promise<T> {
  const { status, body } = await download(`${api}${path}`, {
    maxBytes: 4 * 1024 * 1024,
    signal,
    ...(json === undefined ? {} : { method: 'POST', json }),
  });
  const answer = parseJson(body.toString('utf8'));
  if (status === 401 || status === 403) {
    throw new UserError(`GitHub does not let this token do that (${path}).`, {
      hint: 'GITHUB_TOKEN needs the right to write contents and pull requests.',
    });
  }
  if (status < 200 || status > 299) throw new UserError(`GitHub answered ${path} with status ${status}.`);
  const read = shape.safeParse(answer);
  if (!read.success) throw new UserError(`GitHub answered ${path} with something else than it documents.`);
  return read.data;
}
