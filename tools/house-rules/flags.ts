/**
 * The settings of all flags are seen by what reads them, by the command that they are given to, and by the
 * file that puts a server together. Every other function takes the sections that it needs, so that a reader
 * sees what can change what it does.
 */
import ts from 'typescript';

import { isTestSide, type House, type Source, type Violations } from './house.ts';

const TYPES: ReadonlySet<string> = new Set(['ServeOptions', 'ServeSections']);
const PLACES: ReadonlySet<string> = new Set([
  'gateway/flags/serve-settings.ts',
  'gateway/flags/flags.ts',
  'gateway/commands/command-line.ts',
  'gateway/commands/run-process.ts',
  'gateway/commands/serve/serve.ts',
  'gateway/commands/serve/workers/worker.ts',
  'gateway/server/server.ts',
]);

export function flagsBySection({ sources }: House): Violations {
  const seeing = sources.filter((source) => !isTestSide(source.path) && seesAllFlags(source));
  const paths = new Set(seeing.map(({ path }) => path));
  const unneeded = [...PLACES].filter((path) => !paths.has(path));
  return [
    ...[...paths].flatMap((path) =>
      PLACES.has(path)
        ? []
        : [`${path}: sees the settings of all flags; a function takes the sections that it needs`],
    ),
    ...unneeded.map((path) => `flags.ts: ${path} sees no flags`),
  ];
}

/** Whether the source names a type that holds the settings of all flags. */
export function seesAllFlags({ nodes }: Source): boolean {
  return nodes.some((node) => ts.isIdentifier(node) && TYPES.has(node.text));
}
