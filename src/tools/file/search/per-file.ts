/** Many lines in a row are of one file: what is looked up by its path is looked up once. */

/** The same function, which remembers what it last answered. */
export function perFile<Value>(look: (path: string) => Value): (path: string) => Value {
  let last: { readonly path: string; readonly value: Value } | undefined;
  return (path) => {
    if (last === undefined || last.path !== path) last = { path, value: look(path) };
    return last.value;
  };
}
