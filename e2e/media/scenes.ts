/**
 * What is asked of both servers: every verb of a resource of each sort. A scene makes what it needs
 * under the name that it is given, so that scenes neither see nor disturb one another.
 */
import type { JsonObject } from '../support/json.ts';
import type { WireRequest } from './wire.ts';

export interface Scene {
  /** `configmaps`, `widgets/scale`. */
  readonly resource: string;
  readonly verb: string;
  /** What is sent as JSON beforehand. */
  readonly before: (name: string) => readonly WireRequest[];
  readonly ask: (name: string) => WireRequest;
}

const NAMESPACE = 'media';
const GROUP = 'media.example.com';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const JSON_BODY = { 'content-type': 'application/json' };

interface Sort {
  readonly resource: string;
  /** Where its objects lie. */
  readonly path: string;
  readonly object: (name: string) => JsonObject;
}

const named = (apiVersion: string, kind: string, name: string, more: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, labels: { one: name } },
  ...more,
});

const CONFIG_MAPS: Sort = {
  resource: 'configmaps',
  path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  object: (name) => named('v1', 'ConfigMap', name, { data: { a: 'b' } }),
};

const WIDGETS: Sort = {
  resource: 'widgets',
  path: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets`,
  object: (name) => named(`${GROUP}/v1`, 'Widget', name, { spec: { replicas: 2 } }),
};

const DEPLOYMENTS: Sort = {
  resource: 'deployments',
  path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  object: (name) => {
    const labels = { app: name };
    const containers = [{ name: 'main', image: 'nginx' }];
    const template = { metadata: { labels }, spec: { containers } };
    return named('apps/v1', 'Deployment', name, {
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
  },
};

const DEFINITIONS: Sort = {
  resource: 'customresourcedefinitions',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  object: (name) => definition(`${name}s`, name),
};

function definition(plural: string, singular: string): JsonObject {
  const kind = singular.charAt(0).toUpperCase() + singular.slice(1);
  const count = { type: 'integer' };
  const part = { type: 'object', properties: { replicas: count, selector: { type: 'string' } } };
  const openAPIV3Schema = { type: 'object', properties: { spec: part, status: part } };
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {}, scale },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, labels: { one: singular } },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, singular, kind },
      versions: [version],
    },
  };
}

const write = (
  method: string,
  path: string,
  body: JsonObject,
  headers = JSON_BODY,
): WireRequest => ({
  method,
  path,
  headers,
  body: JSON.stringify(body),
});

const create = ({ path, object }: Sort, name: string): WireRequest =>
  write('POST', path, object(name));

/** What has to be there before any scene; each is tried until it succeeds. */
export const FURNITURE: readonly WireRequest[] = [
  write('POST', '/api/v1/namespaces', named('v1', 'Namespace', NAMESPACE, {})),
  write('POST', DEFINITIONS.path, definition('widgets', 'widget')),
  write(
    'POST',
    `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
    named('v1', 'ServiceAccount', 'thing', {}),
  ),
  ...[CONFIG_MAPS, WIDGETS, DEPLOYMENTS].map((sort) => create(sort, 'thing')),
];

const nothing = (): readonly WireRequest[] => [];

function readScenes({ resource, path }: Sort, name = 'thing'): Scene[] {
  const get = (verb: string, at: string, isWatch = false): Scene => ({
    resource,
    verb,
    before: nothing,
    ask: () => ({ method: 'GET', path: at, isWatch }),
  });
  const only = `fieldSelector=metadata.name%3D${name}`;
  return [
    get('get', `${path}/${name}`),
    get('list', `${path}?${only}`),
    get('list of nothing', `${path}?fieldSelector=metadata.name%3Dnone`),
    get('watch', `${path}?${only}&watch=true&timeoutSeconds=20`, true),
    get('get of nothing', `${path}/nothing`),
  ];
}

function writeScenes(sort: Sort): Scene[] {
  const { resource, path, object } = sort;
  const one = (verb: string, ask: (name: string) => WireRequest): Scene => ({
    resource,
    verb,
    before: (name) => [create(sort, name)],
    ask,
  });
  const labels = { metadata: { labels: { more: 'yes' } } };
  return [
    { resource, verb: 'create', before: nothing, ask: (name) => create(sort, name) },
    one('update', (name) => write('PUT', `${path}/${name}`, object(name))),
    one('patch', (name) => write('PATCH', `${path}/${name}`, labels, MERGE)),
    one('apply', (name) =>
      write('PATCH', `${path}/${name}?fieldManager=a&force=true`, object(name), APPLY),
    ),
    one('delete', (name) => ({ method: 'DELETE', path: `${path}/${name}` })),
    one('deletecollection', (name) => ({
      method: 'DELETE',
      path: `${path}?labelSelector=one%3D${name}`,
    })),
  ];
}

/** GET, PUT and PATCH of a subresource of the standing object. */
function partScenes({ resource, path, object }: Sort, part: string): Scene[] {
  const at = `${path}/thing/${part}`;
  const scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'thing', namespace: NAMESPACE },
    spec: { replicas: 0 },
  };
  const body = part === 'scale' ? scale : object('thing');
  const one = (verb: string, asked: WireRequest): Scene => ({
    resource: `${resource}/${part}`,
    verb,
    before: nothing,
    ask: () => asked,
  });
  return [
    one('get', { method: 'GET', path: at }),
    one('update', write('PUT', at, body)),
    one('patch', write('PATCH', at, { metadata: { labels: { more: 'yes' } } }, MERGE)),
  ];
}

const posted = (resource: string, path: string, body: JsonObject): Scene => ({
  resource,
  verb: 'create',
  before: nothing,
  ask: () => write('POST', path, body),
});

const resourceAttributes = { verb: 'get', resource: 'pods' };
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

export const SCENES: readonly Scene[] = [
  ...[CONFIG_MAPS, WIDGETS].flatMap((sort) => [...readScenes(sort), ...writeScenes(sort)]),
  ...readScenes(DEFINITIONS, `widgets.${GROUP}`),
  ...partScenes(DEPLOYMENTS, 'status'),
  ...partScenes(DEPLOYMENTS, 'scale'),
  ...partScenes(WIDGETS, 'status'),
  ...partScenes(WIDGETS, 'scale'),
  posted('selfsubjectaccessreviews', `${AUTHORIZATION}/selfsubjectaccessreviews`, {
    spec: { resourceAttributes },
  }),
  posted('selfsubjectrulesreviews', `${AUTHORIZATION}/selfsubjectrulesreviews`, {
    spec: { namespace: NAMESPACE },
  }),
  posted('selfsubjectreviews', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}),
  posted('tokenreviews', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }),
  posted('serviceaccounts/token', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/thing/token`, {
    spec: {},
  }),
];

/** Scenes with bodies, for the types of bodies. */
export const BODY_SCENES: readonly Scene[] = [
  ...[CONFIG_MAPS, WIDGETS].flatMap((sort) =>
    writeScenes(sort).map((scene) => {
      if (!scene.verb.startsWith('delete')) return scene;
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions' });
      return { ...scene, ask: (name: string) => ({ ...scene.ask(name), body }) };
    }),
  ),
  ...SCENES.filter(({ resource }) => resource === 'selfsubjectaccessreviews'),
].filter(({ verb }) => verb !== 'apply');

/** What stands in each row of a table, asked in every way. */
export const INCLUDED: readonly string[] = ['None', 'Metadata', 'Object', 'Bad', 'none', ''];
export const INCLUDED_PATHS: readonly string[] = [CONFIG_MAPS, WIDGETS].flatMap(({ path }) => [
  `${path}/thing`,
  `${path}?fieldSelector=metadata.name%3Dthing`,
  `${path}?fieldSelector=metadata.name%3Dthing&watch=true&timeoutSeconds=20`,
]);

export const DOCUMENTS: readonly string[] = [
  '/api',
  '/api/v1',
  '/apis',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/nothing',
  `/apis/${GROUP}`,
  `/apis/${GROUP}/v1`,
  '/version',
];

/** What is asked compact and indented, to see how its text ends. */
export const ENDED_PATHS: readonly string[] = [
  ...INCLUDED_PATHS,
  `${DEPLOYMENTS.path}/thing`,
  `${DEPLOYMENTS.path}/thing/scale`,
  `${DEPLOYMENTS.path}/thing/status`,
  `${DEPLOYMENTS.path}?limit=1`,
  `${CONFIG_MAPS.path}?fieldSelector=metadata.name%3Dnone`,
  `${CONFIG_MAPS.path}/nothing`,
  `${DEFINITIONS.path}/widgets.${GROUP}`,
  '/apis/nothing.example.com/v1/things',
  ...['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/nothing'],
  ...['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1', '/healthz', '/readyz?verbose=1'],
];
/** Of the query; a browser is given what is indented, too. */
export const PRETTY: readonly string[] = ['', 'pretty=1', 'pretty=true', 'pretty=0', 'pretty=x'];

/** A list of more than 128 KiB, from which on answers are compressed. */
export const LARGE = CONFIG_MAPS.path;
export const LARGE_OBJECT = write('POST', CONFIG_MAPS.path, {
  ...CONFIG_MAPS.object('large'),
  data: { x: 'compressible '.repeat(30_000) },
});
export const ENCODINGS: readonly string[] = [
  'gzip',
  'gzip, deflate, br',
  'deflate,gzip',
  'gzip;q=0',
  'gzip;q=1',
  'GZIP',
  '*',
  'identity, gzip ',
  'br',
  '',
];
