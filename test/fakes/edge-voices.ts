/** Speaks the wire format of the voices of Microsoft's browser: a WebSocket, text frames in, sound in parts out. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';

export interface EdgeVoices {
  /** To be put in the place of the real address. */
  readonly url: string;
  readonly connections: readonly { readonly request: IncomingMessage; readonly messages: readonly string[] }[];
}

export interface EdgeOptions {
  /** Default: two parts of sound, then the end. */
  readonly answer?: 'sound' | 'silence' | 'breaks off' | 'refused' | 'hangs';
}

export const edgeSound = Buffer.from('one two');
const metadata = JSON.stringify({
  Metadata: [{ Type: 'SentenceBoundary', Data: { Offset: 0, Duration: 1, text: { Text: 'one', Length: 3 } } }],
});
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export async function startEdgeVoices(t: TestContext, { answer = 'sound' }: EdgeOptions = {}): Promise<EdgeVoices> {
  const connections: { request: IncomingMessage; messages: string[] }[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (answer === 'refused') return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    const key = request.headers['sec-websocket-key'] ?? '';
    const accept = createHash('sha1')
      .update(key + guid)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const messages: string[] = [];
    connections.push({ request, messages });
    let waiting = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      for (let frame = frameIn(waiting); frame !== undefined; frame = frameIn(waiting)) {
        waiting = waiting.subarray(frame.size);
        if (frame.opcode === 8) return void socket.end(frameOf(8, frame.payload));
        messages.push(frame.payload.toString('utf8'));
        if (messages.at(-1)?.includes('Path:ssml') === true) respond(socket, answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `ws://127.0.0.1:${port}/readaloud`, connections };
}

function respond(socket: Duplex, answer: EdgeOptions['answer']): void {
  if (answer === 'hangs') return;
  socket.write(text('turn.start', '{}'));
  socket.write(text('response', '{}'));
  if (answer === 'breaks off') return void socket.destroy();
  if (answer === 'sound') {
    socket.write(sound(edgeSound.subarray(0, 4)));
    socket.write(text('audio.metadata', metadata));
    socket.write(sound(edgeSound.subarray(4)));
    socket.write(sound(Buffer.alloc(0), ''));
  }
  socket.write(text('turn.end', '{}'));
}

function text(path: string, body: string): Buffer {
  return frameOf(1, Buffer.from(`X-RequestId:1\r\nContent-Type:application/json\r\nPath:${path}\r\n\r\n${body}`));
}

/** The last part is empty, and says no type. */
function sound(bytes: Buffer, type = 'Content-Type:audio/mpeg\r\n'): Buffer {
  const head = Buffer.from(`X-RequestId:1\r\n${type}Path:audio\r\n`);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(head.length);
  return frameOf(2, Buffer.concat([length, head, bytes]));
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x80 | opcode;
  if (payload.length < 126) head[1] = payload.length;
  else {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first whole frame of a client, which are masked. */
function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const begin = short < 126 ? 2 : 4;
  if (bytes.length < begin + 4) return undefined;
  const length = short < 126 ? short : bytes.readUInt16BE(2);
  const size = begin + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(begin, begin + 4);
  const payload = Buffer.from(bytes.subarray(begin + 4, size)).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: Buffer.from(payload), size };
}
