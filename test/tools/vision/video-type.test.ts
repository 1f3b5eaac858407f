/** Videos are known by their bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { videoTypeOf } from '../../../src/tools/vision/video-type.ts';

const beginnings: readonly (readonly [string, string, string | undefined])[] = [
  ['mp4', '\0\0\0\x20ftypisom\0\0\x02\0isomiso2', 'video/mp4'],
  ['a film of a phone', '\0\0\0\x18ftyp3gp4', 'video/mp4'],
  ['mov', '\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'video/mov'],
  ['mov of old', '\0\0\x10\0moov\0\0\0\x6cmvhd', 'video/mov'],
  ['webm', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\x82\x84webm', 'video/webm'],
  ['mkv', '\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\xf7\x81\x01\x42\x82\x88matroska', 'video/mp4'],
  ['avi', 'RIFF\x24\0\0\0AVI LIST', 'video/mp4'],
  ['mpeg', '\0\0\x01\xba\x44\0\x04\0', 'video/mpeg'],
  ['a song', '\0\0\0\x20ftypM4A \0\0\0\0', undefined],
  ['a picture in the same container', '\0\0\0\x20ftypavif\0\0\0\0', undefined],
  ['a sound', 'RIFF\x24\0\0\0WAVEfmt ', undefined],
  ['a text', 'ftyp is what files begin with', undefined],
  ['nothing', '', undefined],
];

for (const [what, start, type] of beginnings) {
  test(`${what}: ${type ?? 'no video'}`, () => assert.equal(videoTypeOf(Buffer.from(start, 'latin1')), type));
}
