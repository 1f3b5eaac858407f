/** One request to the Responses API of xAI, with its login or its key. https://docs.x.ai/docs/guides/tools/search-tools */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { askService, ServiceRefusal } from './backends/ask-service.ts';
import type { WebAccess, XaiCredential } from './web-access.ts';

const annotation = z.looseObject({
  type: z.string().nullish(),
  url: z.string().nullish(),
  title: z.string().nullish(),
  start_index: z.number().nullish(),
  end_index: z.number().nullish(),
});

const answered = z.looseObject({
  output_text: z.string().nullish(),
  output: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        content: z
          .array(
            z.looseObject({
              type: z.string().nullish(),
              text: z.string().nullish(),
              annotations: z.array(annotation).nullish(),
            }),
          )
          .nullish()
          .catch(undefined),
      }),
    )
    .nullish(),
  citations: z
    .array(z.union([z.string(), z.looseObject({ url: z.string() }).transform(({ url }) => url)]))
    .nullish()
    .catch(undefined),
  error: z.union([z.string(), z.looseObject({ message: z.string().nullish() })]).nullish(),
});

export interface XaiAnswer {
  readonly text: string;
  readonly citations: readonly string[];
  readonly inline: readonly XaiCitation[];
  readonly credential: XaiCredential['kind'];
}

export interface XaiCitation {
  readonly url: string;
  readonly title: string;
  readonly start_index: number | null;
  readonly end_index: number | null;
}

export interface XaiRequest {
  readonly body: object;
  readonly timeoutMs: number;
}

/** A login that is refused is renewed once. Throws `UserError`, `ServiceRefusal` for a status. */
export async function askXai(
  { body, timeoutMs }: XaiRequest,
  request: { readonly access: WebAccess; readonly signal: AbortSignal },
): Promise<XaiAnswer> {
  const { access, signal } = request;
  for (let attempt = 0; ; attempt += 1) {
    const taken = await access.xai.take(signal);
    if (taken === undefined) {
      throw new UserError('There is no login and no key for xAI: run `hermes auth add xai-oauth`, or set XAI_API_KEY.');
    }
    const { baseUrl, credential, kind } = taken;
    const headers = { authorization: `Bearer ${credential.secret}` };
    try {
      const call = { name: 'xAI', url: `${baseUrl}/responses`, headers, body, timeoutMs };
      const answer = await askService(call, answered, request);
      await taken.report({ kind: 'ok' }, signal);
      return readAnswer(answer, kind);
    } catch (error) {
      const again = await reportFailure(taken, error, signal);
      if (!again || attempt > 0) throw error;
    }
  }
}

/** True when a refused login may be tried once more, as it is another one by now. */
async function reportFailure(taken: XaiCredential, error: unknown, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const status = error instanceof ServiceRefusal ? { status: error.status } : {};
  const reason = error instanceof Error ? error.message : String(error);
  const goesOn = await taken.report({ kind: 'failed', ...status, exhausted: false, reason }, signal);
  return goesOn && error instanceof ServiceRefusal && error.status === 401;
}

function readAnswer(answer: z.infer<typeof answered>, credential: XaiCredential['kind']): XaiAnswer {
  const { output_text: whole, output, citations, error } = answer;
  if (error !== null && error !== undefined) {
    const told = typeof error === 'string' ? error : (error.message ?? 'an unknown error');
    throw new UserError(`xAI answered with an error: ${told.slice(0, 300)}.`);
  }
  const parts = (output ?? []).filter(({ type }) => type === 'message').flatMap(({ content }) => content ?? []);
  const texts = parts
    .filter(({ type }) => type === 'output_text' || type === 'text')
    .map(({ text }) => text?.trim() ?? '');
  const inline = parts
    .flatMap(({ annotations }) => annotations ?? [])
    .filter(({ type }) => type === 'url_citation')
    .map(({ url, title, start_index, end_index }) => ({
      url: url ?? '',
      title: title ?? '',
      start_index: start_index ?? null,
      end_index: end_index ?? null,
    }));
  const text = whole?.trim() || texts.filter((part) => part !== '').join('\n\n');
  return { text, citations: citations ?? [], inline, credential };
}
