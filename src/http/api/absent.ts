/** Parts of the API that this build has nothing behind: asked for, they say so. */
import { HttpError, jsonAnswer } from '../answers.ts';
import type { HttpRequest, Route } from '../routes.ts';

const jobs = ['GET /api/jobs', 'POST /api/jobs', 'GET /api/jobs/:id', 'PATCH /api/jobs/:id', 'DELETE /api/jobs/:id'];
const jobActions = ['pause', 'resume', 'run'].map((action) => `POST /api/jobs/:id/${action}`);

export function absentRoutes(): Route[] {
  const scheduler = [...jobs, ...jobActions].map((line): Route => {
    const [method, path = ''] = line.split(' ');
    return { method: methodOf(method), path, access: 'key', handle: noScheduler };
  });
  // Strangers too learn no more than that there is nothing to fire.
  const fire: Route = { method: 'POST', path: '/api/cron/fire', access: 'own', handle: noScheduler };
  return [
    ...scheduler,
    fire,
    { method: 'POST', path: '/api/platforms/:platform/events', access: 'own', handle: noPlatform },
  ];
}

function methodOf(name: string | undefined): Route['method'] {
  return (['GET', 'POST', 'PATCH', 'DELETE'] as const).find((method) => method === name) ?? 'GET';
}

async function noScheduler(): Promise<Response> {
  return jsonAnswer({ error: 'This build has no scheduler, so there are no jobs.' }, 501);
}

async function noPlatform({ params: { platform = '' } }: HttpRequest): Promise<Response> {
  if (!/^[a-z0-9_-]+$/.test(platform)) throw new HttpError(400, 'Invalid platform name', { code: 'invalid_platform' });
  throw new HttpError(503, `The platform ${platform} is not connected.`, { code: 'platform_unavailable' });
}
