/** Finds circles in a graph of files. */

/** `graph.get(a).has(b)` means that a imports b. */
export type ImportGraph = ReadonlyMap<string, { keys(): Iterable<string> }>;

/**
 * One shortest circle for every group of files that reach each other, as a path that ends where it began:
 * `['a', 'b', 'a']`. Files and circles come in the order of the graph.
 */
export function findCircles(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const covered = new Set<string>();
  for (const file of graph.keys()) {
    if (covered.has(file)) continue;
    const circle = shortestWayBack(graph, file);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const member of circle) covered.add(member);
  }
  return circles;
}

/** Breadth first from `start` until it is met again. */
function shortestWayBack(graph: ImportGraph, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === start) return pathTo(file, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [start];
  for (let file = end; file !== start; file = cameFrom.get(file) ?? start) path.unshift(file);
  return [start, ...path];
}
