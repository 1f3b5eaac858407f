/** A proxy on this machine: passes requests on, opens tunnels, and leads every name to this machine. */
import { createServer, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ProxyServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Of each request its method and what it was for: `CONNECT models.test:443`, `GET http://models.test/v1/models`. */
  readonly asked: readonly string[];
  /** The value of `Proxy-Authorization` of the last request. */
  readonly credentials: string | undefined;
}

/** Every host and port is taken for `port` of 127.0.0.1, so that names which nobody resolves lead somewhere. */
export async function startProxy(port: number, { refuse }: { readonly refuse?: number } = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  let credentials: string | undefined;
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    credentials = incoming.headers['proxy-authorization'];
    const { pathname, search, host } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const options = { host: '127.0.0.1', port, path: pathname + search, method: incoming.method ?? 'GET' };
    const passed = requestHttp({ ...options, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    credentials = incoming.headers['proxy-authorization'];
    if (refuse !== undefined) return void socket.end(`HTTP/1.1 ${refuse} Refused\r\n\r\n`);
    const tunnel = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    sockets.add(tunnel);
    for (const end of [tunnel, socket]) end.on('error', () => [tunnel, socket].forEach((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    asked,
    get credentials() {
      return credentials;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
