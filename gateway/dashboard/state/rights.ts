/**
 * What the user may do, asked of the server (SelfSubjectRulesReview): what he may not is not shown. The
 * answer is a help for the page and no more; the server judges every request by itself.
 */
import { computed, signal } from '@preact/signals';
import type { KindName } from './page-location.ts';
import { pageLocation } from './page-location.ts';
import { sendJson } from './http.ts';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Review {
  readonly status?: { readonly incomplete?: boolean; readonly resourceRules?: readonly Rule[] };
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

/** undefined: not known, as where an authorizer cannot list its rules; then everything is shown. */
const rules = signal<readonly Rule[] | undefined>(undefined);

/** Asks for the rights in a namespace; without one, for those that hold wherever one is. */
export async function learnRights(namespace: string): Promise<void> {
  const spec = { namespace: namespace === '' ? 'default' : namespace };
  const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview' };
  try {
    const { status } = await sendReview({ ...kind, spec });
    rules.value = status?.incomplete === true ? undefined : (status?.resourceRules ?? []);
  } catch {
    rules.value = undefined;
  }
}

function sendReview(review: object): Promise<Review> {
  return sendJson<Review>('POST', REVIEWS, review, '');
}

/** Of a copy of a cluster nothing can be changed, whatever a user may. */
export const isServerReadOnly = signal(false);

/** Whether there is no fork and no moment, or a fork: the past is only read. */
export const isWritable = computed(() => pageLocation.value.at === '');

const READS: readonly string[] = ['get', 'list', 'watch'];
/** They change nothing of an object. */
const CONNECTIONS: readonly string[] = ['pods/attach', 'pods/exec', 'pods/portforward'];

/** Whether the user may, as far as is known. @param resource with its subresource: `deployments/scale`. */
export function may(
  verb: string,
  { group, resource }: Pick<KindName, 'group' | 'resource'>,
): boolean {
  const isWrite = !READS.includes(verb) && !CONNECTIONS.includes(resource);
  if (isWrite && isServerReadOnly.value) return false;
  const known = rules.value;
  if (known === undefined) return true;
  return known.some(
    (rule) =>
      has(rule.verbs, verb) && has(rule.apiGroups, group) && hasResource(rule.resources, resource),
  );
}

/** Why a kind that the user may read is not shown; '' where it is, or where the server says why not. */
export function unwatchedText(kind: Pick<KindName, 'group' | 'resource'>): string {
  if (may('watch', kind) || !(may('list', kind) || may('get', kind))) return '';
  return 'You may read this here, but not watch it, and this page shows what it can watch. kubectl shows it.';
}

function has(list: readonly string[] = [], one: string): boolean {
  return list.includes('*') || list.includes(one);
}

function hasResource(list: readonly string[] = [], resource: string): boolean {
  const [, subresource] = resource.split('/');
  const anywhere = subresource !== undefined && list.includes(`*/${subresource}`);
  return has(list, resource) || anywhere;
}
