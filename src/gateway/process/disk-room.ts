/** Whether there is room on the disk for what people write and what is answered. */
import { statfsSync } from 'node:fs';

export interface DiskRoomOptions {
  /** Bytes below which nothing is taken. */
  readonly leastBytes?: number;
  /** Bytes that are free where `path` lies. Throws when it cannot be told. */
  readonly free?: (path: string) => number;
  readonly now?: () => number;
}

const leastRoomBytes = 64 * 1024 * 1024;
const lookEveryMs = 5000;
export const noRoomText =
  'The disk of my machine is nearly full, so I cannot keep your message now. I take it as soon as there is room.';

/** The returned function says why nothing can be taken, if so. It looks every five seconds at most. */
export function diskRoom(path: string, options: DiskRoomOptions = {}): () => string | undefined {
  const { leastBytes = leastRoomBytes, free = freeBytes, now = Date.now } = options;
  let lookedAt = -Infinity;
  let isFull = false;
  return () => {
    const time = now();
    if (time - lookedAt >= lookEveryMs || time < lookedAt) {
      lookedAt = time;
      isFull = lacksRoom(() => free(path), leastBytes);
    }
    return isFull ? noRoomText : undefined;
  };
}

/** A file system that does not say how full it is does not keep anybody from writing. */
function lacksRoom(free: () => number, leastBytes: number): boolean {
  try {
    return free() < leastBytes;
  } catch {
    return false;
  }
}

/** Room that only an administrator may use does not count. */
function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
