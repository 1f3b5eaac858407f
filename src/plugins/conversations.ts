/** Which conversation code of a plug-in runs for: the one that has called it, or the one at the terminal. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConversationDoor } from '../agent/conversation-door.ts';
import type { Hooks } from '../agent/hooks.ts';

/** A terminal with a person and one conversation at a time. */
export interface PluginTerminal {
  /** Undefined before there is one. */
  current(): ConversationDoor | undefined;
  /** Says something in it, as its person could; what runs is interrupted by it. */
  say(by: string, text: string): void;
}

interface Calling {
  readonly door: ConversationDoor;
  /** A hook waits for it: another call of a tool from there would wait for itself. */
  readonly inHook: boolean;
}

export class PluginConversations {
  readonly #calling = new AsyncLocalStorage<Calling>();
  #terminal: PluginTerminal | undefined;

  /** Until the returned function is called, this is where the person is. */
  attach(terminal: PluginTerminal): () => void {
    this.#terminal = terminal;
    return () => {
      if (this.#terminal === terminal) this.#terminal = undefined;
    };
  }

  get terminal(): PluginTerminal | undefined {
    return this.#terminal;
  }

  get current(): ConversationDoor | undefined {
    return this.#calling.getStore()?.door ?? this.#terminal?.current();
  }

  get inHook(): boolean {
    return this.#calling.getStore()?.inHook === true;
  }

  /** What `work` calls is called for this conversation. */
  within<T>(door: ConversationDoor, work: () => T, inHook = false): T {
    return this.#calling.run({ door, inHook }, work);
  }

  /** The same hooks, heard for one conversation. */
  heardIn(hooks: Hooks, door: ConversationDoor): Hooks {
    return {
      call: (...asked) => this.within(door, () => hooks.call(...asked), true),
      around: (kind, work) => this.within(door, () => hooks.around(kind, work), true),
      has: (point) => hooks.has(point),
    };
  }
}
