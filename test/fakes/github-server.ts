/** GitHub for tests: commits, trees and raw files of repositories in memory, in GitHub's wire format. */
import { createHash } from 'node:crypto';
import { type JsonRequest, type JsonServer, type Routes, startJsonServer } from './json-server.ts';

export interface FakeFile {
  readonly text: string | Buffer;
  /** Default `100644`; `120000` is a symbolic link, `160000` a submodule. */
  readonly mode?: string;
  /** What the tree says of its size, when it lies. */
  readonly size?: number;
  /** What is sent instead, when the raw host lies. */
  readonly sent?: string;
}

export interface GithubServer extends AsyncDisposable {
  /** Both addresses that the hub wants. */
  readonly addresses: { readonly api: string; readonly raw: string };
  /** Host and port. */
  readonly host: string;
  readonly requests: readonly JsonRequest[];
  /** Replaces all files of a repository with one new commit. */
  push(repo: string, files: Readonly<Record<string, string | FakeFile>>): void;
  /** Answers everything like this until it is called without one. */
  fail(answer?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }): void;
}

export async function startGithub(): Promise<GithubServer> {
  const server: JsonServer = await startJsonServer();
  const repositories = new Map<string, Readonly<Record<string, string | FakeFile>>>();
  let failure: Parameters<GithubServer['fail']>[0];

  function refresh(): void {
    const routes: Record<string, Routes[string]> = {};
    for (const [repo, files] of repositories) {
      const commit = createHash('sha1').update(JSON.stringify(files)).digest('hex');
      const tree = Object.entries(files).map(([path, file]) =>
        entryOf(path, typeof file === 'string' ? { text: file } : file),
      );
      routes[`GET /api/repos/${repo}/commits/HEAD`] = { body: { sha: commit } };
      routes[`GET /api/repos/${repo}/git/trees/${commit}`] = { body: { sha: commit, tree, truncated: false } };
      for (const [path, file] of Object.entries(files)) {
        const address = path.split('/').map(encodeURIComponent).join('/');
        const text = typeof file === 'string' ? file : (file.sent ?? file.text);
        routes[`GET /raw/${repo}/${commit}/${address}`] = { headers: { 'content-type': 'text/plain' }, body: text };
      }
    }
    const broken = failure;
    server.answer(broken === undefined ? routes : new Proxy(routes, { get: () => ({ ...broken, body: {} }) }));
  }

  return {
    addresses: { api: `${server.url}/api`, raw: `${server.url}/raw` },
    host: new URL(server.url).host,
    requests: server.requests,
    push(repo, files) {
      repositories.set(repo, files);
      refresh();
    },
    fail(answer) {
      failure = answer;
      refresh();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function entryOf(path: string, { text, mode = '100644', size }: FakeFile) {
  const bytes = Buffer.from(text);
  const sha = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { path, mode, type: mode === '160000' ? 'commit' : 'blob', sha, size: size ?? bytes.length };
}
