/** What can reach itself in a graph, found as Tarjan finds strongly connected components, in one walk. */

interface Walk {
  readonly edges: ReadonlyMap<string, readonly string[]>;
  /** When a node was met: 0 is the first. */
  readonly met: Map<string, number>;
  readonly stack: string[];
  readonly onStack: Set<string>;
  readonly found: (readonly string[])[];
}

/**
 * The groups of nodes in which each can reach each, the one that was met first in front; a node
 * alone counts when it has an edge to itself. Edges to nodes that `edges` does not list are left out.
 */
export function connected(
  edges: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const walk: Walk = { edges, met: new Map(), stack: [], onStack: new Set(), found: [] };
  for (const node of edges.keys()) if (!walk.met.has(node)) visit(walk, node);
  return walk.found;
}

/** Returns how early a node on the stack can be reached from `node`. */
function visit(walk: Walk, node: string): number {
  const metAt = walk.met.size;
  walk.met.set(node, metAt);
  walk.stack.push(node);
  walk.onStack.add(node);
  const targets = walk.edges.get(node) ?? [];
  const earliest = Math.min(metAt, ...targets.map((target) => reachedFrom(walk, target)));
  if (earliest === metAt) close(walk, node, targets.includes(node));
  return earliest;
}

function reachedFrom(walk: Walk, target: string): number {
  const metAt = walk.met.get(target);
  if (metAt === undefined) return walk.edges.has(target) ? visit(walk, target) : Infinity;
  return walk.onStack.has(target) ? metAt : Infinity;
}

function close(walk: Walk, first: string, reachesItself: boolean): void {
  const members = walk.stack.splice(walk.stack.indexOf(first));
  for (const member of members) walk.onStack.delete(member);
  if (members.length > 1 || reachesItself) walk.found.push(members);
}
