/**
 * What is found only when an answer is to be given its form: that it has none that was asked for. By
 * then a write has happened, in kube-apiserver too.
 *
 * In Kubernetes: transformResponseObject, apiserver/pkg/endpoints/handlers/response.go.
 */
import { goQuote } from '../../api/json/go-format.ts';
import { badRequest, unclassifiedFailure, type Status } from '../../api/meta/status.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request.ts';
import { SCALE_TYPE } from '../../actors/registry/objects/managed-scale.ts';
import { STATUS_TYPE } from './object-form.ts';

/** @returns what is answered instead; undefined: it can be given in this form. */
export function formProblem(answer: Answer, media: AcceptedMedia | undefined): Status | undefined {
  if (media === undefined || media.transform === 'none') return undefined;
  if (media.transform === 'Table') return tableProblem(answer, media);
  if (media.transform === 'PartialObjectMetadata') {
    return answer.kind === 'List' ? noForm('PartialObjectMetadata', answer, 'a list') : undefined;
  }
  if (answer.kind !== 'Object' && answer.kind !== 'Value') return undefined;
  if (answer.kind === 'Value' && answer.typeId === STATUS_TYPE) return undefined;
  return noForm('PartialObjectMetadataList', answer, 'not a list');
}

function tableProblem(answer: Answer, { includeObject }: AcceptedMedia): Status | undefined {
  if (typeof includeObject === 'string' || !FORMED.has(answer.kind)) return undefined;
  return badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ` +
      `${goQuote(includeObject.unknown)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const FORMED: ReadonlySet<Answer['kind']> = new Set(['Object', 'Value', 'List', 'Watch']);

type Formed = Extract<Answer, { kind: 'Object' | 'Value' | 'List' }>;

function noForm(form: string, answer: Formed, what: string): Status {
  const isList = answer.kind === 'List';
  const isScale = answer.kind === 'Value' && answer.typeId === SCALE_TYPE;
  // Upstream takes any custom object for a list, and then fails to find items in it.
  if (answer.served?.custom !== undefined && !isList && !isScale) {
    return unclassifiedFailure('content is not a list');
  }
  const message = `you requested ${form}, but the requested object is ${what} (*${goType(answer)})`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotAcceptable',
    code: 406,
  };
}

/** As Go prints the type that the storage gives: `core.ConfigMap`. */
function goType(answer: Formed): string {
  if (answer.kind === 'Value' && answer.goType !== undefined) return answer.goType;
  if (answer.kind === 'List' && answer.served.custom !== undefined) {
    return 'unstructured.UnstructuredList';
  }
  const id = typeIdOf(answer);
  const [group = '', , name = ''] = id.split('.').slice(-3);
  // Events of both groups are one type.
  return `${group === 'events' ? 'core' : group}.${name}`;
}

function typeIdOf(answer: Formed): string {
  if (answer.kind === 'List') return answer.served.facts.listTypeId;
  return answer.kind === 'Value' ? answer.typeId : answer.served.facts.typeId;
}
