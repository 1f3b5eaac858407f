/** Scheduled jobs over the API: `/api/jobs`. They are run by the gateway. */
import * as z from 'zod';
import type { JobDesk } from '../../cron/job-desk.ts';
import type { JobInput } from '../../cron/job-input.ts';
import { shownJobs } from '../../cron/job-words.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { openJobDesk } from '../../runtime/open-job-desk.ts';
import type { Program } from '../../runtime/program.ts';
import { jsonAnswer } from '../answers.ts';
import type { HttpRequest, Route } from '../routes.ts';

const maxNameChars = 200;
const maxPromptChars = 5000;

const skills = z.array(z.string().max(maxNameChars)).max(50);
const fields = {
  name: z.string().trim().min(1).max(maxNameChars),
  schedule: z.string().trim().min(1).max(maxNameChars),
  prompt: z.string().max(maxPromptChars),
  deliver: z.string().max(1000),
  skills,
  repeat: z.int().positive().nullable(),
};
const creation = z.object({
  ...fields,
  prompt: fields.prompt.default(''),
  deliver: fields.deliver.default('local'),
  skills: skills.optional(),
  repeat: fields.repeat.optional(),
});
const change = z.object({ ...fields, skill: z.string().max(maxNameChars).nullable(), enabled: z.boolean() }).partial();

export function jobsRoutes(program: Program): Route[] {
  const { home, config, env } = program.options;
  let opened: JobDesk | undefined;
  const desk = (): JobDesk => (opened ??= openJobDesk({ home, config, env, log: program.log, models: program.models }));
  const route = (method: Route['method'], path: string, answer: (request: HttpRequest) => Promise<unknown>): Route => ({
    method,
    path,
    access: 'key',
    handle: async (request) => await answered(() => answer(request)),
  });
  const one = (path: string, method: Route['method'], act: (id: string, request: HttpRequest) => Promise<unknown>) =>
    route(method, path, async (request) => await act(requireJob(desk(), request), request));
  const job = (id: string): { job: JsonObject | undefined } => ({ job: desk().store.record(id) });
  return [
    route('GET', '/api/jobs', async ({ query }) => {
      const { store } = desk();
      const shown = shownJobs(store.list(), query.get('include_disabled') === 'true');
      return await Promise.resolve({ jobs: shown.map(({ id }) => store.record(id)) });
    }),
    route('POST', '/api/jobs', async (request) => {
      const input = parsed(creation, await request.json());
      return job((await desk().create(definedOf(input), originOf(request))).id);
    }),
    one('/api/jobs/:id', 'GET', async (id) => await Promise.resolve(job(id))),
    one('/api/jobs/:id', 'PATCH', async (id, request) => {
      await update(desk(), id, parsed(change, await request.json()));
      return job(id);
    }),
    one('/api/jobs/:id', 'DELETE', async (id) => {
      await desk().remove(id);
      return { ok: true };
    }),
    one('/api/jobs/:id/pause', 'POST', async (id) => job((await desk().pause(id, undefined)).id)),
    one('/api/jobs/:id/resume', 'POST', async (id) => job((await desk().resume(id)).id)),
    one('/api/jobs/:id/run', 'POST', async (id) => job((await desk().trigger(id)).id)),
  ];
}

/** What is wrong with a request, as its answer. */
class JobProblem extends Error {
  override readonly name = 'JobProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Errors of these routes are a text, not the object of the other ones. */
async function answered(work: () => Promise<unknown>): Promise<Response> {
  try {
    return jsonAnswer(await work());
  } catch (error) {
    if (error instanceof JobProblem) return jsonAnswer({ error: error.message }, error.status);
    if (error instanceof UserError) return jsonAnswer({ error: errorMessage(error) }, 400);
    throw error;
  }
}

function requireJob(desk: JobDesk, { params: { id = '' } }: HttpRequest): string {
  if (!/^[a-f0-9]{12}$/.test(id)) throw new JobProblem(400, 'Invalid job ID format');
  if (desk.store.get(id) === undefined) throw new JobProblem(404, 'Job not found');
  return id;
}

function parsed<Shape extends z.ZodType>(shape: Shape, body: JsonObject): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new JobProblem(400, `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'it cannot be read'}`);
}

async function update(desk: JobDesk, id: string, body: z.output<typeof change>): Promise<void> {
  const { skill, enabled, ...rest } = body;
  if (Object.keys(body).length === 0) throw new JobProblem(400, 'No valid fields to update');
  const only = skill === undefined ? undefined : [skill].filter((name) => name !== null);
  const input: JobInput = { ...(only === undefined ? {} : { skills: only }), ...definedOf(rest) };
  if (Object.keys(input).length > 0) await desk.update(id, input);
  if (enabled === true && desk.store.get(id)?.enabled === false) await desk.resume(id);
  if (enabled === false) await desk.pause(id, undefined);
}

/** Keys that were not sent are not there at all. */
function definedOf<Body extends object>(body: Body): Body {
  const copy = { ...body };
  for (const key of Object.keys(copy)) if (Reflect.get(copy, key) === undefined) Reflect.deleteProperty(copy, key);
  return copy;
}

const maxHeaderChars = 200;

/** Who asked, as the original keeps it. */
function originOf({ headers, address }: HttpRequest): JsonObject {
  const header = (name: string): string | null => headers.get(name)?.slice(0, maxHeaderChars) ?? null;
  return {
    platform: 'api_server',
    chat_id: 'api',
    source_ip: address,
    peer_ip: address,
    forwarded_for: header('x-forwarded-for'),
    real_ip: header('x-real-ip'),
    user_agent: header('user-agent'),
  };
}
