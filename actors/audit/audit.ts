/**
 * The audit as a whole: asks the policy about a request, and begins its trail where something is
 * to be written down.
 *
 * In Kubernetes: evaluatePolicyAndCreateAuditEvent, apiserver/pkg/endpoints/filters.
 */
import { isLongRunning } from '../request/request-labels.ts';
import type { Note, RoutedRequest } from '../request/request.ts';
import type { AuditDecider } from './audit-policy.ts';
import { AuditTrail, type AuditTrailParts, type ToldEnds } from './audit-trail.ts';

export interface AuditParts extends AuditTrailParts {
  readonly decide: AuditDecider;
}

export class Audit {
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** @returns whether the request may go on; not at once where it has to wait for that. */
  begin(request: RoutedRequest): boolean | Promise<boolean> {
    const trail = this.#trailOf(request, { ofStart: isLongRunning(request.info), ofEnd: true });
    if (trail === undefined) return true;
    const end: Note = (_request, outcome) => {
      trail.ended(outcome);
    };
    request.atTheEnd(end);
    return trail.tell('RequestReceived', request.receivedAt);
  }

  /**
   * For a request that is answered before it comes to the audit filter: the user is not known,
   * or the request makes no sense. One event tells of it, when its answer begins.
   *
   * In Kubernetes: WithFailedAuthenticationAudit and withFailedRequestAudit.
   */
  refusedEarly(request: RoutedRequest): void {
    this.#trailOf(request, { ofStart: true, ofEnd: false });
  }

  /** The request was not let on. */
  rejected(): void {
    this.#parts.counts.rejected += 1;
  }

  #trailOf(request: RoutedRequest, tells: ToldEnds): AuditTrail | undefined {
    const decision = this.#parts.decide({ user: request.user, request: request.info });
    this.#parts.counts.levels[decision.level] += 1;
    if (decision.level === 'None') return undefined;
    const trail = new AuditTrail(this.#parts, request, decision, tells);
    request.recordedBy(trail);
    return trail;
  }
}
