/** Connections that all use who reach the world outside in the same way. */
import { Connections, type Network } from './connections.ts';

/** There are as many ways as the configuration names. */
const maxWays = 64;

/**
 * Each conversation with connections of its own would begin with a new one, whose greeting may take longer than all that
 * the program does itself.
 */
export class SharedConnections {
  readonly #known = new Map<string, Connections>();

  over(network: Network): Connections {
    // A resolver of somebody's own cannot be compared.
    if (network.lookup !== undefined) return new Connections(network);
    const way = JSON.stringify(network);
    const known = this.#known.get(way);
    if (known !== undefined) return known;
    const connections = new Connections(network);
    if (this.#known.size < maxWays) this.#known.set(way, connections);
    return connections;
  }
}
