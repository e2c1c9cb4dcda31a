/**
 * The operations of one resource and of its subresources. What is there follows from the verbs
 * alone; the names of the operations are a contract with generated clients.
 *
 * In Kubernetes: registerResourceHandlers of endpoints/installer.go.
 */
import type { SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import { connectOperations, isConnected, logOperation } from './connect-operations.ts';
import { META } from './operation.ts';
import type { Method, Operation, Parameter, Subject } from './operation.ts';
import {
  DELETE,
  DELETE_COLLECTION,
  LIST,
  nameOf,
  NAMESPACE,
  PATCH,
  PRETTY,
  WRITE,
  sortedByName,
} from './parameters.ts';

/** Without CBOR, which is added to all operations of a version while its gate CBORServingAndStorage is on. */
export const PRODUCED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const STREAMED = [
  ...PRODUCED,
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const ANY = ['*/*'];

export function resourceOperations(subject: Subject): Operation[] {
  const { resource } = subject;
  return [
    ...collectionOperations(subject),
    ...objectOperations(subject),
    ...watchOperations(subject),
    ...resource.subresources.flatMap((one) => subresourceOperations(subject, one)),
  ];
}

function collectionOperations(subject: Subject): Operation[] {
  const { resource, prefix, scope } = subject;
  const path = collectionPath(subject);
  const found: Operation[] = [];
  if (resource.verbs.includes('list')) found.push(...listOperations(subject, path));
  if (resource.verbs.includes('create')) {
    found.push(creation(subject, path, `create${prefix}${scope}${resource.kind}`));
  }
  if (resource.verbs.includes('deletecollection')) {
    found.push({
      ...operation(subject, path, 'delete', DELETE_COLLECTION),
      operationId: `delete${prefix}Collection${scope}${resource.kind}`,
      action: 'deletecollection',
      body: { typeId: `${META}.DeleteOptions`, required: false },
      responses: responses(`${META}.Status`, '200'),
    });
  }
  return found;
}

function listOperations(subject: Subject, path: string): Operation[] {
  const { resource, prefix, scope } = subject;
  const list = {
    ...operation(subject, path, 'get', LIST),
    operationId: `list${prefix}${scope}${resource.kind}`,
    action: 'list',
    ...(resource.verbs.includes('watch') && {
      description: `list or watch objects of kind ${resource.kind}`,
    }),
    produces: STREAMED,
    responses: responses(resource.listTypeId, '200'),
  };
  if (!resource.namespaced) return [list];
  const everywhere = `${subject.root}/${resource.resource}`;
  const operationId = `list${prefix}${resource.kind}ForAllNamespaces`;
  return [list, { ...list, ...at(subject, everywhere, LIST), operationId }];
}

function objectOperations(subject: Subject): Operation[] {
  const { resource, prefix, scope, typeId } = subject;
  const path = `${collectionPath(subject)}/{name}`;
  const found = changeOperations(subject, { path, verbs: resource.verbs, suffix: '' });
  if (resource.verbs.includes('delete')) {
    const answer = resource.returnedByDelete === true ? typeId : `${META}.Status`;
    found.push({
      ...operation(subject, path, 'delete', DELETE),
      operationId: `delete${prefix}${scope}${resource.kind}`,
      action: 'delete',
      body: { typeId: `${META}.DeleteOptions`, required: false },
      responses: responses(answer, '200', '202'),
    });
  }
  return found;
}

interface ResourcePath {
  readonly path: string;
  readonly verbs: readonly string[];
  /** What follows the kind in the names of operations: `Status`. */
  readonly suffix: string;
}

/** Reading, replacing and patching, which objects and subresources have alike. */
function changeOperations(subject: Subject, { path, verbs, suffix }: ResourcePath): Operation[] {
  const { prefix, scope, resource, typeId } = subject;
  const name = `${prefix}${scope}${resource.kind}${suffix}`;
  const found: Operation[] = [];
  if (verbs.includes('get')) {
    found.push({
      ...operation(subject, path, 'get', []),
      operationId: `read${name}`,
      responses: responses(typeId, '200'),
    });
  }
  if (verbs.includes('update')) {
    found.push({
      ...operation(subject, path, 'put', WRITE),
      operationId: `replace${name}`,
      body: { typeId, required: true },
      responses: responses(typeId, '200', '201'),
    });
  }
  if (verbs.includes('patch')) {
    found.push({
      ...operation(subject, path, 'patch', PATCH),
      operationId: `patch${name}`,
      consumes: PATCHES,
      body: { typeId: `${META}.Patch`, required: true },
      responses: responses(typeId, '200', '201'),
    });
  }
  return found;
}

function creation(subject: Subject, path: string, operationId: string): Operation {
  const { typeId } = subject;
  return {
    ...operation(subject, path, 'post', WRITE),
    operationId,
    body: { typeId, required: true },
    responses: responses(typeId, '200', '201', '202'),
  };
}

/** The paths under `/watch/`, deprecated since long and still documented and served. */
function watchOperations(subject: Subject): Operation[] {
  const { resource, prefix, scope, root } = subject;
  if (!resource.verbs.includes('watch')) return [];
  const watchRoot = `${root}/watch`;
  const path = collectionPath({ ...subject, root: watchRoot });
  const list: Operation = {
    ...operation(subject, path, 'get', LIST),
    operationId: `watch${prefix}${scope}${resource.kind}List`,
    action: 'watchlist',
    produces: STREAMED,
    responses: responses(`${META}.WatchEvent`, '200'),
  };
  const one: Operation = {
    ...list,
    ...at(subject, `${path}/{name}`, LIST),
    operationId: `watch${prefix}${scope}${resource.kind}`,
    action: 'watch',
  };
  if (!resource.namespaced) return [list, one];
  const operationId = `watch${prefix}${resource.kind}ListForAllNamespaces`;
  const everywhere = at(subject, `${watchRoot}/${resource.resource}`, LIST);
  return [list, one, { ...list, ...everywhere, operationId }];
}

function subresourceOperations(parent: Subject, subresource: SubresourceFacts): Operation[] {
  const { kind, group, version, typeId, verbs, name } = subresource;
  const subject: Subject = { ...parent, gvk: { group, version, kind }, typeId };
  const path = `${collectionPath(parent)}/{name}/${name}`;
  const suffix = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (name === 'log') return [logOperation(subject, path)];
  if (isConnected(subresource)) return connectOperations(subject, { path, subresource, suffix });
  const found = changeOperations(subject, { path, verbs, suffix });
  if (verbs.includes('create')) {
    const { prefix, scope, resource } = parent;
    found.push(creation(subject, path, `create${prefix}${scope}${resource.kind}${suffix}`));
  }
  return found;
}

function collectionPath({ root, resource }: Subject): string {
  const namespace = resource.namespaced ? 'namespaces/{namespace}/' : '';
  return `${root}/${namespace}${resource.resource}`;
}

/** An operation whose name, answers and, where it is not the method's, action come in addition. */
export function operation(
  subject: Subject,
  path: string,
  method: Method,
  parameters: readonly Parameter[],
): Omit<Operation, 'operationId' | 'responses'> & { action: string } {
  return {
    ...at(subject, path, parameters),
    method,
    tag: subject.tag,
    action: method,
    gvk: subject.gvk,
    kind: subject.resource.kind,
    consumes: ANY,
    produces: PRODUCED,
  };
}

/** The path, and the parameters that it and the request have. */
export function at(
  { gvk }: Subject,
  path: string,
  own: readonly Parameter[],
): { path: string; parameters: Parameter[] } {
  const parameters = [PRETTY, ...own];
  if (path.includes('{namespace}')) parameters.push(NAMESPACE);
  if (path.includes('{name}')) parameters.push(nameOf(gvk.kind));
  return { path, parameters: sortedByName(parameters) };
}

export function responses(
  typeId: string | undefined,
  ...codes: string[]
): Map<string, string | undefined> {
  return new Map(codes.map((code) => [code, typeId]));
}
