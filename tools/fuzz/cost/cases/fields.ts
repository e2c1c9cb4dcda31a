/**
 * Objects in which every field of their type is set, as k8s.io/api keeps them, with each list and map
 * grown, and all of one place together. Most of them are refused in the end, by rules that go through
 * them whole before. Only the long run has these: they are thousands, and need Go's modules.
 */
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../../api/json/json.ts';
import { upstreamObjects } from '../../../generate/upstream-objects.fixture.ts';
import { collectionOf, costControlPlane, sent } from '../control-plane.ts';
import type { CostCase } from '../cost-case.ts';
import { growthsOf, growthsOfPlaces } from '../grown-objects.ts';

const METADATA: JsonObject = { name: 'grown' };
/** An object that names one of these is refused before its rules are asked, as there is none. */
const REFERENCES: ReadonlySet<string> = new Set(['priorityClassName', 'runtimeClassName']);
/** Pods are grown by themselves. */
const POD_SPEC: JsonObject = { containers: [{ name: 'a', image: 'b' }] };

export async function cases(): Promise<CostCase[]> {
  const plane = await costControlPlane();
  return upstreamObjects('HEAD').flatMap(({ json }) => {
    const whole = JSON.parse(json) as JsonObject; // As every object there is.
    const collection = collectionOf(whole);
    if (collection === undefined) return [];
    const seed: JsonObject = { ...withoutPods(whole), metadata: METADATA };
    const growths = [...growthsOf(seed, []), ...growthsOfPlaces(seed)];
    return growths.map(({ name, grown }) => ({
      name: `${stringAt(seed, 'apiVersion')} ${stringAt(seed, 'kind')}, all fields: ${name}`,
      stage: 'after authentication',
      make(bytes) {
        const body = Buffer.from(JSON.stringify(grown(bytes)));
        const request = { method: 'POST', url: `${collection}?dryRun=All`, bytes: body };
        return { bytes: body.length, run: () => sent(plane, request) };
      },
    }));
  });
}

function withoutPods(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([key]) => !REFERENCES.has(key));
  const changed = kept.map(([key, value]): [string, JsonValue] => {
    if (!isJsonObject(value)) return [key, value ?? null];
    const isPods = key === 'template' && Array.isArray(objectAt(value, 'spec')?.['containers']);
    return [key, isPods ? { ...value, metadata: {}, spec: POD_SPEC } : withoutPods(value)];
  });
  return Object.fromEntries(changed);
}
