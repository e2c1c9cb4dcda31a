/**
 * A request as webhooks and expressions are shown it, but for the objects.
 *
 * In Kubernetes: CreateV1AdmissionReview and CreateAdmissionRequest, apiserver/pkg/admission/plugin.
 */
import { formatJson, parseJson } from '../../../api/json/json-text.ts';
import type { GroupVersionKind } from '../../../api/meta/object-meta.ts';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { setOwn } from '../../../api/json/own-property.ts';
import type { UserInfo } from '../../request/request.ts';
import type { AdmissionAttributes, AdmissionOptions } from '../admission-attributes.ts';
import { type NamedPlace, placeIn } from '../matching/resource-rules.ts';

/** Without `uid`; empty texts are left out, as Go leaves them out. */
export function shownRequest(attributes: AdmissionAttributes, target: NamedPlace): JsonObject {
  const { served, subresource, operation, name, namespace, options, request } = attributes;
  const own = placeIn(served, subresource);
  return {
    kind: plainKind(target.kind),
    resource: { ...target.resource },
    ...filled('subResource', subresource),
    requestKind: plainKind(attributes.kind),
    requestResource: { ...own.resource },
    ...filled('requestSubResource', subresource),
    ...filled('name', name),
    ...filled('namespace', namespace),
    operation,
    userInfo: shownUser(request.user),
    object: null,
    oldObject: null,
    dryRun: options.dryRun,
    options: shownOptions(operation, options),
  };
}

/** An object that has a kind may tell more of it. */
function plainKind({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function shownUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  const extras: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) setOwn(extras, key, [...values]);
  return {
    ...filled('username', name),
    ...filled('uid', uid),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extras).length === 0 ? {} : { extra: extras }),
  };
}

const KINDS: Readonly<Record<AdmissionAttributes['operation'], string>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: '',
};

/** The options of a deletion are more than those that all plug-ins know. */
type AnyOptions = AdmissionOptions & Readonly<Record<string, unknown>>;

function shownOptions(
  operation: AdmissionAttributes['operation'],
  options: AdmissionOptions,
): JsonValue {
  const kind = KINDS[operation];
  if (kind === '') return null;
  const { dryRun, fieldManager = '', fieldValidation = '', ...rest } = options as AnyOptions;
  const more = operation === 'DELETE' ? deletionOptions(rest) : {};
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...more,
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...filled('fieldManager', fieldManager),
    ...(operation === 'DELETE' ? {} : filled('fieldValidation', fieldValidation)),
  };
}

const DELETION_OPTIONS = [
  'gracePeriodSeconds',
  'preconditions',
  'orphanDependents',
  'propagationPolicy',
] as const;

function deletionOptions(options: Readonly<Record<string, unknown>>): JsonObject {
  const shown: JsonObject = {};
  for (const key of DELETION_OPTIONS) {
    const value = options[key];
    // Parsed from the JSON of a client.
    if (value !== undefined) shown[key] = plain(value as JsonValue);
  }
  return shown;
}

function plain(value: JsonValue): JsonValue {
  return parseJson(formatJson(value)); // What is undefined goes.
}

function filled(key: string, text: string): JsonObject {
  return text === '' ? {} : { [key]: text };
}
