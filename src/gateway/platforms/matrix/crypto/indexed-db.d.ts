/**
 * The part of IndexedDB that is used here (https://www.w3.org/TR/IndexedDB/). The types of browsers are not loaded: with
 * them everything that only a browser has would seem to be there.
 */
type IDBValidKey = number | string | Date | ArrayBuffer | ArrayBufferView | IDBValidKey[];

interface IDBEvents {
  addEventListener(type: string, listener: () => void): void;
}

interface IDBRequest<T = unknown> extends IDBEvents {
  readonly result: T;
  readonly error: Error | null;
  readonly transaction: IDBTransaction | null;
}

interface IDBOpenDBRequest extends IDBRequest<IDBDatabase> {
  onupgradeneeded: (() => void) | null;
}

interface IDBFactory {
  open(name: string, version?: number): IDBOpenDBRequest;
  deleteDatabase(name: string): IDBOpenDBRequest;
}

interface IDBDatabase {
  readonly name: string;
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  transaction(names: string | string[], mode?: string, options?: unknown): IDBTransaction;
  createObjectStore(
    name: string,
    options: { readonly keyPath: string | string[] | null; readonly autoIncrement: boolean },
  ): IDBObjectStore;
  close(): void;
}

interface IDBTransaction extends IDBEvents {
  readonly error: Error | null;
  objectStore(name: string): IDBObjectStore;
}

interface IDBIndex {
  readonly keyPath: string | string[];
  readonly unique: boolean;
  readonly multiEntry: boolean;
}

interface IDBObjectStore {
  readonly name: string;
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  put(value: unknown, key?: unknown): IDBRequest;
  add(value: unknown, key?: unknown): IDBRequest;
  delete(key: unknown): IDBRequest;
  clear(): IDBRequest;
  get(key: unknown): IDBRequest;
  getAll(): IDBRequest<unknown[]>;
  getAllKeys(): IDBRequest<unknown[]>;
  openCursor(range?: unknown, direction?: unknown): IDBRequest;
  index(name: string): IDBIndex;
  createIndex(
    name: string,
    keyPath: string | string[],
    options: { readonly unique: boolean; readonly multiEntry: boolean },
  ): IDBIndex;
}

interface IDBKeyRange {
  readonly lower: unknown;
}

// As a type parameter of a class is declared for values, `var` is the only word for it.
declare var indexedDB: IDBFactory;
declare var IDBFactory: new () => IDBFactory;
declare var IDBKeyRange: { new (): IDBKeyRange; only(key: unknown): IDBKeyRange };
declare var IDBDatabase: new () => IDBDatabase;
declare var IDBObjectStore: new () => IDBObjectStore;
declare var IDBIndex: new () => IDBIndex;
declare var IDBTransaction: new () => IDBTransaction;
declare var IDBRequest: new () => IDBRequest;
declare var IDBOpenDBRequest: new () => IDBOpenDBRequest;
declare var IDBCursor: new () => unknown;
declare var IDBCursorWithValue: new () => unknown;
declare var IDBVersionChangeEvent: new () => unknown;
