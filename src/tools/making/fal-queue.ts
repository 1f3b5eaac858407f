/** Fal's queue, in which pictures and videos are made. https://docs.fal.ai/model-apis/model-endpoints/queue */
import * as z from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { askService, ServiceError, type Service } from './ask-service.ts';
import { waitForJob } from './wait-for-job.ts';

export const falBaseUrl = 'https://queue.fal.run';

const begun = z.looseObject({
  request_id: z.string().regex(/^[\w-]{1,100}$/),
  status_url: z.string().optional(),
  response_url: z.string().optional(),
});
const state = z.looseObject({ status: z.string() });

/** What `endpoint` made of `input`. Of the addresses that the queue answers with, only those below its own are followed: the key goes along. */
export async function runInFalQueue(
  service: Service,
  endpoint: string,
  input: JsonObject,
  signal: AbortSignal,
  timeoutMs = 300_000,
): Promise<JsonObject> {
  const ask = async (path: string, body?: JsonObject) =>
    await askService(
      service,
      path,
      { scheme: 'Key', timeoutMs: 60_000, ...(body === undefined ? {} : { body }) },
      until,
    );
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const job = begun.safeParse(await ask(`/${endpoint}`, input)).data;
  if (job === undefined) throw new ServiceError(`${service.name} did not say which request it began.`);
  // Requests are asked for by the application, which is the first two parts of an endpoint's name.
  const request = `/${endpoint.split('/').slice(0, 2).join('/')}/requests/${job.request_id}`;
  const statusPath = below(service, job.status_url) ?? `${request}/status`;
  await waitForJob(async () => {
    const status = state.safeParse(await ask(statusPath)).data?.status;
    return status === 'IN_QUEUE' || status === 'IN_PROGRESS' ? undefined : true;
  }, until);
  return await ask(below(service, job.response_url) ?? request);
}

/** A gateway may keep its requests elsewhere. */
function below({ baseUrl }: Service, address: string | undefined): string | undefined {
  return address?.startsWith(`${baseUrl}/`) === true ? address.slice(baseUrl.length) : undefined;
}
