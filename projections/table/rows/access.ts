/**
 * Rows of rights: role bindings, requests for certificates, and the kinds of
 * admissionregistration.k8s.io.
 *
 * In Kubernetes: printRoleBinding, printCertificateSigningRequest, printValidatingAdmissionPolicy
 * and their neighbours, pkg/printers/internalversion.
 */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../../api/generated/kinds/admissionregistration-v1.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from '../../../api/generated/kinds/certificates-v1.ts';
import type {
  LabelSelector,
  LabelSelectorRequirement,
} from '../../../api/generated/kinds/meta-v1.ts';
import type {
  ClusterRoleBinding,
  RoleBinding,
  Subject,
} from '../../../api/generated/kinds/rbac-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { ageOf, type Cell, nameOf, nonEmpty } from '../cells.ts';
import { humanDuration } from '../human-duration.ts';

/** Name, Role, Age; with `-o wide` Users, Groups, ServiceAccounts. */
export function bindingCells(binding: RoleBinding | ClusterRoleBinding, now: number): Cell[] {
  const { roleRef } = binding;
  const subjects = items(binding.subjects);
  return [
    nameOf(binding),
    `${roleRef.kind}/${roleRef.name}`,
    ageOf(binding, now),
    namesOf(subjects, 'User'),
    namesOf(subjects, 'Group'),
    subjects
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ namespace = '', name }) => `${namespace}/${name}`)
      .join(', '),
  ];
}

function namesOf(subjects: readonly Subject[], wanted: string): string {
  const found = subjects.filter(({ kind }) => kind === wanted);
  return found.map(({ name }) => name).join(', ');
}

/** Name, Age, SignerName, Requestor, RequestedDuration, Condition. */
export function certificateSigningRequestCells(
  request: CertificateSigningRequest,
  now: number,
): Cell[] {
  const { signerName, username = '', expirationSeconds: seconds } = request.spec;
  return [
    nameOf(request),
    ageOf(request, now),
    nonEmpty(signerName, '<none>'),
    username,
    seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
    certificateStatus(request.status),
  ];
}

/** `Approved,Issued`; a denial wins over an approval. */
function certificateStatus({ conditions, certificate = '' }: CertificateSigningRequestStatus) {
  const types = new Set(items(conditions).map(({ type }) => type));
  const words = [types.has('Approved') ? 'Approved' : 'Pending'];
  if (types.has('Denied')) words[0] = 'Denied';
  if (types.has('Failed')) words.push('Failed');
  if (certificate !== '') words.push('Issued');
  return words.join(',');
}

/** Name, Webhooks, Age. */
export function webhookConfigurationCells(
  configuration: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  now: number,
): Cell[] {
  return [nameOf(configuration), (configuration.webhooks ?? []).length, ageOf(configuration, now)];
}

/** Name, Validations, ParamKind, Age. */
export function validatingPolicyCells(policy: ValidatingAdmissionPolicy, now: number): Cell[] {
  return policyCells(policy, items(policy.spec.validations).length, now);
}

/** Name, Mutations, ParamKind, Age. */
export function mutatingPolicyCells(policy: MutatingAdmissionPolicy, now: number): Cell[] {
  return policyCells(policy, items(policy.spec.mutations).length, now);
}

function policyCells(
  policy: ValidatingAdmissionPolicy | MutatingAdmissionPolicy,
  count: number,
  now: number,
): Cell[] {
  const { paramKind } = policy.spec;
  const kind = `${paramKind?.apiVersion ?? ''}/${paramKind?.kind ?? ''}`;
  const shown = paramKind === undefined ? '<unset>' : kind;
  return [nameOf(policy), count, shown, ageOf(policy, now)];
}

/** Name, PolicyName, ParamRef, Age. */
export function policyBindingCells(
  binding: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
  now: number,
): Cell[] {
  const { policyName = '', paramRef = {} } = binding.spec;
  return [nameOf(binding), policyName, paramsOf(paramRef), ageOf(binding, now)];
}

/** Whether params live in a namespace cannot be told from here: without one it is `*`. */
function paramsOf({ name = '', namespace, selector }: ParamRef): string {
  if (name !== '') return `${nonEmpty(namespace, '*')}/${name}`;
  return selector === undefined ? '<unset>' : goText(selector);
}

/** A selector as Go's generated String method prints it. */
function goText({ matchLabels = {}, matchExpressions }: LabelSelector): string {
  const keys = Object.keys(matchLabels).sort();
  const pairs = keys.map((key) => `${key}: ${matchLabels[key] ?? ''},`).join('');
  const expressions = items(matchExpressions).map(expressionText).join('');
  const map = `MatchLabels:map[string]string{${pairs}}`;
  return `&LabelSelector{${map},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function expressionText({ key, operator, values }: LabelSelectorRequirement): string {
  const shown = items(values).join(' ');
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${shown}],},`;
}
