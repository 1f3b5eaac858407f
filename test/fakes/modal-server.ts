/** Modal's gRPC services, as far as its library asks for them: sandboxes are directories of this machine, images are copies. */
import { Server, ServerCredentials, type ServerUnaryCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ModalClient } from 'modal';
import protobuf from 'protobufjs';
import { endMarked } from './end-marked.ts';
import { routerProto, serviceProto } from './modal-proto.ts';

export interface FakeModalSandbox {
  readonly id: string;
  /** As it was asked for. */
  readonly made: Readonly<Record<string, unknown>>;
  /** The user's directory in it. */
  readonly home: string;
  isRunning: boolean;
}

export interface FakeModal {
  /** For programs that get it in `MODAL_SERVER_URL`. */
  readonly url: string;
  /** The only one that is taken. */
  readonly token: typeof tokens;
  readonly sandboxes: readonly FakeModalSandbox[];
  /** Ids of images that were made of sandboxes. */
  readonly snapshots: readonly string[];
  /** Names of calls, oldest first. */
  readonly calls: readonly string[];
  /** Fails a call with a status and its text; undefined leaves it to the server. */
  intercept: (call: string) => readonly [code: number, details: string] | undefined;
  /** Modal's library, led to this server. */
  connect(tokens?: { readonly tokenId: string; readonly tokenSecret: string }): Promise<ModalClient>;
  forgetImage(id: string): void;
  /** Ends a sandbox with all that runs in it. */
  take(sandbox: FakeModalSandbox): void;
}

type Fields = Readonly<Record<string, unknown>>;
type Answer = Fields | Promise<Fields>;

interface Exec {
  readonly sandbox: FakeModalSandbox;
  readonly child: ChildProcess;
  /** Of both, from the beginning. */
  readonly written: { readonly out: Buffer[]; readonly err: Buffer[] };
  readonly ended: Promise<Fields>;
  hasEnded: boolean;
  onMore: Set<() => void>;
}

const mark = 'FAKE_SANDBOX';
const tokens = { tokenId: 'ak-of-the-test', tokenSecret: 'as-of-the-test' };
/** Ids of such a form belong to the sandboxes that the library makes today. */
const idPrefix = 'sb-01HV';

export async function startModalServer(t: TestContext, directory: string): Promise<FakeModal> {
  const sandboxes: FakeModalSandbox[] = [];
  const images = new Map<string, string | undefined>([['im-base', undefined]]);
  const calls: string[] = [];
  const execs = new Map<string, Exec>();
  const root = new protobuf.Root();
  for (const text of [serviceProto, routerProto]) protobuf.parse(text, root, { keepCase: false });
  let port = 0;

  const running = (id: unknown): FakeModalSandbox => {
    const found = sandboxes.find((sandbox) => sandbox.isRunning && (sandbox.id === id || `ta-${sandbox.id}` === id));
    if (found === undefined) throw new Failure(status.NOT_FOUND, `Sandbox ${String(id)} not found`);
    return found;
  };
  const access = (sandbox: FakeModalSandbox): Fields => ({
    url: `https://127.0.0.1:${port}`,
    jwt: webToken(sandbox.id),
  });
  const exec = (id: unknown): Exec => {
    const found = execs.get(String(id));
    if (found === undefined) throw new Failure(status.NOT_FOUND, 'no such exec');
    return found;
  };

  const answers: Readonly<Record<string, (request: Fields) => Answer>> = {
    AuthTokenGet: () => ({ token: webToken('client') }),
    AppGetOrCreate: ({ appName }) => ({ appId: `ap-${String(appName)}` }),
    EnvironmentGetOrCreate: () => ({
      environmentId: 'en-1',
      metadata: { settings: { imageBuilderVersion: '2025.06' } },
    }),
    ImageGetOrCreate: ({ image }) => {
      const isBad = JSON.stringify(image).includes('no-such-image');
      return { imageId: 'im-base', result: isBad ? { status: 2, exception: 'no such image' } : { status: 1 } };
    },
    ImageFromId: ({ imageId }) => {
      if (!images.has(String(imageId))) throw new Failure(status.NOT_FOUND, `Image ${String(imageId)} not found`);
      return { imageId };
    },
    SandboxCreateV2({ definition }) {
      const made = definition as Fields;
      const named = sandboxes.find((sandbox) => sandbox.isRunning && sandbox.made['name'] === made['name']);
      if (named !== undefined) throw new Failure(status.ALREADY_EXISTS, 'a sandbox of that name exists');
      const id = `${idPrefix}${String(sandboxes.length).padStart(10, '0')}`;
      const sandbox: FakeModalSandbox = { id, made, home: join(directory, id), isRunning: true };
      const from = images.get(String(made['imageId']));
      if (from === undefined) mkdirSync(sandbox.home, { recursive: true });
      else copyTree(from, sandbox.home);
      mkdirSync(`${sandbox.home}.tmp`);
      sandboxes.push(sandbox);
      return { sandboxId: id, taskId: `ta-${id}`, commandRouterAccess: access(sandbox) };
    },
    SandboxGetFromNameV2({ sandboxName }) {
      const found = sandboxes.find((sandbox) => sandbox.isRunning && sandbox.made['name'] === sandboxName);
      if (found === undefined) throw new Failure(status.NOT_FOUND, 'no such sandbox');
      return { sandboxId: found.id };
    },
    // Those of the kind before: there are none.
    SandboxGetFromName() {
      throw new Failure(status.NOT_FOUND, 'no such sandbox');
    },
    SandboxGetTaskIdV2: ({ sandboxId }) => ({ taskId: `ta-${running(sandboxId).id}` }),
    SandboxGetCommandRouterAccess: ({ sandboxId }) => access(running(sandboxId)),
    SandboxWaitV2({ sandboxId }) {
      const found = sandboxes.find(({ id }) => id === sandboxId);
      return found?.isRunning === true ? {} : { result: { status: 1, exitcode: 0 } };
    },
    SandboxTerminateV2({ sandboxId }) {
      fake.take(running(sandboxId));
      return {};
    },
    TaskExecStart({ taskId, execId, commandArgs }) {
      // The library may ask again for the same one.
      if (!execs.has(String(execId))) execs.set(String(execId), start(running(taskId), commandArgs as string[]));
      return {};
    },
    async TaskExecStdinWrite({ execId, data, eof }) {
      const { stdin } = exec(execId).child;
      if (stdin === null || stdin.destroyed) throw new Failure(status.FAILED_PRECONDITION, 'stdin is closed');
      const bytes = data as Buffer;
      if (bytes.length > 0) await new Promise((resolve) => stdin.write(bytes, resolve));
      if (eof === true) stdin.end();
      return {};
    },
    async TaskExecWait({ execId }) {
      const { ended, sandbox } = exec(execId);
      const how = await ended;
      if (!sandbox.isRunning) throw new Failure(status.NOT_FOUND, 'task is gone');
      return how;
    },
    TaskSnapshotFilesystem({ taskId }) {
      const sandbox = running(taskId);
      const id = `im-snapshot-${images.size}`;
      const copy = join(directory, id);
      copyTree(sandbox.home, copy);
      images.set(id, copy);
      return { imageId: id };
    },
  };

  function start(sandbox: FakeModalSandbox, [program = '', ...args]: readonly string[]): Exec {
    const env = {
      HOME: sandbox.home,
      TMPDIR: `${sandbox.home}.tmp`,
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      [mark]: sandbox.home,
    };
    const child = spawn(program, args, { env, cwd: sandbox.home });
    child.stdin.on('error', () => undefined);
    const ended = new Promise<Fields>((resolve) => {
      child.on('exit', (code, name) => resolve(name === null ? { code } : { signal: constants.signals[name] }));
    });
    const made: Exec = { sandbox, child, written: { out: [], err: [] }, ended, hasEnded: false, onMore: new Set() };
    const tell = (): void => made.onMore.forEach((listener) => listener());
    for (const [stream, to] of [
      [child.stdout, made.written.out],
      [child.stderr, made.written.err],
    ] as const) {
      stream.on('data', (bytes: Buffer) => {
        to.push(bytes);
        tell();
      });
    }
    child.on('close', () => {
      made.hasEnded = true;
      tell();
    });
    return made;
  }

  function read(call: ServerWritableStream<Fields, Fields>): void {
    const { execId, offset, fileDescriptor } = call.request;
    const made = exec(execId);
    const written = Number(fileDescriptor) === 0 ? made.written.out : made.written.err;
    let sent = Number(offset ?? 0);
    const send = (): void => {
      const rest = Buffer.concat(written).subarray(sent);
      for (let at = 0; at < rest.length; at += 1_000_000) call.write({ data: rest.subarray(at, at + 1_000_000) });
      sent += rest.length;
      if (!made.hasEnded) return;
      made.onMore.delete(send);
      if (made.sandbox.isRunning) call.end();
      else call.emit('error', { code: status.NOT_FOUND, details: 'task is gone' });
    };
    made.onMore.add(send);
    call.on('cancelled', () => made.onMore.delete(send));
    send();
  }

  function check(call: string, secret: string | undefined): void {
    calls.push(call);
    const given = fake.intercept(call);
    if (given !== undefined) throw new Failure(...given);
    const isRouter = call.startsWith('Task');
    const isKnown = isRouter ? secret?.startsWith('Bearer ') : secret === tokens.tokenSecret;
    if (isKnown !== true) throw new Failure(status.UNAUTHENTICATED, 'Token validation failed');
  }

  const server = new Server({ 'grpc.max_receive_message_length': 100_000_000 });
  for (const name of ['modal.client.ModalClient', 'modal.task_command_router.TaskCommandRouter']) {
    const service = root.lookupService(name);
    const secretName = name.includes('router') ? 'authorization' : 'x-modal-token-secret';
    for (const method of service.methodsArray) {
      method.resolve();
      const { resolvedRequestType: asked, resolvedResponseType: answered } = method;
      if (asked === null || answered === null) throw new Error(`no types of ${method.name}`);
      const definition = {
        path: `/${name}/${method.name}`,
        requestStream: false,
        responseStream: method.responseStream === true,
        requestSerialize: (value: Fields) => Buffer.from(asked.encode(asked.create(value)).finish()),
        requestDeserialize: (bytes: Buffer): Fields =>
          asked.toObject(asked.decode(bytes), { defaults: true, longs: Number }),
        responseSerialize: (value: Fields) => Buffer.from(answered.encode(answered.create(value)).finish()),
        responseDeserialize: (bytes: Buffer): Fields => answered.toObject(answered.decode(bytes)),
      };
      const secretOf = (call: { metadata: { get(key: string): (string | Buffer)[] } }): string | undefined =>
        call.metadata.get(secretName)[0]?.toString();
      const unary = (
        call: ServerUnaryCall<Fields, Fields>,
        done: (error: object | null, value?: Fields) => void,
      ): void => {
        const answer = async (): Promise<void> => {
          try {
            check(method.name, secretOf(call));
            done(null, (await answers[method.name]?.(call.request)) ?? {});
          } catch (error) {
            done(asStatus(error));
          }
        };
        void answer();
      };
      const streamed = (call: ServerWritableStream<Fields, Fields>): void => {
        try {
          check(method.name, secretOf(call));
          read(call);
        } catch (error) {
          call.emit('error', asStatus(error));
        }
      };
      server.addService(
        { [method.name]: definition },
        { [method.name]: method.responseStream === true ? streamed : unary },
      );
    }
  }
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });

  const fake: FakeModal = {
    url: `http://127.0.0.1:${port}`,
    token: tokens,
    sandboxes,
    calls,
    get snapshots() {
      return [...images.keys()].filter((id) => id.startsWith('im-snapshot'));
    },
    intercept: () => undefined,
    forgetImage: (id) => void images.delete(id),
    async connect(given = tokens) {
      const { ModalClient } = await import('modal');
      const client = new ModalClient({ ...given, logger: silence });
      // It takes the address of the service from the environment alone, which tests share.
      Object.assign(client.profile, { serverUrl: `http://127.0.0.1:${port}`, imageBuilderVersion: '2025.06' });
      Object.assign(client, { cpClient: client.ipClient(`http://127.0.0.1:${port}`) });
      return client;
    },
    take(sandbox) {
      sandbox.isRunning = false;
      endMarked(`${mark}=${sandbox.home}`);
      rmSync(`${sandbox.home}.tmp`, { recursive: true, force: true });
    },
  };
  t.after(() => {
    for (const sandbox of sandboxes) fake.take(sandbox);
    server.forceShutdown();
  });
  return fake;
}

class Failure extends Error {
  readonly code: number;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
  }
}

function asStatus(error: unknown): { code: number; details: string } {
  const code = error instanceof Failure ? error.code : status.INVALID_ARGUMENT;
  return { code, details: error instanceof Error ? error.message : String(error) };
}

const silence = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** That of Node dies of links that lead in circles. */
function copyTree(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

/** Good for an hour. */
function webToken(subject: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return `${part({ alg: 'none' })}.${part({ sub: subject, exp })}.signature`;
}
