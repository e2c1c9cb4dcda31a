/**
 * Cycles of imports, imports of types included: two files that need each other are one file, or
 * hide a third. And folders that need one another, at the second depth: `api/json` and `api/meta`,
 * whatever lies below them. Tests and what only they use may reach anywhere. What lies directly in
 * a top folder is a folder of its own.
 *
 * Both are what can reach itself in a graph, found as Tarjan finds strongly connected components,
 * in one walk.
 */
import { type House, isTestSide, type Violations } from './house.ts';

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
function connected(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
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

export function importCycles(house: House): Violations {
  const imports = new Map(house.sources.map((source) => [source.path, targetsOf(source.imports)]));
  return connected(imports).map(
    (members) => `${members[0] ?? ''}: imports itself through ${[...members].sort().join(', ')}`,
  );
}

function targetsOf(imports: House['sources'][number]['imports']): readonly string[] {
  return imports.flatMap(({ target }) => (target === undefined ? [] : [target]));
}

const TOP_FOLDERS = ['api', 'streams', 'projections', 'actors', 'gateway'];

/** One line per knot, with an import of each direction to begin with. */
export function folderCycles(house: House): Violations {
  const examples = new Map<string, Map<string, string>>();
  for (const { path, imports } of house.sources) {
    for (const { target } of imports) if (target !== undefined) note(examples, path, target);
  }
  const edges = new Map([...examples].map(([from, to]) => [from, [...to.keys()]]));
  return connected(edges).map((members) => {
    const knot = [...members].sort();
    const ways = knot.flatMap((from) => knot.flatMap((to) => examples.get(from)?.get(to) ?? []));
    return `${knot.join(' and ')} import one another: ${ways.join(', ')}`;
  });
}

function note(examples: Map<string, Map<string, string>>, path: string, target: string): void {
  const [from, to] = [folderAtTwo(path), folderAtTwo(target)];
  if (from === undefined || to === undefined || from === to) return;
  if (isTestSide(path) || isTestSide(target) || topOf(from) !== topOf(to)) return;
  const ways = examples.get(from) ?? new Map<string, string>();
  if (!ways.has(to)) ways.set(to, `${path} → ${target}`);
  examples.set(from, ways);
}

/** 'api/meta' for a file anywhere below it, 'api' for a file directly in it. */
function folderAtTwo(path: string): string | undefined {
  const parts = path.split('/');
  if (!TOP_FOLDERS.includes(parts[0] ?? '')) return undefined;
  return parts.length === 2 ? parts[0] : parts.slice(0, 2).join('/');
}

function topOf(folder: string): string {
  return folder.split('/')[0] ?? folder;
}
