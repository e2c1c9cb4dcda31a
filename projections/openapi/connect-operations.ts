/**
 * The operations of subresources that end in a connection (exec, attach, portforward, proxy) and
 * of a pod's log. Their query parameters are the fields of an options type.
 */
import type { SubresourceFacts } from '../../api/scheme/resource-facts.ts';
import { jsonFieldsOf } from '../../api/scheme/type-facts.ts';
import type { FieldType } from '../../api/scheme/field-type.ts';
import type { Method, Operation, Parameter, Subject } from './operation.ts';
import { nameOf, NAMESPACE, PATH_IN_PATH, PRETTY, query, sortedByName } from './parameters.ts';

const ANY = ['*/*'];
const LOG_OPTIONS = 'io.k8s.api.core.v1.PodLogOptions';
const PROXIED: readonly Method[] = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'];

/** Whether a subresource speaks an options type, which upstream gives to connections alone. */
export function isConnected(subresource: SubresourceFacts): boolean {
  return subresource.kind.endsWith('Options');
}

interface ConnectPath {
  readonly path: string;
  readonly subresource: SubresourceFacts;
  readonly suffix: string;
}

export function connectOperations(subject: Subject, place: ConnectPath): Operation[] {
  const { subresource, path, suffix } = place;
  if (subresource.name !== 'proxy') {
    return connections(subject, place, ['get', 'post']);
  }
  const below = { ...place, path: `${path}/{path}`, suffix: `${suffix}WithPath` };
  return [...connections(subject, place, PROXIED), ...connections(subject, below, PROXIED)];
}

function connections(
  subject: Subject,
  place: ConnectPath,
  methods: readonly Method[],
): Operation[] {
  const { path, subresource, suffix } = place;
  const { prefix, scope, resource } = subject;
  const parameters = parametersAt(subject, path, subresource.typeId, []);
  return methods.map((method) => {
    const verb = `${method.charAt(0).toUpperCase()}${method.slice(1)}`;
    return {
      path,
      method,
      operationId: `connect${prefix}${verb}${scope}${resource.kind}${suffix}`,
      tag: subject.tag,
      action: 'connect',
      gvk: subject.gvk,
      kind: resource.kind,
      parameters,
      consumes: ANY,
      produces: ANY,
      responses: new Map([['200', undefined]]),
    };
  });
}

export function logOperation(subject: Subject, path: string): Operation {
  const { prefix, scope, resource, tag, gvk } = subject;
  return {
    path,
    method: 'get',
    operationId: `read${prefix}${scope}${resource.kind}Log`,
    tag,
    action: 'get',
    gvk,
    kind: resource.kind,
    parameters: parametersAt(subject, path, LOG_OPTIONS, [PRETTY]),
    consumes: ANY,
    produces: [
      'text/plain',
      'application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
    ],
    responses: new Map([['200', undefined]]),
  };
}

function parametersAt(
  { gvk }: Subject,
  path: string,
  optionsId: string,
  more: readonly Parameter[],
): Parameter[] {
  const parameters = [...more];
  if (path.includes('{name}')) parameters.push(nameOf(gvk.kind));
  if (path.includes('{namespace}')) parameters.push(NAMESPACE);
  if (path.includes('{path}')) parameters.push(PATH_IN_PATH);
  for (const field of jsonFieldsOf(optionsId)) {
    const type = parameterType(field.type);
    const isTypeMeta = field.name === 'kind' || field.name === 'apiVersion';
    if (type !== undefined && !isTypeMeta) parameters.push(query(field.name, type, optionsId));
  }
  return sortedByName(parameters);
}

/** A list is given by repeating the parameter; a struct (sinceTime) is not documented at all. */
function parameterType(type: FieldType): Parameter['type'] | undefined {
  if (type.kind === 'list') return parameterType(type.of);
  if (type.kind !== 'scalar') return undefined;
  if (type.scalar === 'string') return 'string';
  return type.scalar === 'bool' ? 'boolean' : 'integer';
}
