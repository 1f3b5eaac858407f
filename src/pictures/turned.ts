/** Turns pixels as the camera was held. https://www.media.mit.edu/pia/Research/deepview/exif.html */

export interface Pixels {
  /** Red, green, blue, alpha of each. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** `orientation` is that of EXIF: 1 as it stands, 3 upside down, 6 and 8 on a side, the even ones below 6 and the odd ones above mirrored. */
export function turned(pixels: Pixels, orientation: number): Pixels {
  if (orientation === 1) return pixels;
  const from = new Uint32Array(pixels.data.slice().buffer);
  const [columns, rows] = [pixels.width, pixels.height];
  const onSide = orientation >= 5;
  const [width, height] = onSide ? [rows, columns] : [columns, rows];
  const to = new Uint32Array(from.length);
  const [right, bottom] = [columns - 1, rows - 1];
  const source: Readonly<Record<number, (x: number, y: number) => readonly [number, number]>> = {
    2: (x, y) => [right - x, y],
    3: (x, y) => [right - x, bottom - y],
    4: (x, y) => [x, bottom - y],
    5: (x, y) => [y, x],
    6: (x, y) => [y, bottom - x],
    7: (x, y) => [right - y, bottom - x],
    8: (x, y) => [right - y, x],
  };
  const find = source[orientation];
  if (find === undefined) return pixels;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [column, row] = find(x, y);
      to[y * width + x] = from[row * columns + column] ?? 0;
    }
  }
  return { data: new Uint8Array(to.buffer), width, height };
}
