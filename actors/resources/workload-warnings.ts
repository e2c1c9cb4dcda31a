/**
 * Warnings that several kinds give alike.
 *
 * In Kubernetes: WarningsOnCreate of the strategies in registry/{core,apps,batch}.
 */
import { dns1123LabelProblems } from '../../api/meta/names.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';

/** `usedIn` is what the name becomes a part of. */
export function nameWarnings(object: KubeObject, usedIn: string): readonly string[] {
  const problems = dns1123LabelProblems(object.metadata.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${usedIn}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
