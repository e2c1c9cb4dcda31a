/**
 * Our conversions against kube-apiserver's own. Every object of every built-in kind goes through an
 * internal version there, also where one version is served, and comes back changed: fields that say
 * the same thing twice agree, what is obsolete is gone. Where several versions are served, each is
 * shown from what is stored, and what was shown is written back.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../api/json/json.ts';
import { buildOracle } from '../oracle-program.ts';
import { oneOf } from '../parity/chosen-value.ts';
import { servedKinds, variedObjects, type ServedKind } from '../served-kinds.ts';
import { type Chance, chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { conversionsCompared } from './conversions.ts';
import { convertingAnnotations, convertingWords } from './converting-words.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const OBJECTS_PER_KIND = Number(process.env['EVERWATCH_OBJECTS'] ?? '70');

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

describe.skipIf(oracle === undefined)('conversions of built-in kinds', () => {
  if (oracle === undefined) return;
  const kinds = servedKinds(oracle);
  const total = { stored: 0, shown: 0, unchanged: 0 };

  it.each(kinds)(`are kube-apiserver's for $name, seed ${String(SEED)}`, (kind) => {
    const objects = objectsOf(kind);
    const comparison = conversionsCompared(oracle, kind.served, objects);
    expect(comparison.differences.slice(0, 5)).toEqual([]);
    expect(comparison.stored).toBeGreaterThan(objects.length / 2);
    total.stored += comparison.stored;
    total.shown += comparison.shown;
    total.unchanged += comparison.unchanged;
  });

  it('are there wherever a kind is served in several versions', () => {
    const others = kinds.filter(({ served }) => served.conversion !== undefined);
    expect(others.map(({ name }) => name).sort()).toEqual([
      'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy',
      'admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding',
      'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy',
      'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding',
      'autoscaling/v1 HorizontalPodAutoscaler',
      'certificates.k8s.io/v1alpha1 ClusterTrustBundle',
      'coordination.k8s.io/v1alpha2 LeaseCandidate',
      'events.k8s.io/v1 Event',
      'networking.k8s.io/v1beta1 IPAddress',
      'networking.k8s.io/v1beta1 ServiceCIDR',
      'resource.k8s.io/v1beta1 DeviceClass',
      'resource.k8s.io/v1beta1 ResourceClaim',
      'resource.k8s.io/v1beta1 ResourceClaimTemplate',
      'resource.k8s.io/v1beta1 ResourceSlice',
      'resource.k8s.io/v1beta2 DeviceClass',
      'resource.k8s.io/v1beta2 DeviceTaintRule',
      'resource.k8s.io/v1beta2 ResourceClaim',
      'resource.k8s.io/v1beta2 ResourceClaimTemplate',
      'resource.k8s.io/v1beta2 ResourceSlice',
      'storage.k8s.io/v1beta1 VolumeAttributesClass',
    ]);
  });

  it.each(kinds.filter(({ served }) => served.definition.versions().length > 1))(
    'lose nothing of what is right of a $name on the way to another version and back',
    (kind) => {
      // The first is upstream's test data, in which targets have a value of every type at once.
      const { differences, ...counts } = conversionsCompared(
        oracle,
        kind.served,
        kind.bases.slice(1),
      );
      expect(differences).toEqual([]);
      expect(counts.unchanged).toBe(counts.shown);
    },
  );

  afterAll(() => {
    const { stored, shown, unchanged } = total;
    const told = `${String(stored)} objects of ${String(kinds.length)} kinds stored`;
    console.log(
      `${told}, ${String(shown)} shown in other versions and written back, ` +
        `of which ${String(unchanged)} are what they were with us and with upstream`,
    );
  });
});

function objectsOf(kind: ServedKind): JsonObject[] {
  const chance = chanceFrom(SEED);
  const count = OBJECTS_PER_KIND + kind.bases.length;
  const how = { count, chance, nulls: true, words: convertingWords };
  return variedObjects(kind, how).map((object) => annotated(object, chance));
}

/** With a name, which everything has that is stored, and often with an annotation that counts. */
function annotated(object: JsonObject, chance: Chance): JsonObject {
  const copy = structuredClone(object);
  const metadata = isJsonObject(copy['metadata']) ? copy['metadata'] : {};
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') metadata['name'] = 'it';
  copy['metadata'] = metadata;
  annotate(metadata, 0.5, chance);
  const template = isJsonObject(copy['spec']) ? copy['spec']['template'] : undefined;
  if (!isJsonObject(template)) return copy;
  const inner = isJsonObject(template['metadata']) ? template['metadata'] : {};
  template['metadata'] = inner;
  annotate(inner, 0.3, chance);
  return copy;
}

function annotate(metadata: JsonObject, probability: number, chance: Chance): void {
  if (chance() >= probability) return;
  const present = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  metadata['annotations'] = { ...present, ...oneOf(chance, convertingAnnotations) };
}
