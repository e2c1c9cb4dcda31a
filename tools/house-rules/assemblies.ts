/**
 * A server is put together in one place. A test that makes one part tests that part; a file that makes
 * several and ties them together is a second server, which can differ from the first without a test
 * that fails. Tests take the views from projections/views.ts, and a control plane from
 * gateway/server/given-plane.fixture.ts, which calls the phases of the server.
 */
import ts from 'typescript';

import type { House, Source, Violations } from './house.ts';

/** Classes and functions that make the parts of a control plane. */
const MAKERS: ReadonlySet<string> = new Set([
  'AppliedVersion',
  'FollowedObjects',
  'Projector',
  'ResourceViews',
  'LayeredEventLog',
  'LayeredObjectStore',
  'CustomDefinitions',
  'CompiledDefinitions',
  'Admission',
  'Committer',
  'Registries',
  'dispatch',
  'filterChain',
  'loopbackTo',
  'planes',
  'virtualHandlers',
]);
const PLACES: ReadonlySet<string> = new Set([
  'projections/views.ts',
  'projections/forks/fork-layers.ts',
]);
const PHASES = 'gateway/server/';

export function oneAssembly(house: House): Violations {
  return house.sources.flatMap((source) => {
    const { path } = source;
    const isFixture = path.endsWith('.fixture.ts');
    if (PLACES.has(path) || (path.startsWith(PHASES) && !isFixture)) return [];
    const made = partsMadeIn(source);
    if (made.length < 2) return [];
    return [
      `${path}: puts together ${made.join(', ')}, which gateway/server does for tests as well`,
    ];
  });
}

/** In alphabetical order, each once. */
function partsMadeIn({ nodes }: Source): readonly string[] {
  const made = new Set<string>();
  for (const node of nodes) {
    if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) continue;
    const { expression } = node;
    if (ts.isIdentifier(expression) && MAKERS.has(expression.text)) made.add(expression.text);
  }
  return [...made].sort();
}
