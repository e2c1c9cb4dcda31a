/**
 * Warnings that several kinds give alike.
 *
 * In Kubernetes: WarningsOnCreate of the strategies in registry/{core,apps,batch}.
 */
import { objectAt, type JsonObject } from '../../json/json.ts';
import { dns1123LabelProblems } from '../../meta/names.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { templateWarnings } from './pod-warnings.ts';

/** What a workload of pods warns of, whose template is at `path` in it, as `['spec', 'template']`. */
export function workloadWarnings(path: readonly string[]) {
  const warningsIn = (object: KubeObject): readonly string[] =>
    templateWarnings(path.join('.'), path.reduce<JsonObject | undefined>(objectAt, object));
  return {
    onCreate: warningsIn,
    /** Only where something changed that counts. */
    onUpdate: (object: KubeObject, old: KubeObject): readonly string[] =>
      object.metadata.generation === old.metadata.generation ? [] : warningsIn(object),
  };
}

/** `usedIn` is what the name becomes a part of. */
export function nameWarnings(object: KubeObject, usedIn: string): readonly string[] {
  const problems = dns1123LabelProblems(object.metadata.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${usedIn}, which can result in surprising behavior; ` +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
