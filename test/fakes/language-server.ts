/**
 * A language server over its standard input and output, as a program of its own. A line with BAD in it is an error, one
 * with WORSE two, one with WARN a warning. How it behaves is its first argument; the second is a file that it writes
 * down what happens to it.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Manner =
  /** Publishes with the version of the file. */
  | 'publishes'
  /** Publishes without a version, first nothing, then the rest. */
  | 'publishes-in-parts'
  /** Registers for questions, and cancels the first of them. */
  | 'is-asked'
  /** Works in its background before what it says is true. */
  | 'reads-the-project'
  | 'never-starts'
  | 'refuses-to-start'
  | 'never-answers'
  /** After its first answer. */
  | 'falls-silent'
  | 'crashes-on-a-change'
  | 'floods'
  | 'talks-garbage'
  | 'announces-terabytes'
  | 'leaves-a-child'
  /** Its first error tells which variables it sees. */
  | 'shows-variables';

/** The command line of such a server. */
export function languageServer(manner: Manner, diary: string): string[] {
  return [process.execPath, fileURLToPath(import.meta.url), manner, diary];
}

interface Wire {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly textDocument?: { readonly uri: string; readonly version: number; readonly text?: string };
    readonly contentChanges?: readonly { readonly text: string }[];
    readonly initializationOptions?: unknown;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2] as Manner, process.argv[3]!);

function serve(manner: Manner, diary: string): void {
  const note = (line: string): void => appendFileSync(diary, `${line}\n`);
  note(`started ${process.pid}`);
  if (manner === 'talks-garbage') process.stdout.write('Welcome to the best of all servers!\n'.repeat(200));
  if (manner === 'announces-terabytes') process.stdout.write('Content-Length: 5000000000000\r\n\r\n{}');
  if (manner === 'leaves-a-child') {
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', diary], { detached: true, stdio: 'ignore' });
  }
  const texts = new Map<string, string>();
  let pulls = 0;
  let publications = 0;
  let isReading = manner === 'reads-the-project';

  const publish = (uri: string, version: number): void => {
    const diagnostics = errorsIn(texts.get(uri)!, manner);
    publications += 1;
    if (manner === 'falls-silent' && publications > 1) return;
    if (manner === 'publishes-in-parts') {
      send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics: [] } });
      setTimeout(() => send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics } }), 5);
    } else if (isReading) {
      send({ method: '$/progress', params: { token: 'read', value: { kind: 'begin', title: 'Reading' } } });
      send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics: [] } });
      setTimeout(() => {
        isReading = false;
        send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } });
        send({ method: '$/progress', params: { token: 'read', value: { kind: 'end' } } });
      }, 400);
    } else if (manner !== 'is-asked' && manner !== 'never-answers') {
      send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } });
    }
  };

  const answers: Readonly<Record<string, (message: Wire) => void>> = {
    initialize({ id, params }) {
      note(`options ${JSON.stringify(params?.initializationOptions)}`);
      if (manner === 'never-starts') return;
      if (manner === 'refuses-to-start') send({ id, error: { code: -32_603, message: 'no licence' } });
      else send({ id, result: { capabilities: { textDocumentSync: 1 } } });
    },
    initialized() {
      if (manner !== 'is-asked') return;
      const registrations = [{ id: 'd', method: 'textDocument/diagnostic' }];
      send({ id: 'r1', method: 'client/registerCapability', params: { registrations } });
    },
    'textDocument/didOpen'({ params }) {
      const { uri, version, text } = params!.textDocument!;
      texts.set(uri, text!);
      publish(uri, version);
    },
    'textDocument/didChange'({ params }) {
      const { uri, version } = params!.textDocument!;
      if (manner === 'crashes-on-a-change') process.exit(3);
      if (manner === 'floods') return flood();
      texts.set(uri, params!.contentChanges![0]!.text);
      publish(uri, version);
    },
    'textDocument/didClose': ({ params }) => void texts.delete(params!.textDocument!.uri),
    'textDocument/diagnostic'({ id, params }) {
      pulls += 1;
      if (pulls === 1) send({ id, error: { code: -32_802, message: 'not now' } });
      else send({ id, result: { kind: 'full', items: errorsIn(texts.get(params!.textDocument!.uri)!, manner) } });
    },
    shutdown: ({ id }) => void send({ id, result: null }),
    exit: () => process.exit(0),
  };
  read((message) => {
    note(message.method ?? 'answer');
    answers[message.method ?? '']?.(message);
  });
}

function errorsIn(text: string, manner: Manner): object[] {
  const at = (line: number, severity: number, message: string): object => ({
    range: { start: { line, character: 2 }, end: { line, character: 5 } },
    severity,
    message,
    code: 'E1',
    source: 'fake',
  });
  if (manner === 'shows-variables') return text.includes('BAD') ? [at(0, 1, Object.keys(process.env).join(' '))] : [];
  return text.split('\n').flatMap((line, index) => {
    const errors = line.includes('WORSE') ? 2 : line.includes('BAD') ? 1 : 0;
    const message = `not good: ${line.trim()}`;
    return [
      ...Array.from({ length: errors }, () => at(index, 1, message)),
      ...(line.includes('WARN') ? [at(index, 2, 'take care')] : []),
    ];
  });
}

function flood(): void {
  const message = 'x'.repeat(100_000);
  const more = (): void => {
    while (send({ method: 'window/logMessage', params: { type: 4, message } }));
    process.stdout.once('drain', more);
  };
  more();
}

function send(message: object): boolean {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function read(take: (message: Wire) => void): void {
  let buffer = Buffer.alloc(0);
  process.stdin.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(buffer.toString('latin1', 0, end))![1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.toString('utf8', end + 4, end + 4 + length);
      buffer = buffer.subarray(end + 4 + length);
      take(JSON.parse(body));
    }
  });
  process.stdin.on('end', () => process.exit(0));
}
