/**
 * Import cycles, imports of types included: two files that need each other are one file, or
 * hide a third.
 */
import type { House, Violations } from './house.ts';
import { connected } from './strong-components.ts';

export function importCycles(house: House): Violations {
  const imports = new Map(house.sources.map((source) => [source.path, targetsOf(source.imports)]));
  return connected(imports).map(
    (members) => `${members[0] ?? ''}: imports itself through ${[...members].sort().join(', ')}`,
  );
}

function targetsOf(imports: House['sources'][number]['imports']): readonly string[] {
  return imports.flatMap(({ target }) => (target === undefined ? [] : [target]));
}
