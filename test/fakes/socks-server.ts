/** A SOCKS5 proxy on this machine, which leads every name to one port of it. https://www.rfc-editor.org/rfc/rfc1928 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SocksServer extends AsyncDisposable {
  /** `socks5://127.0.0.1:<port>` */
  readonly url: string;
  /** Of each connection where it was to lead: `models.test:80`. */
  readonly asked: readonly string[];
}

export interface SocksOptions {
  /** `name:password` that is asked for. */
  readonly login?: string;
  /** Every connection is refused with this number. */
  readonly refuse?: number;
}

export async function startSocks(port: number, { login, refuse }: SocksOptions = {}): Promise<SocksServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const serve = async (socket: Socket): Promise<void> => {
    const bytes = pieces(socket);
    const [, count = 0] = await bytes(2);
    const methods = [...(await bytes(count))];
    const wanted = login === undefined ? 0 : 2;
    if (!methods.includes(wanted)) return void socket.end(Uint8Array.from([5, 0xff]));
    socket.write(Uint8Array.from([5, wanted]));
    if (login !== undefined) {
      const name = await bytes((await bytes(2))[1] ?? 0);
      const password = await bytes((await bytes(1))[0] ?? 0);
      const given = `${Buffer.from(name).toString()}:${Buffer.from(password).toString()}`;
      socket.write(Uint8Array.from([1, given === login ? 0 : 1]));
      if (given !== login) return void socket.end();
    }
    const [, , , kind] = await bytes(4);
    const host =
      kind === 3
        ? Buffer.from(await bytes((await bytes(1))[0] ?? 0)).toString()
        : [...(await bytes(kind === 1 ? 4 : 16))].join(kind === 1 ? '.' : ',');
    const [high = 0, low = 0] = await bytes(2);
    asked.push(`${host}:${high * 256 + low}`);
    if (refuse !== undefined) return void socket.end(Uint8Array.from([5, refuse, 0, 1, 0, 0, 0, 0, 0, 0]));
    const through = connect(port, '127.0.0.1');
    sockets.add(through);
    for (const end of [socket, through]) end.on('error', () => [socket, through].forEach((one) => one.destroy()));
    // In two pieces, as a network may deliver it.
    socket.write(Uint8Array.from([5, 0, 0, 3, 4]));
    socket.write(Uint8Array.from([...Buffer.from('name'), 0, 80]));
    through.pipe(socket).pipe(through);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `socks5://127.0.0.1:${own}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pieces(socket: Socket): (count: number) => Promise<Uint8Array> {
  return async (count) => {
    if (count === 0) return new Uint8Array();
    for (;;) {
      const bytes = socket.read(count) as Uint8Array | null;
      if (bytes?.length === count) return bytes;
      if (bytes !== null || socket.destroyed || socket.readableEnded) throw new Error('it ended');
      await new Promise((resolve) => socket.once('readable', resolve));
    }
  };
}
