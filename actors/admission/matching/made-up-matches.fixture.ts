/** Made-up requests, webhooks and policies, and whether they are about one another by this server. */
import { join } from 'node:path';

import { seededDice } from '../../../api/patch/go-oracle.fixture.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { testClock } from '../../request/given.fixture.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import type { AdmissionAttributes, AdmissionOperation } from '../admission-attributes.ts';
import { decodedAs } from '../../../api/kinds/kind.ts';
import { compileHooks } from '../webhooks/webhook-hook.ts';
import { equivalentsOf, matchesAt, placeIn } from './resource-rules.ts';
import { compileMatch, isPlace, matchedPlace, placedMatch, selects } from './match-resources.ts';

type Dice = ReturnType<typeof seededDice>;

export interface Answer {
  readonly matched: boolean;
  readonly resource: string;
  readonly error: string;
}

export interface Asked {
  readonly question: JsonObject;
  readonly mine: Answer;
}

const RESOURCES = [
  '/v1/pods',
  '/v1/namespaces',
  '/v1/nodes',
  '/v1/events',
  'events.k8s.io/v1/events',
  'apps/v1/deployments',
  'autoscaling/v1/horizontalpodautoscalers',
  'autoscaling/v2/horizontalpodautoscalers',
];
const served = builtInResources(testClock()).filter(({ facts }) =>
  RESOURCES.includes(`${facts.group}/${facts.version}/${facts.resource}`),
);

/** The same for the same seed. */
export function someMatches(seed: number, count: number): Asked[] {
  const dice = seededDice(seed);
  return Array.from({ length: count }, () => someQuestion(dice));
}

/** A section for each seed. */
export const recordedMatches = recordedAnswers(join(import.meta.dirname, 'matching.answers.txt'));
export const RECORDED_SEEDS: readonly number[] = [0, 1, 2, 3, 4, 5];

export function recordedQuestions(seed: number): Asked[] {
  return someMatches(seed, 150);
}

function someQuestion(dice: Dice): Asked {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[dice(values.length)] ?? (values[0] as Value); // None of the lists is empty.
  const some = (values: readonly string[]): string[] => {
    const chosen = values.filter(() => dice(3) === 0);
    return chosen.length === 0 ? [pick(values)] : chosen;
  };
  const resource = pick(served);
  const request = someRequest(resource, pick, dice);
  const rule = (): JsonObject => ({
    operations: some(['*', 'CREATE', 'UPDATE', 'DELETE', 'CREATE', 'UPDATE']),
    apiGroups: some(['*', '', 'apps', 'autoscaling', 'events.k8s.io', resource.facts.group]),
    apiVersions: some(['*', 'v1', 'v2', resource.facts.version]),
    resources: some(['*', '*/*', 'pods', 'pods/*', '*/status', 'events', resource.facts.resource]),
    ...(dice(2) === 0 ? { scope: pick(['*', 'Namespaced', 'Cluster']) } : {}),
  });
  const named = (): JsonObject =>
    dice(3) === 0 ? { ...rule(), resourceNames: some(['one', 'two', request.name]) } : rule();
  const selectors = {
    matchPolicy: pick(['Exact', 'Equivalent']),
    namespaceSelector: someSelector(pick, dice),
    objectSelector: someSelector(pick, dice),
  };
  const namespace = dice(8) === 0 ? undefined : someLabels(pick, dice);
  const webhook = { name: 'a', rules: Array.from({ length: 1 + dice(3) }, rule), ...selectors };
  const match = {
    ...selectors,
    resourceRules: Array.from({ length: dice(3) }, named),
    excludeResourceRules: Array.from({ length: dice(2) }, named),
  };
  const isWebhook = dice(2) === 0;
  const attributes = attributesOf(resource, request, namespace);
  const equivalents = [placeIn(resource, request.subresource), ...equivalentsOf(attributes)];
  return {
    question: {
      ...(isWebhook ? { webhook } : { match }),
      request: { ...request },
      ...(namespace === undefined ? {} : { namespace }),
      equivalents: equivalents.map(({ resource: one, kind }) => ({ ...one, kind: kind.kind })),
    },
    mine: isWebhook ? ofWebhook(webhook, attributes) : ofPolicy(match, attributes),
  };
}

interface SomeRequest {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly subresource: string;
  readonly operation: AdmissionOperation;
  readonly namespace: string;
  readonly name: string;
  readonly object?: StringMap;
  readonly oldObject?: StringMap;
}

function someRequest(
  { facts, definition }: ServedResource,
  pick: <Value>(values: readonly Value[]) => Value,
  dice: Dice,
): SomeRequest {
  const { group, version, kind, resource } = facts;
  const operation = pick(['CREATE', 'UPDATE', 'DELETE'] as const);
  const name = pick(['one', 'two', 'three', '']);
  const own = pick(['', '', ...facts.subresources.map((one) => one.name)]);
  const isNamespace = resource === 'namespaces';
  return {
    ...{ group, version, kind, resource, operation, name },
    subresource: own,
    namespace: definition.namespaced ? 'somewhere' : isNamespace ? name : '',
    ...(operation === 'DELETE' ? {} : { object: someLabels(pick, dice) }),
    ...(operation === 'CREATE' ? {} : { oldObject: someLabels(pick, dice) }),
  };
}

function someLabels(pick: (values: readonly string[]) => string, dice: Dice): StringMap {
  const labels: StringMap = {};
  if (dice(2) === 0) labels['a'] = pick(['1', '2']);
  if (dice(2) === 0) labels['b'] = pick(['1', '2']);
  return labels;
}

function someSelector(pick: (values: readonly string[]) => string, dice: Dice): JsonObject {
  switch (dice(5)) {
    case 0:
      return { matchLabels: { a: pick(['1', '2']) } };
    case 1:
      return { matchExpressions: [{ key: 'b', operator: pick(['Exists', 'DoesNotExist']) }] };
    case 2:
      return {
        matchExpressions: [{ key: 'a', operator: pick(['In', 'NotIn']), values: ['1', '3'] }],
      };
    default:
      return {};
  }
}

function attributesOf(
  resource: ServedResource,
  request: SomeRequest,
  namespace: StringMap | undefined,
): AdmissionAttributes {
  const object = (labels: StringMap | undefined): KubeObject | undefined =>
    labels && { kind: '', apiVersion: '', metadata: { labels } };
  const objects: ObjectReads = {
    get: (where, path) =>
      namespace === undefined
        ? undefined
        : {
            resource: where,
            path,
            resourceVersion: resourceVersion(1),
            labels: namespace,
            json: Buffer.from('{}'),
          },
  };
  const attributes = {
    served: resource,
    operation: request.operation,
    subresource: request.subresource,
    namespace: request.namespace,
    name: request.name,
    object: object(request.object),
    oldObject: object(request.oldObject),
    objects,
  };
  return attributes as unknown as AdmissionAttributes; // All that matching looks at.
}

const CONFIGURATION = 'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration';
const NOTHING: Answer = { matched: false, resource: '', error: '' };

function ofWebhook(webhook: JsonObject, attributes: AdmissionAttributes): Answer {
  const configuration = decodedAs(CONFIGURATION, { webhooks: [webhook] });
  const [hook] = configuration === undefined ? [] : compileHooks(configuration);
  if (hook === undefined) throw new Error('no webhook');
  const [match] = matchesAt(hook.rules, hook.matchPolicy, attributes);
  if (match === undefined) return NOTHING;
  const selected = selects(hook.selection, attributes);
  if (selected === 'no') return NOTHING;
  if (selected !== 'yes') return { ...NOTHING, error: selected.message ?? '' };
  const { group, version, resource } = match.target.resource;
  return { ...NOTHING, matched: true, resource: `${group}/${version}/${resource}` };
}

function ofPolicy(match: JsonObject, attributes: AdmissionAttributes): Answer {
  const placed = placedMatch(compileMatch(match), attributes);
  const matched = placed === undefined ? 'no' : matchedPlace(placed, attributes);
  if (matched === 'no') return NOTHING;
  if (!isPlace(matched)) return { ...NOTHING, error: matched.message ?? '' };
  const { group, version, resource } = matched.resource;
  return { ...NOTHING, matched: true, resource: `${group}/${version}/${resource}` };
}
