/**
 * Our rules of the built-in kinds against kube-apiserver's own: the written cases, which must be
 * judged the same, and thousands of partial objects, of which we must make the same and never
 * refuse what upstream accepts. What upstream refuses and we do not yet is no error here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { admissionRuleCases } from '../../../api/kinds/rule-cases/admission-rules.fixture.ts';
import { deviceRuleCases } from '../../../api/kinds/rule-cases/device-rules.fixture.ts';
import { networkRuleCases } from '../../../api/kinds/rule-cases/network-rules.fixture.ts';
import { policyRuleCases } from '../../../api/kinds/rule-cases/policy-rules.fixture.ts';
import { storageRuleCases } from '../../../api/kinds/rule-cases/storage-rules.fixture.ts';
import { batchCases } from '../../../api/kinds/rule-cases/batch.fixture.ts';
import { optionalGroupCases } from '../../../api/kinds/rule-cases/optional-groups.fixture.ts';
import { optionalCases } from '../../../api/kinds/rule-cases/optional-kinds.fixture.ts';
import { certificatesCases } from '../../../api/kinds/rule-cases/certificates.fixture.ts';
import { coreClaimsCases } from '../../../api/kinds/rule-cases/core-claims.fixture.ts';
import { coreClusterCases } from '../../../api/kinds/rule-cases/core-cluster.fixture.ts';
import { coreDataCases } from '../../../api/kinds/rule-cases/core-data.fixture.ts';
import { coreServicesCases } from '../../../api/kinds/rule-cases/core-services.fixture.ts';
import {
  isServed,
  received,
  servedAs,
  shownValues,
  type Write,
} from '../../../api/kinds/rule-cases/judge.fixture.ts';
import { networkAndStorageCases } from '../../../api/kinds/rule-cases/network-and-storage.fixture.ts';
import { gatedPodCases } from '../../../api/kinds/rule-cases/gated-pods.fixture.ts';
import { podCertificateCases } from '../../../api/kinds/rule-cases/pod-certificates.fixture.ts';
import { podResizeCases } from '../../../api/kinds/rule-cases/pod-resize.fixture.ts';
import { podUpdatesCases } from '../../../api/kinds/rule-cases/pod-updates.fixture.ts';
import { podsCases } from '../../../api/kinds/rule-cases/pods.fixture.ts';
import { policyAndAccessCases } from '../../../api/kinds/rule-cases/policy-and-access.fixture.ts';
import { privilegedPodsCases } from '../../../api/kinds/rule-cases/privileged-pods.fixture.ts';
import { workloadsCases } from '../../../api/kinds/rule-cases/workloads.fixture.ts';
import { buildOracle, type OracleProgram } from '../oracle-program.ts';
import { partialOf } from '../../../tools/partial-objects.fixture.ts';
import { type Chance, chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import {
  asObject,
  compare,
  compareEach,
  withoutValue,
  type Comparison,
  type Verdict,
} from './comparison.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const ROUNDS = Number(process.env['EVERWATCH_PARTIALS'] ?? '40');

const cases = [
  ...coreDataCases,
  ...coreClusterCases,
  ...coreClaimsCases,
  ...coreServicesCases,
  ...podsCases,
  ...podUpdatesCases,
  ...podResizeCases,
  ...gatedPodCases,
  ...optionalCases,
  ...optionalGroupCases,
  ...podCertificateCases,
  ...privilegedPodsCases,
  ...workloadsCases,
  ...batchCases,
  ...policyAndAccessCases,
  ...networkAndStorageCases,
  ...certificatesCases,
  ...networkRuleCases,
  ...storageRuleCases,
  ...admissionRuleCases,
  ...policyRuleCases,
  ...deviceRuleCases,
];

/** Paths at which ours is known to be another, each for a reason. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // Upstream fills in the zero of its internal form into a strategy that it then refuses.
  DaemonSet: ['spec.updateStrategy.rollingUpdate', 'metadata.generation'],
  Deployment: ['spec.strategy.rollingUpdate', 'metadata.generation'],
  StatefulSet: ['spec.updateStrategy.rollingUpdate', 'metadata.generation'],
  // Go shares the map of labels between a job without labels and its template.
  Job: ['metadata.labels'],
  // The time of the first condition is that of the creation, here in the past.
  Pod: ['status.conditions'],
  // The time of a taint is that of the write.
  DeviceTaintRule: ['spec.taint.timeAdded', 'metadata.generation'],
  // Upstream tells an empty list of rules from none, until it has stored it.
  MutatingWebhookConfiguration: ['metadata.generation'],
  NetworkPolicy: ['metadata.generation'],
  ValidatingWebhookConfiguration: ['metadata.generation'],
};

const folder = dirname(fileURLToPath(import.meta.url));
const oracle = await buildOracle(folder, 'program');

describe.skipIf(oracle === undefined)('the rules of built-in kinds', () => {
  if (oracle === undefined) return;

  let compared: readonly (Comparison | undefined)[] = [];
  beforeAll(() => {
    compared = compareEach(oracle, cases);
  });

  it.each(cases.map((rule, index) => [rule.when, rule, index] as const))(
    'are kube-apiserver’s when %s',
    (_when, rule, index) => {
      const comparison = compared[index];
      if (comparison === undefined) throw new Error('it does not decode');
      const { theirs } = comparison;
      expect([...new Set(theirs.errors)]).toEqual([...new Set(rule.errors.map(withoutValue))]);
      expect(theirs.warnings).toEqual(expect.arrayContaining([...(rule.warnings ?? [])]));
      const paths = Object.keys(rule.shows ?? {});
      expect(shownValues(comparison.ours.object, paths)).toEqual(shownValues(theirs.object, paths));
    },
  );

  for (const [name, complete] of fixtures(oracle)) {
    it(`are kube-apiserver’s for parts of ${name}, seed ${String(SEED)}`, () => {
      const writes = partialWrites(complete, chanceFrom(SEED));
      const comparisons = compare(oracle, writes);
      expect(comparisons.length).toBeGreaterThan(writes.length / 4);
      for (const comparison of comparisons) expectNoneWorse(comparison);
    });
  }

  it.each([
    ['autoscaling/v2', 'autoscaling/v1'],
    ['autoscaling/v1', 'autoscaling/v2'],
    ['v1', 'events.k8s.io/v1'],
    ['events.k8s.io/v1', 'v1'],
  ])('%s is shown as %s as kube-apiserver shows it', (from, to) => {
    const kind = from.startsWith('autoscaling') ? 'HorizontalPodAutoscaler' : 'Event';
    expectSameConversion(oracle, { kind, from, to });
  });
});

function fixtures(program: OracleProgram): [string, JsonObject][] {
  const served = readdirSync(program.fixtures)
    .filter((file) => /\.v\d(?:(?:alpha|beta)\d)?\.[A-Za-z0-9]+\.json$/.test(file))
    .map((file): [string, JsonObject] => [file, fixture(program, file)])
    .filter(([, complete]) => isServed(complete));
  const answers = program.ask(served.map(([, object]) => ({ do: 'create', object })));
  return served.filter((_, index) => isKnown(answers[index]));
}

function fixture(program: OracleProgram, file: string): JsonObject {
  return asObject(JSON.parse(readFileSync(join(program.fixtures, file), 'utf8')));
}

/** The oracle has only the strategies that need nothing else to ask. */
function isKnown(answer: unknown): boolean {
  return !/^(?:unknown kind|no kind)/.test(stringAt(asObject(answer), 'error'));
}

function partialWrites(complete: JsonObject, chance: Chance): readonly Write[] {
  const { subresources } = servedAs(complete).definition.strategy;
  const part = (): JsonObject => {
    const holes = { kept: 0.5 + 0.5 * chance(), nulls: true };
    return withIdentity(complete, partialOf(complete, holes, chance));
  };
  return Array.from({ length: ROUNDS }).flatMap(() => {
    const old = part();
    const changed = partialOf(old, { kept: 0.97, nulls: false }, chance);
    return [
      { do: 'create', object: part() },
      { do: 'update', object: part(), old: part() },
      { do: 'update', object: withIdentity(complete, changed), old },
      ...[...subresources.keys()].map((verb) => ({ do: verb, object: part(), old: part() })),
    ];
  });
}

/** Part of an object, with what the registry has seen to before a strategy has its turn. */
function withIdentity(complete: JsonObject, part: JsonObject): JsonObject {
  const metadata = isJsonObject(part['metadata']) ? part['metadata'] : {};
  const { generateName: _g, deletionTimestamp: _d, selfLink: _s, ...rest } = metadata;
  const { namespaced } = servedAs(complete).definition;
  return {
    ...part,
    metadata: {
      ...rest,
      name: 'one',
      ...(namespaced ? { namespace: 'ns' } : {}),
      uid: 'u-1',
      resourceVersion: '1',
      creationTimestamp: '2020-01-01T00:00:00Z',
    },
    ...(complete['kind'] === 'Service' ? { spec: withPairedIps(part) } : {}),
  };
}

/** Upstream pairs the two fields before its strategy has its turn. */
function withPairedIps({ spec }: JsonObject): JsonObject {
  return { ...(isJsonObject(spec) ? spec : {}), clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] };
}

function expectNoneWorse({ write, ours, theirs }: Comparison): void {
  const shown = `${write.do} ${JSON.stringify(write).slice(0, 4000)}`;
  const { conversion } = servedAs(write.object);
  // The oracle stores each object in the version in which it came.
  const inOther = conversion === undefined ? [] : ['apiVersion'];
  const known = [...(KNOWN[stringAt(write.object, 'kind')] ?? []), ...inOther];
  expect(without(ours.object, known), shown).toEqual(without(theirs.object, known));
  // What each says of an object that both refuse is compared in e2e/oracles/parity.
  if (theirs.errors.length === 0) expect(ours.errors, shown).toEqual([]);
  expect(told(ours), shown).toEqual(told(theirs));
}

/** Each once, as a client is told them; Go goes through maps in any order. */
function told({ warnings }: Verdict): readonly string[] {
  return [...new Set(warnings)].sort();
}

function without(object: JsonObject, paths: readonly string[]): JsonObject {
  const copy = structuredClone(object);
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<JsonObject>((at, key) => {
      const inner = at[key];
      return isJsonObject(inner) ? inner : {};
    }, copy);
    Reflect.deleteProperty(parent, last);
  }
  return copy;
}

interface Showing {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

function expectSameConversion(program: OracleProgram, { kind, from, to }: Showing): void {
  const group = from === 'v1' ? 'core.v1' : from.replace('/', '.');
  const complete = fixture(program, `${group}.${kind}.json`);
  const chance = chanceFrom(SEED);
  const sent = Array.from({ length: ROUNDS * 5 }, () => {
    const holes = { kept: 0.5 + 0.5 * chance(), nulls: true };
    return withIdentity(complete, partialOf(complete, holes, chance));
  });
  // Lists that are empty are gone once an object was decoded; here too, before it is defaulted.
  const parts = program
    .ask(sent.map((object) => ({ do: 'canonical', object })))
    .map((answer) => asObject(answer)['object'])
    .filter((object: JsonValue | undefined) => isJsonObject(object));
  const answers = program.ask(parts.map((object) => ({ do: 'convert', object }))).map(asObject);
  const target = servedAs({ kind, apiVersion: to });
  const shown = parts.map((part) => {
    const stored = received(part);
    return stored === undefined ? {} : (target.conversion?.fromStorage(stored) ?? stored);
  });
  const canonical = program.ask(shown.map((object) => ({ do: 'canonical', object })));
  let compared = 0;
  answers.forEach((answer, index) => {
    if ('error' in answer) return;
    compared += 1;
    const ours = asObject(canonical[index])['object'];
    expect(ours, JSON.stringify(parts[index])).toEqual(answer['object']);
  });
  expect(compared).toBeGreaterThan(parts.length / 4);
}
