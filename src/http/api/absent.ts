/** Parts of the API that this build has nothing behind: asked for, they say so. */
import { HttpError, jsonAnswer } from '../answers.ts';
import type { HttpRequest, Route } from '../routes.ts';

export function absentRoutes(): Route[] {
  return [
    // Strangers too learn no more than that there is nothing to fire.
    { method: 'POST', path: '/api/cron/fire', access: 'own', handle: noManagedScheduler },
    { method: 'POST', path: '/api/platforms/:platform/events', access: 'own', handle: noPlatform },
  ];
}

async function noManagedScheduler(): Promise<Response> {
  return jsonAnswer({ error: 'This build takes no jobs from a managed scheduler.' }, 501);
}

async function noPlatform({ params: { platform = '' } }: HttpRequest): Promise<Response> {
  if (!/^[a-z0-9_-]+$/.test(platform)) throw new HttpError(400, 'Invalid platform name', { code: 'invalid_platform' });
  throw new HttpError(503, `The platform ${platform} is not connected.`, { code: 'platform_unavailable' });
}
