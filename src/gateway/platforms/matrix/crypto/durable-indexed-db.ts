/**
 * IndexedDB for the library of encryption, which knows no other store: kept in memory, and in SQLite so that a device and
 * its keys outlive the process.
 */
import { deserialize, serialize } from 'node:v8';
import { DatabaseSync } from 'node:sqlite';
import * as fake from 'fake-indexeddb';
import * as z from 'zod';

const storeSchema = z.object({
  name: z.string(),
  keyPath: z.union([z.string(), z.array(z.string()), z.null()]),
  autoIncrement: z.boolean(),
  indexes: z.array(
    z.object({
      name: z.string(),
      keyPath: z.union([z.string(), z.array(z.string())]),
      unique: z.boolean(),
      multiEntry: z.boolean(),
    }),
  ),
});
const databaseSchema = z.object({ name: z.string(), version: z.number(), stores: z.array(storeSchema) });
type DatabaseSchema = z.infer<typeof databaseSchema>;

const rows = z.array(z.object({ key: z.instanceof(Uint8Array), value: z.instanceof(Uint8Array) }));
const row = z.object({ value: z.string() });

/** What changed in one transaction, told when it is complete. */
interface Changes {
  readonly records: Map<string, { readonly store: string; readonly key: unknown }>;
  /** Changed as a whole, or in a way that does not name the record. */
  readonly stores: Set<string>;
}

/** One for each account; all of them live in the one IndexedDB that a process can have. */
export class KeyStore {
  readonly #sqlite: DatabaseSync;
  readonly #factory: DurableFactory;
  readonly #name: string;
  readonly #changes: Changes = { records: new Map(), stores: new Set() };
  #schemaChanged = false;

  /** `prefix` names the databases of the library that belong to the file. */
  static async open(path: string, prefix: string): Promise<KeyStore> {
    const sqlite = new DatabaseSync(path);
    sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;
      CREATE TABLE IF NOT EXISTS schema (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS record (store TEXT, key BLOB, value BLOB NOT NULL, PRIMARY KEY (store, key)) STRICT;`);
    const store = new KeyStore(sqlite, installed(), prefix);
    try {
      await store.#restore();
    } catch (error) {
      store.close();
      throw error;
    }
    return store;
  }

  private constructor(sqlite: DatabaseSync, factory: DurableFactory, prefix: string) {
    this.#sqlite = sqlite;
    this.#factory = factory;
    this.#name = `${prefix}::matrix-sdk-crypto`;
    factory.watch(this.#name, (changes, schemaChanged) => {
      for (const [id, record] of changes.records) this.#changes.records.set(id, record);
      for (const name of changes.stores) this.#changes.stores.add(name);
      this.#schemaChanged ||= schemaChanged;
    });
  }

  /** Everything that was changed so far is on the disk when it resolves. */
  async flush(): Promise<void> {
    const { records, stores } = this.#changes;
    if (records.size === 0 && stores.size === 0 && !this.#schemaChanged) return;
    const wholly = this.#schemaChanged;
    const changed = [...records.values()];
    const names = [...stores];
    records.clear();
    stores.clear();
    this.#schemaChanged = false;
    const database = await opened(this.#factory.raw(this.#name));
    try {
      const schema = schemaOf(database);
      const dumped = wholly ? schema.stores.map(({ name }) => name) : names;
      const dumps = await Promise.all(dumped.map(async (name) => ({ name, records: await allOf(database, name) })));
      const single = await Promise.all(
        changed
          .filter(({ store }) => !dumped.includes(store))
          .map(async ({ store, key }) => ({ store, key, value: await valueOf(database, store, key) })),
      );
      this.#write(() => {
        if (wholly) this.#writeSchema(schema);
        for (const { name, records: all } of dumps) {
          this.#sqlite.prepare('DELETE FROM record WHERE store = ?').run(name);
          for (const { key, value } of all) this.#put(name, key, value);
        }
        for (const { store, key, value } of single) this.#put(store, key, value);
      });
    } catch (error) {
      // They are still to be written.
      this.#schemaChanged = true;
      throw error;
    } finally {
      database.close();
    }
  }

  close(): void {
    this.#factory.unwatch(this.#name);
    this.#sqlite.close();
  }

  async #restore(): Promise<void> {
    // What an earlier adapter of this process has left in memory may be newer or older than the file.
    await removed(this.#factory, this.#name);
    const found = this.#sqlite.prepare('SELECT value FROM schema WHERE name = ?').get(this.#name);
    if (found === undefined) return;
    const schema = databaseSchema.parse(JSON.parse(row.parse(found).value));
    const request = this.#factory.raw(this.#name, schema.version);
    request.onupgradeneeded = () => build(request.result, schema);
    const database = await opened(request);
    try {
      for (const { name } of schema.stores) await this.#fill(database, name);
    } finally {
      database.close();
    }
  }

  async #fill(database: IDBDatabase, name: string): Promise<void> {
    const found = rows.parse(this.#sqlite.prepare('SELECT key, value FROM record WHERE store = ?').all(name));
    if (found.length === 0) return;
    const transaction = database.transaction(name, 'readwrite');
    const store = transaction.objectStore(name);
    for (const { key, value } of found) {
      if (store.keyPath === null) store.put(deserialize(value), deserialize(key));
      else store.put(deserialize(value));
    }
    await completed(transaction);
  }

  #writeSchema(schema: DatabaseSchema): void {
    this.#sqlite.exec('DELETE FROM record');
    this.#sqlite
      .prepare('INSERT OR REPLACE INTO schema (name, value) VALUES (?, ?)')
      .run(schema.name, JSON.stringify(schema));
  }

  #put(store: string, key: unknown, value: unknown): void {
    if (value === undefined)
      this.#sqlite.prepare('DELETE FROM record WHERE store = ? AND key = ?').run(store, serialize(key));
    else
      this.#sqlite
        .prepare('INSERT OR REPLACE INTO record (store, key, value) VALUES (?, ?, ?)')
        .run(store, serialize(key), serialize(value));
  }

  #write(body: () => void): void {
    this.#sqlite.exec('BEGIN IMMEDIATE');
    try {
      body();
      this.#sqlite.exec('COMMIT');
    } catch (error) {
      this.#sqlite.exec('ROLLBACK');
      throw error;
    }
  }
}

type Watcher = (changes: Changes, schemaChanged: boolean) => void;

/** Tells what is written to the databases that somebody watches. */
class DurableFactory extends fake.IDBFactory {
  readonly #watchers = new Map<string, Watcher>();

  watch(name: string, watcher: Watcher): void {
    this.#watchers.set(name, watcher);
  }

  unwatch(name: string): void {
    this.#watchers.delete(name);
  }

  /** Without watching. */
  raw(name: string, version?: number): IDBOpenDBRequest {
    return super.open(name, version);
  }

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    const watcher = this.#watchers.get(name);
    if (watcher === undefined) return request;
    const nothing: Changes = { records: new Map(), stores: new Set() };
    // Before whoever asked sees the database, so that nothing is written unseen.
    request.addEventListener('upgradeneeded', () =>
      request.transaction?.addEventListener('complete', () => watcher(nothing, true)),
    );
    request.addEventListener('success', () => observe(request.result, watcher));
    return request;
  }
}

/** The library looks for IndexedDB where browsers have it, so there is one for the whole process. */
function installed(): DurableFactory {
  const present: unknown = globalThis.indexedDB;
  if (present instanceof DurableFactory) return present;
  const { default: _standard, indexedDB: _database, forceCloseDatabase: _close, ...classes } = fake;
  Object.assign(globalThis, classes);
  const factory = new DurableFactory();
  Object.defineProperty(globalThis, 'indexedDB', { value: factory, configurable: true });
  return factory;
}

function observe(database: IDBDatabase, watcher: Watcher): void {
  const begin = database.transaction.bind(database);
  database.transaction = (names, mode, options) => {
    const transaction = begin(names, mode, options);
    if (mode !== 'readwrite') return transaction;
    const changes: Changes = { records: new Map(), stores: new Set() };
    transaction.addEventListener('complete', () => watcher(changes, false));
    const find = transaction.objectStore.bind(transaction);
    transaction.objectStore = (name) => observeStore(find(name), changes);
    return transaction;
  };
}

function observeStore(store: IDBObjectStore, { records, stores }: Changes): IDBObjectStore {
  const { name } = store;
  const one = (key: unknown): void => {
    if (key === undefined || key instanceof fake.IDBKeyRange) stores.add(name);
    else records.set(`${name}\0${serialize(key).toString('latin1')}`, { store: name, key });
  };
  const whole = (): void => void stores.add(name);
  const put = store.put.bind(store);
  const add = store.add.bind(store);
  const remove = store.delete.bind(store);
  const clear = store.clear.bind(store);
  const openCursor = store.openCursor.bind(store);
  const index = store.index.bind(store);
  store.put = (...given) => (one(given[1]), put(...given));
  store.add = (...given) => (one(given[1]), add(...given));
  store.delete = (key) => (one(key), remove(key));
  store.clear = () => (whole(), clear());
  // A cursor may change what it stands on.
  store.openCursor = (...given) => (whole(), openCursor(...given));
  store.index = (...given) => (whole(), index(...given));
  return store;
}

function schemaOf(database: IDBDatabase): DatabaseSchema {
  const { name, version } = database;
  const names = [...database.objectStoreNames];
  if (names.length === 0) return { name, version, stores: [] };
  const transaction = database.transaction(names);
  const stores = names.map((each) => {
    const store = transaction.objectStore(each);
    const indexes = [...store.indexNames].map((indexName) => {
      const index = store.index(indexName);
      return { name: indexName, keyPath: index.keyPath, unique: index.unique, multiEntry: index.multiEntry };
    });
    return { name: each, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes };
  });
  return databaseSchema.parse({ name, version, stores });
}

function build(database: IDBDatabase, { stores }: DatabaseSchema): void {
  for (const { name, keyPath, autoIncrement, indexes } of stores) {
    const store = database.createObjectStore(name, { keyPath, autoIncrement });
    for (const index of indexes)
      store.createIndex(index.name, index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
  }
}

async function allOf(
  database: IDBDatabase,
  name: string,
): Promise<{ readonly key: unknown; readonly value: unknown }[]> {
  const store = database.transaction(name).objectStore(name);
  const [keys, values] = await Promise.all([answered(store.getAllKeys()), answered(store.getAll())]);
  return keys.map((key, index): { key: unknown; value: unknown } => ({ key, value: values[index] }));
}

async function valueOf(database: IDBDatabase, name: string, key: unknown): Promise<unknown> {
  return await answered(database.transaction(name).objectStore(name).get(fake.IDBKeyRange.only(key)));
}

async function opened(request: IDBOpenDBRequest): Promise<IDBDatabase> {
  return await answered(request);
}

async function removed(factory: IDBFactory, name: string): Promise<void> {
  await answered(factory.deleteDatabase(name));
}

async function answered<T>(request: IDBRequest<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the store of keys failed')));
  });
}

async function completed(transaction: IDBTransaction): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('the store of keys failed')));
  });
}
