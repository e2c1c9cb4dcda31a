/**
 * Several orders as one: of two names that stand in one list, the first stands first. Names that no list orders
 * stand by the alphabet, and all do where the lists disagree.
 *
 * In Kubernetes: MergePreservingRelativeOrder, apimachinery/pkg/util/sort.
 */

interface Followers {
  readonly names: Set<string>;
  /** How many names stand right before it and are not placed yet. */
  before: number;
}

/** @param lists each without doubles. */
export function mergedOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const graph = new Map<string, Followers>();
  const nodeOf = (name: string): Followers => {
    const known = graph.get(name) ?? { names: new Set<string>(), before: 0 };
    graph.set(name, known);
    return known;
  };
  for (const list of lists) {
    for (const [at, name] of list.entries()) {
      const next = list[at + 1];
      const node = nodeOf(name);
      if (next === undefined || node.names.has(next)) continue;
      node.names.add(next);
      nodeOf(next).before += 1;
    }
  }
  return lists.find((list) => list.length === graph.size) ?? placed(graph);
}

function placed(graph: ReadonlyMap<string, Followers>): string[] {
  const order: string[] = [];
  const free = [...graph.keys()].filter((name) => graph.get(name)?.before === 0);
  while (free.length > 0) {
    const name = free.reduce((least, one) => (one < least ? one : least));
    free.splice(free.indexOf(name), 1);
    order.push(name);
    for (const next of graph.get(name)?.names ?? []) {
      const node = graph.get(next);
      if (node === undefined) continue;
      node.before -= 1;
      if (node.before === 0) free.push(next);
    }
  }
  return order.length === graph.size ? order : [...graph.keys()].toSorted();
}
