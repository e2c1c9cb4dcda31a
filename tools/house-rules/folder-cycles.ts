/**
 * Folders that need one another, at the second depth: `api/json` and `api/meta`, whatever lies
 * below them. Tests and what only they use may reach anywhere. What lies directly in a top folder
 * is a folder of its own.
 */
import { isTestSide, type House, type Violations } from './house.ts';
import { connected } from './strong-components.ts';

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
