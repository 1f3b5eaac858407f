/** The typed configuration object whose sections are filled in when they are first read. */
import { madeDefaults } from './made-defaults.ts';
import { parseSection } from './parse-config.ts';
import { isSectionName, SECTIONS, type Config, type SectionName } from './schema.ts';

/** `parsed` holds the sections that some layer mentions; all others take their defaults when somebody asks. */
export function lazyConfig(parsed: Map<string, unknown>): Config {
  const target = {};
  for (const name of Object.keys(SECTIONS).filter(isSectionName)) {
    Object.defineProperty(target, name, {
      enumerable: true,
      get: () => {
        if (!parsed.has(name)) parsed.set(name, defaultsOf(name));
        return parsed.get(name);
      },
    });
  }
  if (!isConfig(target)) throw new Error('the configuration lacks a section');
  return target;
}

function defaultsOf(name: SectionName): unknown {
  const made = madeDefaults.get(name);
  return made === undefined ? parseSection(name, undefined).value : JSON.parse(made);
}

/** Every section comes out of its own schema, so having all of them is having a `Config`. */
function isConfig(value: object): value is Config {
  return Object.keys(SECTIONS).every((name) => Object.hasOwn(value, name));
}
