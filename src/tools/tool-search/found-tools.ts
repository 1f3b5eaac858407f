/** The tools of a session that are not sent with each request: they are searched for, described, and called through others. */
import type { Tool } from '../../agent/tool.ts';

/** Set anew before each turn. */
export class FoundTools {
  #tools: readonly Tool<unknown>[] = [];

  set(tools: readonly Tool<unknown>[]): void {
    this.#tools = tools;
  }

  list(): readonly Tool<unknown>[] {
    return this.#tools;
  }

  find(name: string): Tool<unknown> | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }
}
