/** What the reader of a format finds. */

export interface PlainPicture {
  readonly bytes: Buffer;
  /** Pixels; of several sizes that it names the largest. */
  readonly width: number;
  readonly height: number;
  /** How the pixels are to be turned (EXIF, 1 to 8); 1: they stand as they are. */
  readonly orientation: number;
}
