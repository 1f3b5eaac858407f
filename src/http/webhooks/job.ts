/** What is to be done with a delivery, as it is written down before its sender is answered. */
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';
import { deliveryTarget } from './target.ts';

const job = z.object({
  event: z.string(),
  /** What the agent is asked, or, without one, what is delivered. */
  prompt: z.string(),
  skills: z.array(z.string()),
  target: deliveryTarget,
  deliverOnly: z.boolean(),
});
export type WebhookJob = z.infer<typeof job>;

/** Undefined for what another version wrote in another form. */
export function readJob(text: string): WebhookJob | undefined {
  return job.safeParse(parseJson(text)).data;
}
