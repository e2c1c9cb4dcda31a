/** Made-up resizes of pods: what comes of each is what kube-apiserver's own strategy makes of it. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { meta, pod } from '../../../api/kinds/rule-cases/written-objects.fixture.ts';
import type { Write } from '../../../api/kinds/rule-cases/judge.fixture.ts';
import { type Chance, chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { buildOracle } from '../oracle-program.ts';
import { compare } from './comparison.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261123');
const COUNT = 1500;

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');

describe.skipIf(oracle === undefined)('pods/resize', () => {
  it(`does as kube-apiserver does, seed ${String(SEED)}`, () => {
    if (oracle === undefined) return;
    const chance = chanceFrom(SEED);
    const comparisons = compare(
      oracle,
      Array.from({ length: COUNT }, () => resizeBy(chance)),
    );
    const accepted = comparisons.filter(({ theirs }) => theirs.errors.length === 0);
    expect(accepted.length).toBeGreaterThan(COUNT / 20);
    expect(accepted.length).toBeLessThan(COUNT / 2);
    for (const { write, ours, theirs } of comparisons) {
      const shown = JSON.stringify(write);
      expect([...new Set(ours.errors)].sort(), shown).toEqual([...new Set(theirs.errors)].sort());
      expect(ours.object, shown).toEqual(theirs.object);
    }
  });
});

function resizeBy(chance: Chance): Write {
  const old = podBy(chance);
  const object = chance() < 0.2 ? podBy(chance) : changed(old, chance);
  return { do: 'resize', old, object };
}

function podBy(chance: Chance): JsonObject {
  const resources = chance() < 0.3 ? { resources: requirements(chance) } : {};
  const spec = {
    containers: containers('c', 1 + Math.floor(chance() * 2), chance),
    initContainers: containers('i', Math.floor(chance() * 3), chance),
    resourceClaims: [{ name: 'a', resourceClaimName: 'a' }],
    ...resources,
    ...(chance() < 0.03 ? { os: { name: 'windows' } } : {}),
  };
  const mirror = chance() < 0.03 ? { annotations: { 'kubernetes.io/config.mirror': 'x' } } : {};
  return pod(spec, { metadata: meta({ generation: 3, ...mirror }), ...statusBy(chance) });
}

function containers(prefix: string, count: number, chance: Chance): JsonValue[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}${String(index)}`,
    image: 'i',
    ...(chance() < 0.9 ? { resources: requirements(chance) } : {}),
    ...(chance() < 0.2 ? { resizePolicy: [policyBy(chance)] } : {}),
    ...(prefix === 'i' && chance() < 0.5 ? { restartPolicy: 'Always' } : {}),
  }));
}

function policyBy(chance: Chance): JsonObject {
  const restartPolicy = chance() < 0.5 ? 'NotRequired' : 'RestartContainer';
  return { resourceName: chance() < 0.5 ? 'cpu' : 'memory', restartPolicy };
}

function requirements(chance: Chance): JsonObject {
  return {
    ...(chance() < 0.8 ? { requests: amounts(chance, 0) } : {}),
    ...(chance() < 0.5 ? { limits: amounts(chance, 2) } : {}),
    ...(chance() < 0.05 ? { claims: [{ name: 'a' }] } : {}),
  };
}

const AMOUNTS = {
  cpu: ['100m', '0.1', '1', '1000m', '2', '3000m'],
  memory: ['1Gi', '1073741824', '2Gi', '2147483648', '3Gi', '4Gi'],
  'ephemeral-storage': ['1Mi', '1048576', '2Mi', '2Mi', '3Mi', '3Mi'],
};

/** Higher ones where `from` is higher, so that requests are mostly within their limits. */
function amounts(chance: Chance, from: number): JsonObject {
  const entries = Object.entries(AMOUNTS).filter(([name]) =>
    name === 'ephemeral-storage' ? chance() < 0.1 : chance() < 0.7,
  );
  return Object.fromEntries(
    entries.map(([name, texts]) => [name, texts[from + Math.floor(chance() * 4)] ?? '1']),
  );
}

function statusBy(chance: Chance): JsonObject {
  if (chance() < 0.7) return {};
  const state = chance() < 0.8 ? { running: {} } : { waiting: {} };
  const resources = chance() < 0.8 ? { resources: { requests: { cpu: '1' } } } : {};
  const container = { name: 'c0', ready: true, restartCount: 0, image: 'i', imageID: 'i' };
  const qosClass = ['Burstable', 'Guaranteed', 'BestEffort'][Math.floor(chance() * 3)] ?? '';
  const claims = [{ resourceClaimName: 'a', containers: ['c0'] }];
  return {
    status: {
      ...(chance() < 0.4 ? { qosClass } : {}),
      containerStatuses: [{ ...container, state, ...resources }],
      ...(chance() < 0.1 ? { nodeAllocatableResourceClaimStatuses: claims } : {}),
    },
  };
}

/** Each resource list anew with some chance, and seldom something that may not change. */
function changed(old: JsonObject, chance: Chance): JsonObject {
  const copy = structuredClone(old);
  const spec = copy['spec'] as JsonObject;
  for (const list of ['containers', 'initContainers']) {
    const all = spec[list] as JsonObject[];
    for (const container of all) changeContainer(container, chance);
    if (chance() < 0.03) all.reverse();
    if (chance() < 0.02) all.push({ name: 'new', image: 'i' });
  }
  if (chance() < 0.1) spec['resources'] = requirements(chance);
  return copy;
}

function changeContainer(container: JsonObject, chance: Chance): void {
  const resources = (container['resources'] ?? {}) as JsonObject;
  for (const list of ['requests', 'limits']) {
    const amounts = resources[list] as JsonObject | undefined;
    if (amounts === undefined) continue;
    for (const name of Object.keys(amounts))
      if (chance() < 0.4) amounts[name] = other(name, chance);
  }
  if (chance() < 0.05) container['image'] = 'j';
  if (chance() < 0.03) container['resizePolicy'] = [policyBy(chance)];
  if (chance() < 0.05) container['resources'] = requirements(chance);
}

function other(name: string, chance: Chance): string {
  const texts = AMOUNTS[name as keyof typeof AMOUNTS]; // It was made of these names.
  return texts[Math.floor(chance() * texts.length)] ?? '1';
}
