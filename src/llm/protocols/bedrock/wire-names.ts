/**
 * Ids and names of tool calls in the letters that Bedrock allows, 64 at most.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
import { createHash } from 'node:crypto';

/** The same id for a call and its result, whenever it is asked for. Other providers write longer and odder ones. */
export function wireId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 47)}_${hash}`;
}

export function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
