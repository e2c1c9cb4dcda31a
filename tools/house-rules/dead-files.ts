/**
 * Source files that no entry point reaches. A file that only tests reach is dead as well, for
 * it would be missed by its own test alone, unless it is kept for tests on purpose.
 */
import { isTestSide, type House, type Violations } from './house.ts';

/** The programs: what is run by its name. */
const ENTRY_POINTS = [
  'gateway/commands/main.ts',
  'gateway/commands/program.ts',
  'gateway/commands/envtest/etcd-main.ts',
  'gateway/commands/envtest/snapshot-main.ts',
  'gateway/commands/envtest/kube-apiserver-main.ts',
  'gateway/commands/envtest/shared/shared-main.ts',
  'gateway/client/browser.ts',
  'gateway/client/envtest.ts',
  'gateway/client/node.ts',
  'gateway/dashboard/main.tsx',
  'gateway/dashboard/terminal/css.d.ts',
  'tools/',
  'bench/',
  'vitest.config.ts',
];

/** Second implementations that exist so that tests of the first have something to compare with. */
const KEPT_FOR_TESTS = [
  'streams/memory/memory-event-log.ts',
  'projections/store/memory-object-store.ts',
];

export function deadFiles(house: House): Violations {
  const imports = new Map(house.sources.map((source) => [source.path, source.imports]));
  const paths = [...imports.keys()];
  const isEntryPoint = (path: string) => ENTRY_POINTS.some((entry) => path.startsWith(entry));
  const reached = new Set(paths.filter((path) => isEntryPoint(path) && !isTestSide(path)));
  for (const path of [...reached, ...KEPT_FOR_TESTS]) reached.add(path);
  // A set that grows while it is walked gives the new members too.
  for (const path of reached) {
    for (const { target } of imports.get(path) ?? []) if (target !== undefined) reached.add(target);
  }
  return paths
    .filter((path) => !reached.has(path) && !isTestSide(path))
    .map((path) => `${path}: no entry point reaches it`);
}
