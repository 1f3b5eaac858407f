/** A map that forgets what was put into it longest ago. */
export class Recent<T> {
  readonly #values = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    const oldest = this.#values.size >= this.#most ? this.#values.keys().next().value : undefined;
    if (oldest !== undefined) this.#values.delete(oldest);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  keys(): readonly string[] {
    return [...this.#values.keys()];
  }
}
