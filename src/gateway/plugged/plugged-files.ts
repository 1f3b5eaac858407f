/** Files that the adapter of a plug-in sends and fetches. */
import * as z from 'zod';
import type { FileTransfer } from '../platform/adapter.ts';
import type { PluggedPart } from './plugged-part.ts';

const fetchMs = 60_000;
const bytes = z.instanceof(Uint8Array);

export function pluggedFiles(files: PluggedPart): FileTransfer {
  const albums = files.part('albums');
  return {
    send: async (file, signal) => await files.send('send', [file], signal),
    ...(albums === undefined
      ? {}
      : {
          albums: {
            most: z.int().min(2).max(100).catch(10).parse(albums.field('most')),
            send: async (all, signal) => await albums.send('send', [all], signal),
          },
        }),
    async fetch(attachment, signal) {
      const given = await files.begin('fetch', [attachment], signal, fetchMs);
      return chunksOf(given);
    },
  };
}

async function* chunksOf(given: unknown): AsyncIterable<Uint8Array> {
  if (given instanceof Uint8Array) {
    yield given;
    return;
  }
  if (!isIterable(given)) throw new Error('its adapter gave no bytes');
  for await (const chunk of given) yield bytes.parse(chunk);
}

function isIterable(given: unknown): given is AsyncIterable<unknown> {
  return typeof given === 'object' && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given);
}
