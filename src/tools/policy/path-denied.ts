/** A file operation that the path guard does not allow. */

/** `message` begins with `Access denied:` or `Write denied:` and says what to do instead. */
export class PathDenied extends Error {
  override readonly name = 'PathDenied';
  readonly path: string;

  constructor(message: string, path: string) {
    super(message);
    this.path = path;
  }
}
