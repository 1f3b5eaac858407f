/** Pictures that wait for the next message. */
import { basename } from 'node:path';
import type { Pictures } from '../../commands/command.ts';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { Content, ImagePart } from '../../llm/message.ts';
import { imageOf, readImage } from '../../pictures/attach.ts';
import { oneLine } from '../render/terminal-text.ts';
import { clipboardPicture } from './clipboard-picture.ts';
import { droppedPicture } from './dropped-picture.ts';

/** No provider takes many more in one request. */
const maxPictures = 10;

export class AttachedPictures implements Pictures {
  readonly #env: Variables;
  readonly #onChange: () => void;
  #pictures: readonly { readonly name: string; readonly part: ImagePart }[] = [];

  constructor(env: Variables, onChange: () => void) {
    this.#env = env;
    this.#onChange = onChange;
  }

  add(path: string): void {
    this.#attach(basename(path), readImage(path));
  }

  async paste(): Promise<boolean> {
    const bytes = await clipboardPicture(this.#env);
    if (bytes === undefined) return false;
    this.#attach('clipboard', imageOf(bytes, 'What is in the clipboard'));
    return true;
  }

  /** One line for the screen; empty when there are none. */
  get line(): string {
    return this.#pictures.map(({ name }, index) => ` [📎 Image #${index + 1}: ${oneLine(name, 40)}]`).join('');
  }

  /** Takes the picture whose path the text begins with; returns what is left to say. */
  takeDropped(text: string): string {
    const dropped = droppedPicture(text, this.#env);
    if (dropped === undefined) return text;
    this.add(dropped.path);
    return dropped.rest === '' ? `[User attached image: ${basename(dropped.path)}]` : dropped.rest;
  }

  /** A message with all of them, which then wait no more. */
  takeAlong(text: string): Content {
    const parts = this.#pictures.map(({ part }) => part);
    this.clear();
    return parts.length === 0 ? text : [{ type: 'text', text }, ...parts];
  }

  /** False when there were none. */
  clear(): boolean {
    const had = this.#pictures.length > 0;
    this.#pictures = [];
    if (had) this.#onChange();
    return had;
  }

  #attach(name: string, part: ImagePart): void {
    if (this.#pictures.length >= maxPictures) {
      throw new UserError(`At most ${maxPictures} pictures go along with a message.`, { hint: 'Send these first.' });
    }
    this.#pictures = [...this.#pictures, { name, part }];
    this.#onChange();
  }
}
