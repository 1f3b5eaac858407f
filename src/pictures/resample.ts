/** Decodes a picture, turns it as it was taken, and encodes it within the bounds. To be run in a thread of its own. */
import { maxMadePngBytes, maxSentBytes, maxSide } from './bounds.ts';
import { turned, type Pixels } from './turned.ts';

export interface Resampled {
  readonly bytes: Uint8Array;
  readonly type: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

/** Each try has three quarters of the sides of the one before. */
const maxTries = 8;
const qualities = [85, 70] as const;

/** The same bytes give the same bytes: providers keep what they have read of a conversation by that. */
export async function resample(bytes: Uint8Array, orientation: number): Promise<Resampled> {
  const { PhotonImage, SamplingFilter, resize } = await import('@silvia-odwyer/photon-node');
  const whole = PhotonImage.new_from_byteslice(bytes);
  const largest = Math.max(whole.get_width(), whole.get_height());
  let side = Math.min(maxSide, largest);
  for (let tries = 0; tries < maxTries; tries++, side = Math.round(side * 0.75)) {
    const scale = side / largest;
    const [width, height] = [whole.get_width(), whole.get_height()].map((of) => Math.max(1, Math.round(of * scale)));
    const small = scale === 1 ? whole : resize(whole, width ?? 1, height ?? 1, SamplingFilter.Lanczos3);
    const pixels = turned(
      { data: small.get_raw_pixels(), width: small.get_width(), height: small.get_height() },
      orientation,
    );
    if (small !== whole) small.free();
    const size = { width: pixels.width, height: pixels.height };
    const png = encoded(pixels, (picture) => picture.get_bytes());
    if (png.length <= maxMadePngBytes) return { bytes: png, type: 'image/png', ...size };
    const opaque = onWhite(pixels);
    for (const quality of qualities) {
      const jpeg = encoded(opaque, (picture) => picture.get_bytes_jpeg(quality));
      if (jpeg.length <= maxSentBytes) return { bytes: jpeg, type: 'image/jpeg', ...size };
    }
  }
  throw new Error('it stays too large');

  function encoded({ data, width, height }: Pixels, encode: (picture: InstanceType<typeof PhotonImage>) => Uint8Array) {
    const picture = new PhotonImage(data, width, height);
    const made = encode(picture);
    picture.free();
    return made;
  }
}

/** JPEG knows nothing that is transparent. */
function onWhite({ data, width, height }: Pixels): Pixels {
  const opaque = Uint8Array.from(data);
  for (let at = 3; at < opaque.length; at += 4) {
    const alpha = opaque[at] ?? 255;
    if (alpha === 255) continue;
    for (let channel = at - 3; channel < at; channel++) {
      opaque[channel] = Math.round(((opaque[channel] ?? 0) * alpha + 255 * (255 - alpha)) / 255);
    }
    opaque[at] = 255;
  }
  return { data: opaque, width, height };
}
