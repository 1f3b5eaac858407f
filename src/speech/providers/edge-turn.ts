/** One exchange with Edge's voices: text goes in, sound comes out in parts, until the service says that it is done. */
import { UserError } from '../../lib/errors.ts';

/** A text of the longest kind is a few megabytes. */
const maxSoundBytes = 30 * 1024 * 1024;

/** Rejects with a `UserError` when it breaks off or brings no sound, and with the signal's reason. Closes the socket. */
export async function hear(socket: WebSocket, messages: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sounds: Uint8Array[] = [];
  let size = 0;
  let isOpen = false;
  const abort = (): void => reject(signal.reason);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', () => {
    isOpen = true;
    for (const message of messages) socket.send(message);
  });
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    if (typeof data === 'string') {
      if (/^Path:turn\.end\s*$/m.test(headOf(data))) resolve();
      return;
    }
    const sound = data instanceof ArrayBuffer ? soundIn(Buffer.from(data)) : undefined;
    if (sound === undefined) return;
    size += sound.length;
    if (size > maxSoundBytes) reject(new UserError(`its answer is longer than ${maxSoundBytes} bytes`));
    else sounds.push(sound);
  });
  const end = (): void => {
    reject(
      new UserError(isOpen ? 'it broke off before all was spoken' : 'it cannot be reached, or takes nothing from here'),
    );
  };
  socket.addEventListener('error', end);
  socket.addEventListener('close', end);
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.close();
  }
  if (size === 0) throw new UserError('no sound came; look whether the voice is one of its voices');
  return Buffer.concat(sounds);
}

function headOf(text: string): string {
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? text : text.slice(0, end);
}

/** Two bytes say how long the headers are, behind which the sound begins. Undefined for a part without any. */
function soundIn(bytes: Buffer): Uint8Array | undefined {
  if (bytes.length < 2) return undefined;
  const begin = 2 + bytes.readUInt16BE(0);
  const head = bytes.subarray(2, begin).toString('latin1');
  return /^Path:audio\s*$/m.test(head) && bytes.length > begin ? bytes.subarray(begin) : undefined;
}
