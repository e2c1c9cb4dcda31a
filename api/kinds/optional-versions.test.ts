import { describe, expect, it } from 'vitest';
import { readGenerated } from '../generated/read-generated.ts';
import { ManualClock } from '../meta/manual-clock.fixture.ts';
import { allResourceFacts, isOnByDefault } from '../scheme/resource-facts.ts';
import { jsonFieldsOf, type FieldFacts } from '../scheme/type-facts.ts';
import { builtInResources } from './built-in.ts';
import { VERSIONS_OF_ONE_FORM } from './optional-versions.ts';
import { isEnabled, parseRuntimeConfig, WITHOUT_RESOURCES } from './runtime-config.ts';

const EVERYTHING = { allowPrivileged: false, hasOptional: () => true };
const served = builtInResources(new ManualClock(), EVERYTHING);
const pathOf = (one: { group: string; version: string; resource: string }): string =>
  `${one.group}/${one.version}/${one.resource}`;

describe('versions of one form', () => {
  const pairs = [...VERSIONS_OF_ONE_FORM].flatMap(([stored, versions]) =>
    versions.map(({ version }) => [stored, stored.replace(/\/v\w+\//, `/${version}/`)] as const),
  );

  it.each(pairs)('%s and %s have the same fields, however deep', (stored, other) => {
    expect(formOf(typeAt(other))).toEqual(formOf(typeAt(stored)));
  });

  it('exchange the name of their version and nothing else', () => {
    const addresses = served.filter(({ facts }) => facts.resource === 'ipaddresses');
    const [stable, beta] = addresses;
    expect(addresses.map(({ apiVersion }) => apiVersion)).toEqual([
      ...['networking.k8s.io/v1', 'networking.k8s.io/v1beta1'],
    ]);
    const object = { apiVersion: 'networking.k8s.io/v1beta1', metadata: { name: 'a' }, spec: {} };
    const toStore = { ...object, apiVersion: 'networking.k8s.io/v1' };
    expect(beta?.conversion?.toStorage(object as never)).toEqual(toStore);
    expect(beta?.conversion?.fromStorage(toStore as never)).toEqual(object);
    expect(stable?.definition).toBe(beta?.definition);
  });

  it('warn of their end where it is near, as kube-apiserver does', () => {
    const texts = new Map(served.map(({ facts, deprecation }) => [pathOf(facts), deprecation]));
    expect(texts.get('storage.k8s.io/v1beta1/volumeattributesclasses')).toBe(
      'storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass',
    );
    expect(texts.get('coordination.k8s.io/v1beta1/leasecandidates')).toBe(
      'coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+',
    );
    const path = 'admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies';
    expect(texts.get(path)).toBeUndefined();
  });

  it('are, with the stable ones, all that kube-apiserver serves with everything switched on', () => {
    const there = new Set(served.map(({ facts }) => pathOf(facts)));
    expect(
      allResourceFacts()
        .map(pathOf)
        .filter((path) => !there.has(path)),
    ).toEqual([]);
  });

  it('are all off where nothing is said', () => {
    const usual = builtInResources(new ManualClock());
    expect(usual.every(({ facts }) => isOnByDefault(facts))).toBe(true);
    expect(served.length).toBeGreaterThan(usual.length + 10);
  });
});

describe('--runtime-config', () => {
  const isOn = (text: string, path: string): boolean => {
    const config = parseRuntimeConfig(text.split(','));
    if (typeof config === 'string') throw new Error(config);
    const facts = allResourceFacts().find((one) => pathOf(one) === path);
    return facts !== undefined && isEnabled(facts, config);
  };
  const CANDIDATES = 'coordination.k8s.io/v1beta1/leasecandidates';

  it.each([
    ['api/beta=true', true],
    ['api/all=true', true],
    ['api/alpha=true', false],
    ['api/ga=true', false],
    ['coordination.k8s.io/v1beta1=true', true],
    ['coordination.k8s.io/v1alpha2=true', false],
    [`${CANDIDATES}=true`, true],
    [`api/beta=true,${CANDIDATES}=false`, false],
    ['api/beta=true,coordination.k8s.io/v1beta1=false', false],
    [`coordination.k8s.io/v1beta1=false,${CANDIDATES}=true`, true],
  ])('%s has candidates: %s', (text, expected) => {
    expect(isOn(text, CANDIDATES)).toBe(expected);
  });

  it('knows the group versions that kube-apiserver knows and serves nothing of', () => {
    const packages = JSON.parse(readGenerated('types.json')) as Record<string, { group: string }>;
    const known = Object.entries(packages)
      .filter(([path]) => path.startsWith('k8s.io/api/') && !path.includes('/apidiscovery/'))
      .map(
        ([path, { group }]) => `${group === '' ? 'api' : group}/${path.split('/').at(-1) ?? ''}`,
      );
    const withResources = new Set(
      allResourceFacts().map(({ group, version }) => `${group === '' ? 'api' : group}/${version}`),
    );
    const without = known.filter((groupVersion) => !withResources.has(groupVersion));
    expect([...WITHOUT_RESOURCES].sort()).toEqual(without.sort());
  });
});

function typeAt(path: string): string {
  const found = allResourceFacts().find((one) => pathOf(one) === path);
  if (found === undefined) throw new Error(`there are no facts of ${path}`);
  return found.typeId;
}

/** They have the version in them. */
const NAMES_OF_GO: ReadonlySet<string> = new Set(['id', 'goName', 'keyGoName']);

/** The fields of a type and of all types in it: names, kinds and numbers on the wire. */
function formOf(typeId: string): unknown {
  const shown = (fields: readonly FieldFacts[], depth: number): unknown =>
    fields.map((field) => {
      const id = /"id":"([^"]+)"/.exec(JSON.stringify(field.type))?.[1];
      const kinds = JSON.stringify(field.type, (key, value: unknown) =>
        NAMES_OF_GO.has(key) ? '' : value,
      );
      return [field.name, kinds, id && depth < 12 ? shown(jsonFieldsOf(id), depth + 1) : ''];
    });
  return shown(jsonFieldsOf(typeId), 0);
}
