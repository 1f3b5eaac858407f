/** One command in a sandbox of Modal: its input goes in, its output comes out as it is written. */
import type { ContainerProcess, Sandbox } from 'modal';
import type { HostEnd, HostRun } from '../remote/host.ts';
import { before } from './within.ts';

/** What goes over in one message, well below what Modal takes. */
const inputBytes = 1_000_000;
const maxComplaintChars = 4000;
/** How long one that has ended is still listened to for complaints. */
const complaintLimitMs = 200;

/** Rejects with the signal's reason, and with what the library rejects with. */
export async function runInSandbox(sandbox: Sandbox, command: string, run: HostRun): Promise<HostEnd> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs)]);
  signal.throwIfAborted();
  // The library knows no deadlines but those of whole seconds.
  const timeoutMs = Math.max(1, Math.floor(run.timeoutMs / 1000)) * 1000;
  const starting = sandbox.exec(['sh', '-c', command], { mode: 'binary', timeoutMs });
  const started = await before(starting, run.timeoutMs, signal, 'the command did not start');
  return await follow(started, run, signal);
}

async function follow(process: ContainerProcess<Uint8Array>, run: HostRun, signal: AbortSignal): Promise<HostEnd> {
  const readers = { out: process.stdout.getReader(), err: process.stderr.getReader() };
  const stop = (): void => {
    for (const reader of Object.values(readers)) reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  let complaint = '';
  const complaining = drain(readers.err, (bytes) => {
    complaint = `${complaint}${bytes.toString('utf8')}`.slice(-maxComplaintChars);
  }).catch(() => undefined);
  try {
    // A command that does not read its input closes it early: that is no failure.
    const feeding = feed(process, run.input, signal).catch(() => undefined);
    await drain(readers.out, (bytes) => {
      if (!signal.aborted) run.onOutput(bytes);
    });
    signal.throwIfAborted();
    const exitCode = await before(process.wait(), run.timeoutMs, signal, 'the command did not end');
    await before(Promise.all([feeding, complaining]), complaintLimitMs, signal, '').catch(() => undefined);
    return { exitCode, complaint: complaint.trim() };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function feed(process: ContainerProcess<Uint8Array>, input: Uint8Array, signal: AbortSignal): Promise<void> {
  const writer = process.stdin.getWriter();
  for (let at = 0; at < input.length && !signal.aborted; at += inputBytes) {
    await writer.write(input.subarray(at, at + inputBytes));
  }
  await writer.close();
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, onBytes: (bytes: Buffer) => void): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}
