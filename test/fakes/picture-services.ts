/** Services that make pictures and videos, in the wire formats of FAL, OpenAI, xAI, Krea, OpenRouter and DeepInfra. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { makePng } from './pictures.ts';

export const servicesKey = 'service-key-123';
export const madePicture = makePng(5, 4);

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  /** The fields of a form with files as `name: [type, size]`, or the JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PictureServices {
  readonly url: string;
  readonly calls: readonly ServiceCall[];
  /** The first call whose path begins so. */
  call(begin: string): ServiceCall | undefined;
}

interface Options {
  /** What is answered with status 500 and an error. */
  readonly fails?: RegExp;
  /** How many looks a job takes. */
  readonly looks?: number;
}

/** Refuses what the real ones refuse: another key, a field that is not known, a job that was not begun. */
export async function startPictureServices(
  t: TestContext,
  { fails, looks = 1 }: Options = {},
): Promise<PictureServices> {
  const calls: ServiceCall[] = [];
  const seen = new Map<string, number>();
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '';
      const send = (status: number, value: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (path.startsWith('/files/')) return void response.end(path.endsWith('.mp4') ? 'a video' : madePicture);
      const call = {
        method: request.method ?? '',
        path,
        authorization: request.headers.authorization ?? '',
        body: await read(request),
      };
      calls.push(call);
      if (!call.authorization.endsWith(` ${servicesKey}`))
        return send(401, { error: { message: `no such key ${call.authorization}` } });
      if (fails?.test(path) === true) return send(500, { error: { message: `it broke, said ${servicesKey}` } });
      send(...answer(call, `http://${request.headers.host ?? ''}`, { seen, looks }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, call: (begin) => calls.find(({ path }) => path.startsWith(begin)) };
}

interface Jobs {
  readonly seen: Map<string, number>;
  readonly looks: number;
}

function answer(call: ServiceCall, url: string, jobs: Jobs): [number, unknown] {
  const { method, path, body } = call;
  if (path.startsWith('/fal/')) return falAnswer(call, url, jobs);
  if (path === '/openai/images/generations' && 'response_format' in body)
    return [400, { error: { message: 'Unknown parameter' } }];
  if (/^\/openai\/images\/(?:generations|edits)$/.test(path))
    return [200, { data: [{ b64_json: madePicture.toString('base64') }] }];
  if (/^\/xai\/images\/(?:generations|edits)$/.test(path)) return [200, { data: [{ url: `${url}/files/x.png` }] }];
  if (/^\/xai\/videos\/(?:generations|edits|extensions)$/.test(path)) return [200, { request_id: 'video-1' }];
  if (path === '/xai/videos/video-1') {
    return [
      200,
      isReady(path, jobs)
        ? { status: 'done', video: { url: `${url}/files/x.mp4`, duration: 7 } }
        : { status: 'pending' },
    ];
  }
  if (path.startsWith('/deepinfra/models')) {
    return [
      200,
      {
        data: [
          { id: 'a/talker', metadata: { tags: ['chat'] } },
          { id: 'a/painter', metadata: { tags: ['image-gen'] } },
          { id: 'a/filmer', metadata: { tags: ['video-gen'] } },
        ],
      },
    ];
  }
  if (path === '/deepinfra/images/generations') return [200, { data: [{ b64_json: madePicture.toString('base64') }] }];
  if (method === 'POST' && path === '/deepinfra/videos') {
    if (body['model'] === 'b/broken')
      return [200, { id: 'job-2', status: 'failed', error: { message: 'no such scene' } }];
    return [200, { id: 'job-1', object: 'video', status: 'queued' }];
  }
  if (path === '/deepinfra/videos/job-1') {
    const data = [{ url: `${url}/files/d.mp4` }];
    return [200, { id: 'job-1', ...(isReady(path, jobs) ? { status: 'succeeded', data } : { status: 'processing' }) }];
  }
  if (path === '/openrouter/chat/completions') {
    const image = { image_url: { url: `data:image/png;base64,${madePicture.toString('base64')}` } };
    return [200, { choices: [{ message: { content: '', images: [image] } }] }];
  }
  if (method === 'POST' && path.startsWith('/krea/generate/image/krea/krea-2/')) return [200, { job_id: 'job-1' }];
  if (path === '/krea/jobs/job-1') {
    return [
      200,
      isReady(path, jobs)
        ? { status: 'completed', result: { urls: [`${url}/files/k.png`] } }
        : { status: 'processing' },
    ];
  }
  return [404, { error: { message: `nothing at ${path}` } }];
}

function falAnswer({ method, path }: ServiceCall, url: string, jobs: Jobs): [number, unknown] {
  const status = /^\/fal\/([\w.-]+\/[\w.-]+)\/requests\/(\w+)(\/status)?$/.exec(path);
  if (status === null) {
    if (method !== 'POST') return [405, { detail: 'only POST' }];
    const id = path.slice('/fal/'.length).replaceAll(/\W/g, '_');
    // As the real one: addresses of its own, which nobody has to follow.
    return [
      200,
      {
        request_id: id,
        status: 'IN_QUEUE',
        status_url: 'http://169.254.169.254/',
        response_url: 'http://169.254.169.254/',
      },
    ];
  }
  const [, application = '', id = '', isStatus] = status;
  if (!id.startsWith(application.replaceAll(/\W/g, '_'))) return [404, { detail: 'Request not found' }];
  if (isStatus !== undefined) return [200, { status: isReady(path, jobs) ? 'COMPLETED' : 'IN_PROGRESS' }];
  if (id.includes('upscaler')) return [200, { image: { url: `${url}/files/large.png` } }];
  return [
    200,
    id.includes('video') ? { video: { url: `${url}/files/v.mp4` } } : { images: [{ url: `${url}/files/small.png` }] },
  ];
}

function isReady(path: string, { seen, looks }: Jobs): boolean {
  seen.set(path, (seen.get(path) ?? 0) + 1);
  return (seen.get(path) ?? 0) >= looks;
}

async function read(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return {};
  if (type === 'application/json') return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData();
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => [
      name,
      form.getAll(name).map((value) => (typeof value === 'string' ? value : [value.type, value.size])),
    ]),
  );
}
