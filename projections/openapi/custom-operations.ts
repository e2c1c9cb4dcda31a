/**
 * The operations of a custom resource. They are fewer than those of a built-in one, and speak fewer
 * languages; their names follow the same rule.
 *
 * In Kubernetes: generateBuilder and buildRoute, apiextensions-apiserver/pkg/controller/openapi.
 */
import { customTypeId, type CustomKind } from './custom-kind.ts';
import { META, type Method, type Operation, type Parameter } from './operation.ts';
import {
  DELETE,
  LIST,
  LIST_OPTIONS,
  nameOf,
  NAMESPACE,
  PATCH,
  PRETTY,
  query,
  sortedByName,
  WRITE,
} from './parameters.ts';

const MEDIA = ['application/json', 'application/yaml'];
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
];
const STATUS = `${META}.Status`;
const SCALE = 'io.k8s.api.autoscaling.v1.Scale';
const GET: readonly Parameter[] = [query('resourceVersion', 'string', LIST_OPTIONS)];

export function customOperations(kind: CustomKind): Operation[] {
  const root = `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced ? 'namespaces/{namespace}/' : '';
  const all = `${root}/${scope}${kind.plural}`;
  const one = `${all}/{name}`;
  const own = customTypeId(kind, kind.kind);
  const list = customTypeId(kind, kind.listKind);
  const make = (given: Given): Operation => operation(kind, given);
  const views: Operation[] = [];
  if (kind.hasStatus) views.push(...changes(kind, `${one}/status`, own, 'Status'));
  if (kind.hasScale) views.push(...changes(kind, `${one}/scale`, SCALE, 'Scale'));
  const everywhere = make({
    ...{ path: `${root}/${kind.plural}`, method: 'get', verb: 'list', action: 'list' },
    ...{ parameters: LIST, answers: { 200: list }, name: `${kind.kind}ForAllNamespaces` },
  });
  return [
    ...(kind.namespaced ? [everywhere] : []),
    make({
      path: all,
      method: 'get',
      verb: 'list',
      action: 'list',
      parameters: LIST,
      answers: { 200: list },
    }),
    make({
      path: all,
      method: 'post',
      verb: 'create',
      parameters: WRITE,
      answers: { 200: own, 201: own, 202: own },
      body: own,
    }),
    make({
      path: all,
      method: 'delete',
      verb: 'delete',
      action: 'deletecollection',
      parameters: LIST,
      answers: { 200: STATUS },
      prefix: 'Collection',
    }),
    ...changes(kind, one, own, ''),
    make({
      path: one,
      method: 'delete',
      verb: 'delete',
      parameters: DELETE,
      answers: { 200: STATUS, 202: STATUS },
      body: `${META}.DeleteOptions`,
    }),
    ...views,
  ];
}

/** Reading, replacing and patching, which objects and subresources have alike. */
function changes(kind: CustomKind, path: string, typeId: string, suffix: string): Operation[] {
  const make = (given: Omit<Given, 'path'>): Operation =>
    operation(kind, { ...given, path, suffix });
  return [
    make({ method: 'get', verb: 'read', parameters: GET, answers: { 200: typeId } }),
    make({
      method: 'put',
      verb: 'replace',
      parameters: WRITE,
      answers: { 200: typeId, 201: typeId },
      body: typeId,
    }),
    make({
      method: 'patch',
      verb: 'patch',
      parameters: PATCH,
      answers: { 200: typeId },
      body: `${META}.Patch`,
    }),
  ];
}

interface Given {
  readonly path: string;
  readonly method: Method;
  /** The word with which the operation's name begins. */
  readonly verb: string;
  /** Where it is not the method. */
  readonly action?: string;
  readonly parameters: readonly Parameter[];
  readonly answers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In the name in front of the kind. */
  readonly prefix?: string;
  /** In the name behind the kind. */
  readonly suffix?: string;
  /** The end of the operation's name, where it is another. */
  readonly name?: string;
}

function operation(kind: CustomKind, given: Given): Operation {
  const { group, version } = kind;
  const { path, method, verb, body, prefix = '', suffix = '' } = given;
  const parameters = [PRETTY, ...given.parameters];
  if (path.includes('{namespace}')) parameters.push(NAMESPACE);
  if (path.includes('{name}')) parameters.push(nameOf(kind.kind));
  const scope = kind.namespaced ? 'Namespaced' : '';
  const name = given.name ?? `${prefix}${scope}${kind.kind}${suffix}`;
  const own = camelCase(group);
  return {
    path,
    method,
    operationId: verb + capitalized(own) + capitalized(camelCase(version)) + name,
    tag: `${own}_${camelCase(version)}`,
    action: given.action ?? method,
    gvk: { group, version, kind: kind.kind },
    parameters: sortedByName(parameters),
    ...(body === undefined ? {} : { body: { typeId: body, required: method !== 'delete' } }),
    consumes: method === 'patch' ? PATCHES : MEDIA,
    produces: MEDIA,
    responses: new Map(Object.entries(given.answers)),
  };
}

/** `stable.example.com` is `stableExampleCom`. In Kubernetes: ToValidOperationID. */
function camelCase(group: string): string {
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[^\p{L}\p{Nd}_]+/u);
  return first + rest.map(capitalized).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
