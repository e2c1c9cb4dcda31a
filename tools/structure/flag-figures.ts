/** How far the flags of `everwatch serve` go: which files name the setting of a flag, and which see all of them. */
import ts from 'typescript';

import { seesAllFlags } from '../house-rules/flags.ts';
import type { Source } from '../house-rules/house.ts';
import { figure, type Figure, middle, sorted } from './figure.ts';

/** @param ours the sources of the server, without tests. */
export function flagFigures(ours: readonly Source[]): readonly Figure[] {
  const files = new Map<string, number>();
  for (const { nodes } of ours) for (const name of settingsIn(nodes)) files.set(name, 0);
  for (const { nodes } of ours) {
    const names = new Set(nodes.flatMap((node) => (ts.isIdentifier(node) ? [node.text] : [])));
    for (const [name, count] of files) if (names.has(name)) files.set(name, count + 1);
  }
  const counts = sorted([...files.values()]);
  const far = [...files].filter(([, count]) => count === counts.at(-1)).map(([name]) => name);
  return [
    figure('settings of flags', counts.length),
    figure('files that name a setting, median', middle(counts)),
    figure('files that name a setting, most', `${String(counts.at(-1) ?? 0)} (${far.join(', ')})`),
    figure('files that see the settings of all flags', ours.filter(seesAllFlags).length),
  ];
}

/** `requestTimeoutMs: { flag: 'request-timeout', … }`. */
function settingsIn(nodes: readonly ts.Node[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name)) return [];
    if (!ts.isObjectLiteralExpression(node.initializer)) return [];
    const named = node.initializer.properties.flatMap(({ name }) =>
      name !== undefined && ts.isIdentifier(name) ? [name.text] : [],
    );
    return named.includes('flag') && named.includes('help') ? [node.name.text] : [];
  });
}
