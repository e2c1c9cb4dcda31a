/**
 * All operations of the API, by the document that describes them: one for each group version,
 * one for each group, one for each root.
 */
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { META } from './operation.ts';
import type { Operation } from './operation.ts';
import { PRODUCED, resourceOperations } from './resource-operations.ts';

export interface ApiDocument {
  /** The path without its slash in front: `apis/apps/v1`. */
  readonly name: string;
  /** The group version that it documents; undefined of roots and groups. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
  /** What it says of itself, where that is not what all say. */
  readonly info?: { readonly title: string; readonly version: string };
  /** Computed anew on each call. */
  readonly operations: () => Operation[];
}

const JSON_ONLY = ['application/json'];
/** What the documents of one GET do, by the type that they answer. */
const ABOUT: Readonly<Record<string, string>> = {
  'io.k8s.apimachinery.pkg.version.Info': 'get the version information for this server',
  [`${META}.APIGroupList`]: 'get available API versions',
  [`${META}.APIVersions`]: 'get available API versions',
};

/** The documents for the resources that are served. @param hasCbor whether CBOR is among their media types. */
export function apiDocuments(served: readonly ResourceFacts[], hasCbor: boolean): ApiDocument[] {
  const documents = new Map<string, ApiDocument>();
  const add = (document: ApiDocument): void => {
    documents.set(document.name, document);
  };
  for (const one of openIdDocuments()) add(one);
  add(single('version', 'getCodeVersion', 'io.k8s.apimachinery.pkg.version.Info'));
  add(single('apis', 'getAPIVersions', `${META}.APIGroupList`));
  for (const [root, resources] of byRoot(served)) {
    const [first] = resources;
    if (first === undefined) continue;
    const { group, version } = first;
    const name = group === '' ? 'api' : `apis/${group}`;
    const ownName = camelCase(group);
    if (group === '') {
      add({ ...single(name, 'getCoreAPIVersions', `${META}.APIVersions`, 'core') });
    } else {
      add(single(name, `get${capitalized(ownName)}APIGroup`, `${META}.APIGroup`, ownName));
    }
    add({
      name: root,
      groupVersion: { group, version },
      operations: () => {
        const found = versionOperations(`/${root}`, resources);
        return hasCbor ? found.map(withCbor) : found;
      },
    });
  }
  return [...documents.values()];
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Groups and roots are never written in it. */
function withCbor(operation: Operation): Operation {
  const { consumes, produces } = operation;
  return { ...operation, consumes: mediaWithCbor(consumes), produces: mediaWithCbor(produces) };
}

function mediaWithCbor(media: readonly string[]): readonly string[] {
  const after = new Map([
    [PROTOBUF, 'application/cbor'],
    [`${PROTOBUF};stream=watch`, 'application/cbor-seq'],
    ['application/apply-patch+yaml', 'application/apply-patch+cbor'],
  ]);
  return media.flatMap((one) => {
    const next = after.get(one);
    return next === undefined ? [one] : [one, next];
  });
}

function byRoot(served: readonly ResourceFacts[]): Map<string, ResourceFacts[]> {
  const roots = new Map<string, ResourceFacts[]>();
  for (const resource of served) {
    const { group, version } = resource;
    const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    const found = roots.get(root);
    if (found === undefined) roots.set(root, [resource]);
    else found.push(resource);
  }
  return roots;
}

function versionOperations(root: string, resources: readonly ResourceFacts[]): Operation[] {
  const [first] = resources;
  if (first === undefined) return [];
  const { group, version } = first;
  const groupName = camelCase(group);
  const prefix = `${capitalized(groupName)}${capitalized(version)}`;
  const tag = `${groupName}_${version}`;
  const available: Operation = {
    path: `${root}/`,
    method: 'get',
    operationId: `get${prefix}APIResources`,
    description: 'get available resources',
    tag,
    parameters: [],
    consumes: PRODUCED,
    produces: PRODUCED,
    responses: new Map([['200', `${META}.APIResourceList`]]),
  };
  const ofResources = resources.flatMap((resource) =>
    resourceOperations({
      root,
      prefix,
      tag,
      resource,
      scope: resource.namespaced ? 'Namespaced' : '',
      gvk: { group, version, kind: resource.kind },
      typeId: resource.typeId,
    }),
  );
  return [available, ...ofResources];
}

/**
 * How the tokens of service accounts are checked. Generated clients know the two operations by
 * these names.
 *
 * In Kubernetes: pkg/routes/openidmetadata.go.
 */
function openIdDocuments(): ApiDocument[] {
  const named = 'getServiceAccountIssuerOpenID';
  return [
    openIdDocument('.well-known/openid-configuration', {
      operationId: `${named}Configuration`,
      description:
        "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
      tag: 'WellKnown',
      produces: JSON_ONLY,
    }),
    openIdDocument('openid/v1/jwks', {
      operationId: `${named}Keyset`,
      description:
        'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
      tag: 'openid',
      produces: ['application/jwk-set+json'],
    }),
  ];
}

function openIdDocument(
  name: string,
  said: Pick<Operation, 'operationId' | 'description' | 'tag' | 'produces'>,
): ApiDocument {
  const operation: Operation = {
    ...said,
    path: `/${name}/`,
    method: 'get',
    parameters: [],
    consumes: [],
    responses: new Map([['200', undefined]]),
  };
  return { name, operations: () => [operation] };
}

/** A document of one GET. */
function single(name: string, operationId: string, typeId: string, tag = name): ApiDocument {
  const media = name === 'version' ? JSON_ONLY : PRODUCED;
  const operation: Operation = {
    path: `/${name}/`,
    method: 'get',
    operationId,
    description: ABOUT[typeId] ?? 'get information of a group',
    tag,
    parameters: [],
    consumes: media,
    produces: media,
    responses: new Map([['200', typeId]]),
  };
  return { name, operations: () => [operation] };
}

/** `rbac.authorization.k8s.io` is `rbacAuthorization`; the legacy group is `core`. */
function camelCase(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split('.');
  return first + rest.map(capitalized).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
