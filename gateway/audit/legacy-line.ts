/**
 * An event as one line of text, as kube-apiserver wrote them before there was JSON.
 *
 * In Kubernetes: EventString, apiserver/pkg/audit.
 */
import { trimEnd } from '../../api/meta/trim-end.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type { AuditEvent } from '../../actors/audit/audit-event.ts';

/** An event as a line of `--audit-log-format=legacy`. */
export function legacyLine(event: AuditEvent): string {
  const { request, impersonatedUser, objectRef, responseStatus } = event;
  const { user } = request;
  const name = user?.name ?? '';
  const groups = name === '' ? [] : (user?.groups ?? []);
  const namespace = objectRef?.namespace ?? '';
  const code = responseStatus === undefined ? '<deferred>' : String(responseStatus.code);
  const asGroups = impersonatedUser === undefined ? '<lookup>' : list(impersonatedUser.groups);
  const fields: readonly (readonly [string, string])[] = [
    ['id', request.auditID],
    ['stage', event.stage],
    ['ip', request.origin.sourceIPs[0] ?? '<unknown>'],
    ['method', request.verb],
    ['user', name === '' ? '<none>' : name],
    ['groups', groups.length === 0 ? '<none>' : list(groups)],
    ['as', impersonatedUser?.name ?? '<self>'],
    ['asgroups', asGroups],
    ['user-agent', request.origin.userAgent],
    ['namespace', namespace === '' ? '<none>' : namespace],
    ['uri', request.requestURI],
  ];
  const text = fields.map(([key, value]) => `${key}=${goQuote(value)}`).join(' ');
  return `${nanoTime(request.receivedAt)} AUDIT: ${text} response="${code}"`;
}

function list(values: readonly string[]): string {
  return values.map(goQuote).join(',');
}

/** Go leaves out zeros at the end. */
function nanoTime(ms: number): string {
  const text = new Date(ms).toISOString().slice(0, -1);
  return `${trimEnd(trimEnd(text, '0'), '.')}Z`;
}
