/** Asks an endpoint which models it has. */
import * as z from 'zod';

const modelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })).max(10_000) });

const timeoutMs = 3000;
const maxListChars = 4 * 1024 * 1024;

/** Model ids as the endpoint lists them; undefined when it cannot be asked or answers something else. */
export async function listModels(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers,
      redirect: 'error',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    if (!response.ok || Number(response.headers.get('content-length') ?? 0) > maxListChars) return undefined;
    const parsed = modelList.safeParse(JSON.parse(await response.text()));
    return parsed.success ? parsed.data.data.map(({ id }) => id) : undefined;
  } catch {
    return undefined;
  }
}
