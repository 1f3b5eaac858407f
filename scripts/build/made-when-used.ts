/** Part of the program as it is built: stands in the place of a Zod schema of a module until somebody uses it. */

export function madeWhenUsed<Schema extends object>(make: () => Schema): Schema {
  let made: Schema | undefined;
  const schema = (): Schema => (made ??= make());
  return new Proxy<Schema>(Object.create(null), {
    // A getter of Zod has to find the schema itself, which it binds methods to.
    get: (_, key) => Reflect.get(schema(), key) as unknown,
    has: (_, key) => Reflect.has(schema(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(schema()),
  });
}
