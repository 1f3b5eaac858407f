/** What the environment says of the program that sees and operates the desktop. */
import { homedir } from 'node:os';
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface ComputerVariables {
  /** `HERMES_CUA_DRIVER_CMD`: a name that stands in `PATH`, or a path. */
  readonly driver: string;
  /** The user's own directory. */
  readonly userHome: string;
  /** `HERMES_COMPUTER_USE_BACKEND`; `noop` does nothing and says that it did. Undefined: it names nothing that there is. */
  readonly backend: 'cua' | 'noop' | undefined;
}

const backends: ReadonlyMap<string, 'cua' | 'noop'> = new Map([
  ['cua', 'cua'],
  ['cua-driver', 'cua'],
  ['noop', 'noop'],
]);

export function computerVariables(variables: Variables): ComputerVariables {
  return {
    driver: filled(variables['HERMES_CUA_DRIVER_CMD'])?.trim() ?? 'cua-driver',
    userHome: filled(variables['HOME']) ?? homedir(),
    backend: backends.get((filled(variables['HERMES_COMPUTER_USE_BACKEND']) ?? 'cua').trim().toLowerCase()),
  };
}

/** Where a desktop is, and how it is reached; none of them is a secret of ours. */
const desktopNames = `DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS AT_SPI_BUS_ADDRESS SWAYSOCK
  HYPRLAND_INSTANCE_SIGNATURE DESKTOP_SESSION CUA_DRIVER_RS_HOME CUA_DRIVER_HOME`;
/** https://github.com/trycua/cua: anonymous reports about its use, which it sends unless this is 0. */
const telemetryName = 'CUA_DRIVER_RS_TELEMETRY_ENABLED';

/** What the driver gets besides what every tool server gets. `telemetry`: `computer_use.cua_telemetry`. */
export function desktopVariables(variables: Variables, telemetry: boolean): Record<string, string> {
  const names = [...desktopNames.split(/\s+/), ...(telemetry ? [telemetryName] : [])];
  return {
    ...Object.fromEntries(
      names.flatMap((name) => {
        const value = variables[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...(telemetry ? {} : { [telemetryName]: '0' }),
  };
}
