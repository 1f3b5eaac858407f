/** The files of chats, in both directions, as a gateway needs them. */
import type { PlaceOptions, Taken } from '../chats/place.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ReceivedFile } from '../chats/turn-input.ts';

export interface ChatMedia {
  /** Brings what is attached to a message to this machine. Rejects only with the reason of `signal`. */
  receive(
    event: MessageEvent,
    connection: PlatformConnection | undefined,
    signal: AbortSignal,
  ): Promise<readonly ReceivedFile[]>;
  takeFiles(text: string): Taken;
  takePictures(...asked: Parameters<PlaceOptions['takePictures']>): Promise<Taken>;
}
