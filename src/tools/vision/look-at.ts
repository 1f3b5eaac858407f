/** Has a picture looked at for a tool: by the model of the conversation, or by one that describes it. */
import { UserError } from '../../lib/errors.ts';
import type { ImagePart } from '../../llm/message.ts';
import { partOf } from '../../pictures/part.ts';
import { fitPicture } from '../../pictures/picture.ts';
import type { ToolServices } from '../services.ts';

/** `shown`: to be put into the result, for the model to see. `told`: the words of another model, which are data. */
export type Look =
  | { readonly kind: 'shown'; readonly part: ImagePart }
  | { readonly kind: 'told'; readonly text: string };

export interface LookRequest {
  readonly bytes: Buffer;
  /** As the picture is called in messages. */
  readonly name: string;
  readonly question: string;
}

/** Throws `UserError` for what is no picture that can be looked at, and where nobody can look; `ModelError`; the signal's reason. */
export async function lookAt(
  { bytes, name, question }: LookRequest,
  { state: { vision } }: Pick<ToolServices, 'state'>,
  signal: AbortSignal,
): Promise<Look> {
  if (vision === undefined) throw new UserError('Nobody can look at pictures here.');
  const picture = await fitPicture(bytes, name, signal);
  if (vision.isNative) return { kind: 'shown', part: partOf(picture) };
  return { kind: 'told', text: await vision.describe(picture, question, signal) };
}
