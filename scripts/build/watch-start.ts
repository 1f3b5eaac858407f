/** Runs the program that was just built and sees which of its functions a start calls. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** By the file name of a part: where in its text the functions begin that were called. */
export type Called = ReadonlyMap<string, ReadonlySet<number>>;

/** What Node writes for `NODE_V8_COVERAGE`, as far as it matters here. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

const deadlineMs = 30_000;

/**
 * Asks one question of a model that answers at once, twice: a home is made only the first time. `dist` must have no
 * neighbours but what is put there for it. Throws when the program fails or takes too long.
 */
export async function watchStart(dist: string, root: string): Promise<Called> {
  const place = mkdtempSync(join(tmpdir(), 'hermes-build-start-'));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
    });
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject).listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('there is no address to listen on');
    stageProgram(dirname(dist), root);
    const env = makeHome(place, `http://127.0.0.1:${address.port}/v1`);
    await run(join(dist, 'main.js'), env, place);
    const coverage = join(place, 'coverage');
    await run(join(dist, 'main.js'), { ...env, NODE_V8_COVERAGE: coverage }, place);
    return readCalls(coverage, dist);
  } finally {
    server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

const answer = [
  { delta: { role: 'assistant', content: 'hello' }, finish_reason: null },
  { delta: {}, finish_reason: 'stop' },
]
  .map((choice) => `data: ${JSON.stringify({ id: 'a', choices: [{ index: 0, ...choice }] })}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

/** What the program looks for beside `dist`. */
function stageProgram(folder: string, root: string): void {
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
  if (existsSync(join(root, 'skills'))) symlinkSync(join(root, 'skills'), join(folder, 'skills'), 'junction');
}

/** Returns the environment. Of this one only what a process needs is in it: no key, no proxy, no setting. */
function makeHome(place: string, url: string): Record<string, string> {
  const home = join(place, 'home');
  mkdirSync(home);
  const model = { provider: 'custom', base_url: url, default: 'a-model', api_key: 'none', context_length: 200_000 };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model }));
  const { PATH = '', SystemRoot = '' } = process.env;
  return { PATH, SystemRoot, HOME: place, USERPROFILE: place, TEMP: place, HERMES_HOME: home };
}

async function run(main: string, env: Record<string, string>, cwd: string): Promise<void> {
  const running = promisify(execFile)(process.execPath, [main, '-z', 'hi'], { env, cwd, timeout: deadlineMs });
  // An open input would be waited for.
  running.child.stdin?.end();
  await running;
}

function readCalls(folder: string, dist: string): Called {
  const called = new Map<string, Set<number>>();
  for (const file of globSync('*.json', { cwd: folder })) {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      if (!url.startsWith('file:') || dirname(fileURLToPath(url)) !== dist) continue;
      const starts = functions.flatMap(({ ranges: [whole] }) => (whole?.count ? [whole.startOffset] : []));
      called.set(basename(url), new Set(starts));
    }
  }
  return called;
}
