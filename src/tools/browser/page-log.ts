/** What the pages of a browser said in their console, and what went wrong in them. */
import type { ConsoleMessage, Page } from 'playwright-core';

export interface ConsoleLine {
  readonly type: string;
  readonly text: string;
}

const maxLines = 200;
const maxChars = 1000;

/** The last 200 of each. */
export class PageLog {
  #messages: ConsoleLine[] = [];
  #errors: string[] = [];

  listen(page: Page): void {
    page.on('console', (message) => this.#keep(message));
    page.on('pageerror', (error) => this.error(error.message));
  }

  error(text: string): void {
    this.#errors.push(text.slice(0, maxChars));
    if (this.#errors.length > maxLines) this.#errors.shift();
  }

  get messages(): readonly ConsoleLine[] {
    return this.#messages;
  }

  get errors(): readonly string[] {
    return this.#errors;
  }

  clear(): void {
    this.#messages = [];
    this.#errors = [];
  }

  #keep(message: ConsoleMessage): void {
    this.#messages.push({ type: message.type(), text: message.text().slice(0, maxChars) });
    if (this.#messages.length > maxLines) this.#messages.shift();
  }
}
