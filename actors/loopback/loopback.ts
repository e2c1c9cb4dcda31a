/**
 * How the server speaks to itself: the same requests that clients send, behind the filters, as the
 * user that kube-apiserver uses for it. So what the server makes goes through the same registries,
 * rules and log as everything else.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { Random } from '../../api/meta/clock.ts';
import type { Ref } from '../request/actor.ts';
import type { Audit } from '../audit/audit.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest, Door, RequestInfo, UserInfo } from '../request/request.ts';
import { receivedRequest } from '../request/server-request.ts';

const SELF: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:authenticated', 'system:masters'],
  extra: {},
};

/** Upstream asks itself over the network; so this is where it would come from. */
const SELF_ADDRESS = '::1';
const DEADLINE_MS = 60_000;
const IN_JSON = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'None',
} as const;
const MERGE_PATCH = 'application/merge-patch+json';

/** JSON is YAML, too. */
const APPLY_PATCH = 'application/apply-patch+yaml';

/** A request as a client would send it, without a query. */
export interface LoopbackRequest {
  /** A PATCH is a merge patch. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As a client would send it: `/api/v1/namespaces`. */
  readonly path: string;
  /** Sent as JSON; left out for a GET. */
  readonly body?: JsonObject;
  /** The manager for whom a PATCH applies its body, whatever else manages a field of it. */
  readonly appliedBy?: string;
  /** The manager of the fields that another write sets; `kube-apiserver`. */
  readonly writtenBy?: string;
}

export type Loopback = (request: LoopbackRequest) => Promise<Answer>;

/** What sees what the server asks of itself, as the filters see what clients ask. */
export interface SelfWitness {
  /** undefined: nothing is audited, or not yet. */
  audit: Pick<Audit, 'begin'> | undefined;
  /** Gives the Audit-ID of each request. */
  readonly random: Pick<Random, 'uuid'>;
  /** Told of every request. */
  readonly asked: (info: RequestInfo) => void;
}

/**
 * @param now milliseconds since 1970, from which the deadline counts.
 * @param witness undefined: it is not seen.
 * @param place what clients have in front of the paths of this control plane: `/forks/NAME`.
 */
export function loopbackTo(
  dispatch: Ref<AuthenticatedRequest>,
  now: () => number,
  witness?: SelfWitness,
  place = '',
): Loopback {
  return ({ method, path: inside, body, appliedBy, writtenBy }) =>
    new Promise((resolve) => {
      const bytes = Buffer.from(body === undefined ? '' : formatJson(body));
      const door: Door = {
        readBody: () => ({ ok: true, bytes }),
        answer(request, answer) {
          resolve(answer);
          request.finish({ code: codeOf(answer), sizeBytes: 0 });
        },
      };
      const query = queryOf(appliedBy ?? writtenBy, appliedBy !== undefined);
      const path = place + inside;
      const line = {
        method,
        path,
        query,
        headers: {
          'content-type': contentTypeOf(method, appliedBy),
          // What is named as the manager of what is written.
          'user-agent': 'kube-apiserver',
        },
        connection: { remoteAddress: SELF_ADDRESS, clientCertificate: () => undefined },
        accepted: IN_JSON,
        isWebSocket: false,
      };
      const request = receivedRequest(line, door);
      request.until(now() + DEADLINE_MS);
      request.routedAs(resolveRequestInfo(method, path, query));
      const identified = request.identifiedAs(SELF);
      const kept = witness === undefined ? undefined : witnessed(witness, identified, now);
      if (kept === undefined) dispatch.send(identified);
      else void kept.then(() => dispatch.send(identified));
    });
}

function queryOf(manager: string | undefined, isApplied: boolean): string {
  if (manager === undefined) return '';
  return `fieldManager=${encodeURIComponent(manager)}${isApplied ? '&force=true' : ''}`;
}

function contentTypeOf(method: LoopbackRequest['method'], appliedBy: string | undefined): string {
  if (method !== 'PATCH') return 'application/json';
  return appliedBy === undefined ? MERGE_PATCH : APPLY_PATCH;
}

/** @returns resolves when it may go on; undefined: at once. It goes on also where it is not kept. */
function witnessed(
  { audit, random, asked }: SelfWitness,
  request: AuthenticatedRequest,
  now: () => number,
): Promise<unknown> | undefined {
  asked(request.info);
  if (audit === undefined) return undefined;
  request.received(now());
  request.auditedAs(random.uuid());
  request.annotate('authorization.k8s.io/decision', 'allow');
  request.annotate('authorization.k8s.io/reason', '');
  const kept = audit.begin(request);
  return kept instanceof Promise ? kept : undefined;
}

const SWITCHING_PROTOCOLS = 101;

function codeOf(answer: Answer): number {
  switch (answer.kind) {
    case 'Status':
      return answer.status.code;
    case 'Object':
    case 'Value':
    case 'Document':
      return answer.code;
    case 'List':
    case 'Watch':
      return 200;
    case 'Stream':
      return answer.code ?? 200;
    case 'Upgrade':
      return SWITCHING_PROTOCOLS;
  }
}
