/** How the pictures and videos of a session are looked at: by its own model, or by another one that describes them. */
import type { EncodedPicture } from '../../pictures/part.ts';

export interface Vision {
  /** The model of the conversation is shown pictures itself. Changes with the model. */
  readonly isNative: boolean;
  /** Somebody can be asked what a picture shows. */
  readonly canDescribe: boolean;
  /**
   * The words of another model: whatever is written in the picture may have chosen them. The same question about the same
   * picture is asked once. Throws `UserError` where nobody can be asked, `ModelError` when everybody failed.
   */
  describe(picture: EncodedPicture, question: string, signal: AbortSignal): Promise<string>;
  /** Somebody can be asked what happens in a video. Whether the model takes videos is only found out by asking it. */
  readonly canWatch: boolean;
  /** Like `describe`; `video` is a `data:` URL, and nothing is remembered. */
  watch(video: string, question: string, signal: AbortSignal): Promise<string>;
}
