/** What to do after a patch whose place was not found. */

/** Misses in a row on one file after which another variation is not worth a try. */
export const patience = 3;

export function missHint(path: string, misses: number): string {
  if (misses < patience) return 'Read the file again with read_file, or find the place with search_files.';
  return `This is miss ${misses} in a row in ${path}. Stop varying the text that is to be found: read the file again, copy more of its lines as they are, or write the whole file with write_file.`;
}
