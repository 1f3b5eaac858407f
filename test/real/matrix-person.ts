/** A person with a real client of Matrix. */
import type { TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Calls } from './matrix-person-worker.ts';

export interface Heard {
  readonly id: string;
  readonly sender: string;
  readonly content: Record<string, unknown>;
}

export interface Asked {
  readonly id: number;
  readonly name: keyof Calls;
  readonly args: readonly unknown[];
}

export type Person = Calls & { readonly userId: string };

export async function startPerson(t: TestContext, url: string, userId: string, password: string): Promise<Person> {
  const worker = new Worker(new URL('matrix-person-worker.ts', import.meta.url), { stdout: true, stderr: true });
  t.after(async () => void (await worker.terminate()));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  worker.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  let next = 0;
  const ask =
    (name: keyof Calls) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const asked: Asked = { id: (next += 1), name, args };
      const answer = Promise.withResolvers<unknown>();
      waiting.set(asked.id, answer);
      worker.postMessage(asked, []);
      return await answer.promise;
    };
  const person = new Proxy(
    { userId },
    {
      get: (known, name) => (name === 'userId' || name === 'then' ? known[name as 'userId'] : ask(name as keyof Calls)),
    },
  ) as unknown as Person;
  await person.start(url, userId, password);
  return person;
}
