/**
 * Groups that end in `k8s.io` or `kubernetes.io` belong to the community. A definition
 * in one says in an annotation where it was approved, or that it was not.
 *
 * In Kubernetes: GetAPIApprovalState, apiextensions-apiserver/pkg/apihelpers.
 */
import type { CustomResourceDefinition } from '../../../generated/kinds/apiextensions-v1.ts';
import { goQuote } from '../../../json/go-format.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { parseWebAddress } from '../../../meta/web-addresses.ts';
import type { Condition } from './conditions.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111';
const FIELD = keyPath('metadata.annotations', ANNOTATION);

type ApprovalState = 'missing' | 'bypassed' | 'approved' | 'invalid';

interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

/** `old` is undefined on create. What was wrong before may stay so. */
export function validateApproval(
  definition: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldErrors {
  if (!isProtected(definition)) return [];
  const { state, reason } = approvalOf(definition);
  if (old !== undefined && approvalOf(old).state === state) return [];
  if (state === 'missing') return [required(FIELD, reason)];
  if (state !== 'invalid') return [];
  return [invalidValue(FIELD, annotationOf(definition), reason)];
}

/** Undefined for groups that need no approval. */
export function approvalCondition(definition: CustomResourceDefinition): Condition | undefined {
  if (!isProtected(definition)) return undefined;
  const { state, reason: message } = approvalOf(definition);
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const status = state === 'approved' ? 'True' : 'False';
  return { type, status, reason: REASONS[state], message };
}

const REASONS: Readonly<Record<ApprovalState, string>> = {
  missing: 'MissingAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
  invalid: 'InvalidAnnotation',
};

function isProtected(definition: CustomResourceDefinition): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(definition.spec.group);
}

function annotationOf({ metadata }: CustomResourceDefinition): string {
  return metadata.annotations?.[ANNOTATION] ?? '';
}

function approvalOf(definition: CustomResourceDefinition): Approval {
  const annotation = annotationOf(definition);
  const needed = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
  if (annotation === '') return { state: 'missing', reason: `${needed}, ${POLICY}` };
  if (annotation.startsWith('unapproved')) {
    return { state: 'bypassed', reason: `not approved: ${goQuote(annotation)}` };
  }
  if (isAddress(annotation)) return { state: 'approved', reason: `approved in ${annotation}` };
  const either = 'with either a URL or a reason starting with "unapproved"';
  return { state: 'invalid', reason: `${needed} ${either}, ${POLICY}` };
}

function isAddress(text: string): boolean {
  const parsed = parseWebAddress(text);
  return parsed.ok && parsed.address.scheme !== '' && parsed.address.host !== '';
}
