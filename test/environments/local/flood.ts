/** Many background processes that write much, in a process of their own whose memory can be looked at. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const answer = z.object({ ends: z.number(), grown: z.number() });
/** 200,000 characters are kept of each, twice that while they come; the rest is what reading takes. */
const allowedMegabytes = 350;

/** All of them end, the end of each is kept, and memory does not grow with what they write. */
export async function floodStaysBounded(count: number, megabytes: number): Promise<void> {
  const program = join(import.meta.dirname, 'flood-program.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, `${count}`, `${megabytes}`]);
  const { ends, grown } = answer.parse(JSON.parse(stdout));
  assert.equal(ends, count);
  assert.ok(grown < allowedMegabytes, `memory grew by ${grown} MB`);
}
