/** Pictures on their way to a model: nothing beside the pixels, within bounds, and nothing hostile decoded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { fitPicture } from '../../src/pictures/picture.ts';
import { exif, makePng, pngChunk, pngHead, withSegments } from '../fakes/pictures.ts';

const { signal } = new AbortController();
const fit = (bytes: Buffer) => fitPicture(bytes, 'It', signal);

/** One of 8 × 4 pixels whose upper left quarter is red and whose rest is blue. */
function corner(): PhotonImage {
  const pixels = new Uint8Array(8 * 4 * 4);
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 8; x++) pixels.set(x < 4 && y < 2 ? [255, 0, 0, 255] : [0, 0, 255, 255], (y * 8 + x) * 4);
  }
  return new PhotonImage(pixels, 8, 4);
}

function colourAt(bytes: Buffer, x: number, y: number): 'red' | 'blue' {
  const picture = PhotonImage.new_from_byteslice(bytes);
  const at = (y * picture.get_width() + x) * 4;
  const [red = 0, , blue = 0] = picture.get_raw_pixels().slice(at, at + 4);
  return red > blue ? 'red' : 'blue';
}

test('a picture within the bounds keeps its pixels byte for byte, and loses what it tells beside them', async () => {
  const clean = makePng(30, 20);
  const told = makePng(30, 20, {
    before: [
      pngChunk('tEXt', Buffer.from('Author\0SECRET')),
      pngChunk('eXIf', exif(1)),
      pngChunk('iCCP', Buffer.from('x')),
    ],
  });
  const fitted = await fit(Buffer.concat([told, Buffer.from('SECRET behind the end')]));
  assert.deepEqual(fitted, { bytes: clean, type: 'image/png', width: 30, height: 20 });
  assert.deepEqual(await fit(fitted.bytes), fitted);
});

test('JPEG, GIF and WebP lose it too', async () => {
  const jpeg = Buffer.from(corner().get_bytes_jpeg(90));
  const told = withSegments(
    jpeg,
    [0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(1)])],
    [0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0SECRET')],
    [0xed, Buffer.from('Photoshop SECRET')],
    [0xfe, Buffer.from('SECRET comment')],
  );
  const fitted = await fit(Buffer.concat([told, Buffer.from('SECRET behind the end')]));
  assert.deepEqual([fitted.width, fitted.height, fitted.bytes.includes('SECRET')], [8, 4, false]);
  assert.deepEqual(
    PhotonImage.new_from_byteslice(fitted.bytes).get_raw_pixels(),
    PhotonImage.new_from_byteslice(jpeg).get_raw_pixels(),
  );

  const webp = Buffer.from(corner().get_bytes_webp());
  const chunk = Buffer.concat([Buffer.from('EXIF\x12\0\0\0SECRET SECRET SECR', 'latin1')]);
  const longer = Buffer.concat([webp, chunk]);
  longer.writeUInt32LE(longer.length - 8, 4);
  assert.deepEqual((await fit(longer)).bytes, webp);

  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, 6]), Buffer.from('SECRET'), Buffer.from([0])]);
  assert.deepEqual((await fit(Buffer.concat([gif.subarray(0, 19), comment, gif.subarray(19)]))).bytes, gif);
});

test('a picture that a camera took on its side is turned', async () => {
  const jpeg = corner().get_bytes_jpeg(100);
  for (const [orientation, size, red] of [
    [3, [8, 4], [7, 3]],
    [6, [4, 8], [3, 0]],
    [8, [4, 8], [0, 7]],
    [2, [8, 4], [7, 0]],
    [5, [4, 8], [0, 0]],
  ] as const) {
    const told = withSegments(jpeg, [0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(orientation)])]);
    const { bytes, width, height } = await fit(told);
    const [x, y] = red;
    assert.deepEqual([width, height, colourAt(bytes, x, y)], [...size, 'red'], String(orientation));
    assert.equal(colourAt(bytes, size[0] - 1 - x, size[1] - 1 - y), 'blue', String(orientation));
  }
});

test('a large one is made smaller, the same way each time, and stands within the bounds then', async () => {
  const drawing = makePng(4000, 500);
  const fitted = await fit(drawing);
  assert.deepEqual([fitted.type, fitted.width, fitted.height], ['image/png', 2000, 250]);
  assert.deepEqual(await fit(drawing), fitted);
  assert.deepEqual(await fit(fitted.bytes), fitted);
  const noisy = await fit(makePng(1500, 1400, { noise: true, alpha: true }));
  assert.deepEqual([noisy.type, noisy.width], ['image/jpeg', 1500]);
  assert.ok(noisy.bytes.length <= 3 * 1024 * 1024);
  // What is transparent is white, not black.
  const [red = 0, green = 0, blue = 0] = PhotonImage.new_from_byteslice(noisy.bytes).get_raw_pixels();
  assert.ok(red > 240 && green > 240 && blue > 240);
});

test('one that claims to be huge is refused by its header, whichever its format is', async () => {
  const end = pngChunk('IEND', Buffer.alloc(0));
  const bomb = Buffer.concat([pngHead(60_000, 60_000), end]);
  await assert.rejects(fit(bomb), /^UserError: It has 60000 × 60000 pixels; at most 64 million can be looked at\.$/);
  const jpeg = Buffer.from(corner().get_bytes_jpeg(90));
  const frame = Buffer.from([8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0]);
  await assert.rejects(fit(withSegments(jpeg, [0xc0, frame])), /has 65535 × 65535 pixels/);
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  gif.writeUInt16LE(60_000, 32);
  gif.writeUInt16LE(60_000, 34);
  await assert.rejects(fit(gif), /has 60000 × 60000 pixels/);
  const webp = Buffer.from(corner().get_bytes_webp());
  const header = Buffer.from('VP8X\x0a\0\0\0\0\0\0\0\xff\xff\x00\xff\xff\x00', 'latin1');
  await assert.rejects(fit(Buffer.concat([webp.subarray(0, 12), header, webp.subarray(12)])), /has 65536 × 65536/);
});

test('what is no picture, or a broken one, says so, whatever it is called', async () => {
  await assert.rejects(fit(Buffer.from('<svg>')), /It is not a picture that models take/);
  const png = makePng(30, 20);
  for (const broken of [
    png.subarray(0, 20),
    png.subarray(0, png.length - 20),
    Buffer.from('GIF89a'),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff]),
    Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff', 'latin1'),
    pngHead(0, 5),
  ]) {
    await assert.rejects(fit(broken), /It is broken: it is no whole/, broken.toString('hex', 0, 30));
  }
  const garbage = Buffer.concat([
    pngHead(3000, 20),
    pngChunk('IDAT', Buffer.from('nothing')),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
  await assert.rejects(fit(garbage), /It cannot be made smaller: it is broken/);
});

test('every cut and every changed byte of a picture is read or refused, and nothing else happens', async () => {
  const formats = [makePng(9, 7), corner().get_bytes_jpeg(80), corner().get_bytes_webp()].map((bytes) =>
    Buffer.from(bytes),
  );
  formats.push(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'));
  const { plainPicture } = await import('../../src/pictures/plain-picture.ts');
  const { pictureType } = await import('../../src/pictures/kind.ts');
  for (const whole of formats) {
    const type = pictureType(whole);
    assert.ok(type);
    for (let at = 0; at < whole.length; at++) {
      plainPicture(whole.subarray(0, at), type);
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = value;
        plainPicture(changed, type);
      }
    }
  }
});
