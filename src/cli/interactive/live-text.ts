/** Text on the screen that may still change, and the pieces a long one is drawn in. */

/** Text in the conversation that may still change. */
export interface LiveText {
  set(text: string): void;
  remove(): void;
}

/** Text that knows where it is. */
export interface PlacedText extends LiveText {
  /** False once it has scrolled off, where nothing can be changed any more. */
  isOnScreen(): boolean;
}

/** A piece of a longer text. */
export interface Piece {
  readonly text: string;
  /** It goes on with the code block of the piece before. */
  readonly continued: boolean;
}
