/** The context engines that this build knows, by the names of `context.engine`; each is loaded when it is chosen. */
import type { CompressorOptions } from './compressor.ts';
import type { ContextEngine } from './engine.ts';

export interface ContextEngineEntry {
  readonly name: string;
  load(options: CompressorOptions): Promise<ContextEngine>;
}

const builtIn: ContextEngineEntry = {
  name: 'compressor',
  load: async (options) => new (await import('./compressor.ts')).Compressor(options),
};

const contextEngines: readonly ContextEngineEntry[] = [builtIn];

/** The engine of that name. A name that nobody has gets the built-in one, and a line about it goes to `warn`. */
export function findContextEngine(name: string, warn: (line: string) => void): ContextEngineEntry {
  const found = contextEngines.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = contextEngines.map((entry) => `'${entry.name}'`).join(', ');
  warn(`context.engine: '${name}' is not known (there is ${known}); '${builtIn.name}' is used.`);
  return builtIn;
}
