/** One home and one model that both programs use by turns. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ModelServer, type Step, startModelServer, type WireMessage } from '../fakes/model-server.ts';
import { describeRun } from './compare.ts';
import type { Program, Ran } from './programs.ts';

export class SharedHome implements AsyncDisposable {
  readonly home: string;
  readonly cwd: string;
  readonly server: ModelServer;
  readonly #place: string;

  private constructor(place: string, server: ModelServer) {
    this.#place = place;
    this.home = join(place, '.hermes');
    this.cwd = join(place, 'work');
    this.server = server;
  }

  static async open(contextLength = 200_000): Promise<SharedHome> {
    const server = await startModelServer({ respond: () => ({ text: 'done' }), title: 'A title' });
    const shared = new SharedHome(mkdtempSync(join(tmpdir(), 'hermes-shared-')), server);
    mkdirSync(shared.cwd, { recursive: true });
    const settings = ['model:', '  provider: fake', '  default: fake-model', `  context_length: ${contextLength}`];
    settings.push('providers:', '  fake:', `    base_url: ${server.url}`, '    api_key: test');
    settings.push('agent:', '  environment_probe: false');
    shared.write('config.yaml', `${settings.join('\n')}\n`);
    return shared;
  }

  /** A path inside of the home. */
  write(name: string, content: string): void {
    mkdirSync(dirname(join(this.home, name)), { recursive: true });
    writeFileSync(join(this.home, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.home, name), 'utf8');
  }

  async run(program: Program, ...args: readonly string[]): Promise<Ran> {
    return await program.run({ args, home: this.home, cwd: this.cwd });
  }

  /** The output of a command that must go well. */
  async said(program: Program, ...args: readonly string[]): Promise<string> {
    const ran = await this.run(program, ...args);
    if (ran.exit !== 0) throw new Error(`hermes ${args.join(' ')}: ${describeRun('it', ran)}`);
    return ran.stdout;
  }

  /** One turn; returns the messages of its last request, as far as every provider is sent them. */
  async turn(program: Program, text: string, { resume, steps = [] }: Turn = {}): Promise<Said[]> {
    this.server.enqueue(...steps);
    const more = resume === undefined ? [] : ['--resume', resume];
    await this.said(program, 'chat', '-q', text, '-Q', '--yolo', ...more);
    return this.server.lastRequest.body.messages.map(plain);
  }

  /** Rows of the store. */
  rows(sql: string, ...values: readonly string[]): Record<string, unknown>[] {
    const store = new DatabaseSync(join(this.home, 'state.db'));
    try {
      return store.prepare(sql).all(...values);
    } finally {
      store.close();
    }
  }

  newestSession(): string {
    return String(this.rows('SELECT id FROM sessions ORDER BY started_at DESC LIMIT 1')[0]?.['id']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    rmSync(this.#place, { recursive: true, force: true });
  }
}

interface Turn {
  readonly resume?: string;
  readonly steps?: readonly Step[];
}

/** A message without what only some providers take. */
export interface Said {
  readonly role: string;
  readonly content: string;
  readonly calls: readonly (readonly [id: string, name: string, args: unknown])[];
  readonly answers: string | undefined;
}

function plain({ role, content, tool_calls: calls = [], tool_call_id: answers }: WireMessage): Said {
  // The original escapes what is not ASCII.
  const named = calls.map((call): Said['calls'][number] => {
    return [call.id, call.function.name, JSON.parse(call.function.arguments)];
  });
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  return { role, content: text === '""' ? '' : text, calls: named, answers };
}
