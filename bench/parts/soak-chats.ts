/** The people of a soak: they write numbered messages in chats, and it is judged by what the platform has seen. */
import { readFileSync } from 'node:fs';
import { judge, type Verdict } from '../../test/gateway/killed/judge.ts';
import { numbersIn } from '../../test/gateway/killed/outside-model.ts';
import type { Sent, Update } from '../../test/gateway/killed/outside-service.ts';
import type { BotAct, BotApi } from './bot-api.ts';

/** Where the owner is told what could not be delivered; the judge knows it by this name. */
export const homeChat = 999;
/** A chat of so many messages is left, and another one begun. */
const longestChat = 100;
const kinds = ['say', 'say', 'do', 'long'] as const;

interface Chat {
  readonly updates: Update[];
  readonly sent: Sent[];
  /** Nobody keeps an order in it. */
  readonly unordered: boolean;
}

export class SoakChats {
  readonly #api: BotApi;
  readonly #chats = new Map<number, Chat>();
  readonly #updates = new Map<string, Update>();
  readonly #sent = new Map<string, Sent>();
  readonly #home: Sent[] = [];
  #nextChat = 1;
  /** Those in which people write now. */
  #open: number[] = [];

  constructor(api: BotApi, open: number) {
    this.#api = api;
    api.onAcknowledged = (id) => {
      const update = this.#updates.get(id);
      if (update !== undefined) update.acknowledged = true;
    };
    api.onAct = (act) => this.#acted(act);
    this.#open = Array.from({ length: open }, () => this.#begin());
  }

  /** So many that were written, or reported with `report`. */
  get messages(): number {
    return this.#updates.size;
  }

  /** Somebody writes in one of the chats. */
  say(): void {
    const place = Math.floor(Math.random() * this.#open.length);
    const number = this.#open[place] ?? this.#begin();
    const { updates } = this.#chat(number);
    const text = `${kinds[Math.floor(Math.random() * kinds.length)]} c${number}#${updates.length + 1}`;
    this.#note(number, this.#api.say(number, text), text, false);
    if (updates.length >= longestChat) this.#open[place] = this.#begin();
  }

  /** What came another way and is answered in a chat: accepted when this is called. */
  report(chat: number, id: string, text: string): void {
    this.#note(chat, id, text, true);
  }

  /** A chat whose messages come another way. */
  beginReports(): number {
    const number = this.#begin();
    this.#chats.set(number, { updates: [], sent: [], unordered: true });
    return number;
  }

  verdict(effectsPath: string): Verdict {
    const effects = Map.groupBy(linesOf(effectsPath), (line) => Number(/\bc(\d+)#/.exec(line)?.[1]));
    const each = [...this.#chats].map(([number, { updates, sent, unordered }]) => {
      const home = this.#home.filter(({ text }) => text.includes(`to the chat ${number} could not`));
      const found = judge(updates, [...sent, ...home], (effects.get(number) ?? []).join('\n'));
      return unordered ? { ...found, outOfOrder: [] } : found;
    });
    return each.reduce(together);
  }

  /** All that was seen of a message, for whoever looks why it was lost. */
  historyOf(text: string): string {
    const [number = ''] = numbersIn(text);
    const update = [...this.#updates.values()].find((one) => numbersIn(one.text).includes(number));
    const chat = this.#chats.get(Number(update?.chat));
    const about = chat?.sent.filter((one) => one.replyTo === update?.id || numbersIn(one.text).includes(number)) ?? [];
    return [update, ...about].map((one) => `  ${JSON.stringify(one).slice(0, 300)}\n`).join('');
  }

  #begin(): number {
    const number = this.#nextChat;
    this.#nextChat += 1;
    this.#chats.set(number, { updates: [], sent: [], unordered: false });
    return number;
  }

  #chat(number: number): Chat {
    const chat = this.#chats.get(number);
    if (chat === undefined) throw new Error(`there is no chat ${number}`);
    return chat;
  }

  #note(chat: number, id: string, text: string, acknowledged: boolean): void {
    const update = { id, chat: String(chat), text, deliveries: 1, acknowledged };
    this.#updates.set(id, update);
    this.#chat(chat).updates.push(update);
  }

  #acted({ kind, id, chat, text, replyTo }: BotAct): void {
    const known = this.#sent.get(id);
    if (kind === 'removed' && known !== undefined) known.removed = true;
    if (kind === 'edited' && known !== undefined) known.text = text;
    if (kind !== 'sent') return;
    const isHome = Number(chat) === homeChat;
    const sent = { id, chat: isHome ? 'home' : chat, text, replyTo, key: '', at: Date.now(), removed: false };
    this.#sent.set(id, sent);
    if (isHome) this.#home.push(sent);
    else this.#chats.get(Number(chat))?.sent.push(sent);
  }
}

function together(one: Verdict, other: Verdict): Verdict {
  return {
    messages: one.messages + other.messages,
    lost: [...one.lost, ...other.lost],
    doubled: [...one.doubled, ...other.doubled],
    outOfOrder: [...one.outOfOrder, ...other.outOfOrder],
    repeatedEffects: [...one.repeatedEffects, ...other.repeatedEffects],
    unacknowledged: [...one.unacknowledged, ...other.unacknowledged],
    answered: one.answered + other.answered,
    notices: one.notices + other.notices,
    givenUp: one.givenUp + other.givenUp,
    marked: one.marked + other.marked,
    markedTwice: [...one.markedTwice, ...other.markedTwice],
  };
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // Nothing was done yet.
    return [];
  }
}
