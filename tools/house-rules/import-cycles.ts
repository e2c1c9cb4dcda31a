/**
 * Import cycles, imports of types included: two files that need each other are one file, or
 * hide a third. Found as Tarjan finds strongly connected components, in one walk.
 */
import type { House, Violations } from './house.ts';

interface Walk {
  readonly imports: ReadonlyMap<string, readonly string[]>;
  /** When a file was met: 0 is the first. */
  readonly met: Map<string, number>;
  readonly stack: string[];
  readonly onStack: Set<string>;
  readonly cycles: string[];
}

export function importCycles(house: House): Violations {
  const walk: Walk = {
    imports: new Map(house.sources.map((source) => [source.path, targetsOf(source.imports)])),
    met: new Map(),
    stack: [],
    onStack: new Set(),
    cycles: [],
  };
  for (const { path } of house.sources) if (!walk.met.has(path)) visit(walk, path);
  return walk.cycles;
}

function targetsOf(imports: House['sources'][number]['imports']): readonly string[] {
  return imports.flatMap(({ target }) => (target === undefined ? [] : [target]));
}

/** Returns how early a file on the stack can be reached from `path`. */
function visit(walk: Walk, path: string): number {
  const metAt = walk.met.size;
  walk.met.set(path, metAt);
  walk.stack.push(path);
  walk.onStack.add(path);
  const targets = walk.imports.get(path) ?? [];
  const earliest = Math.min(metAt, ...targets.map((target) => reachedFrom(walk, target)));
  if (earliest === metAt) closeComponent(walk, path, targets.includes(path));
  return earliest;
}

function reachedFrom(walk: Walk, target: string): number {
  const metAt = walk.met.get(target);
  if (metAt === undefined) return walk.imports.has(target) ? visit(walk, target) : Infinity;
  return walk.onStack.has(target) ? metAt : Infinity;
}

function closeComponent(walk: Walk, first: string, importsItself: boolean): void {
  const members = walk.stack.splice(walk.stack.indexOf(first));
  for (const member of members) walk.onStack.delete(member);
  if (members.length > 1 || importsItself) {
    walk.cycles.push(`${first}: imports itself through ${members.sort().join(', ')}`);
  }
}
