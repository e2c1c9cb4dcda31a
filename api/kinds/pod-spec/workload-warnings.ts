/**
 * Warnings that several kinds give alike.
 *
 * In Kubernetes: WarningsOnCreate of the strategies in registry/{core,apps,batch}.
 */
import type { PodTemplateSpec } from '../../generated/kinds/core-v1.ts';
import { dns1123LabelProblems } from '../../meta/names.ts';
import type { ObjectMeta } from '../../meta/object-meta.ts';
import { templateWarnings } from './pod-warnings.ts';

/** What a workload of pods warns of, whose template stands at `path`, as `spec.template`. */
export function workloadWarnings<T extends { metadata: ObjectMeta }>(
  path: string,
  templateOf: (object: T) => PodTemplateSpec | undefined,
) {
  const warningsIn = (object: T): readonly string[] => templateWarnings(path, templateOf(object));
  return {
    onCreate: warningsIn,
    /** Only where something changed that counts. */
    onUpdate: (object: T, old: T): readonly string[] =>
      object.metadata.generation === old.metadata.generation ? [] : warningsIn(object),
  };
}

/** `usedIn` is what the name becomes a part of. */
export function nameWarnings(
  object: { readonly metadata: ObjectMeta },
  usedIn: string,
): readonly string[] {
  const problems = dns1123LabelProblems(object.metadata.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${usedIn}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
