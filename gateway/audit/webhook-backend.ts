/**
 * Events as lists that are posted to a webhook. What cannot be delivered is tried again a few times,
 * whatever the reason was: hardly any is a good one to lose events.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/webhook.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { auditEventItemJson, type AuditEvent } from '../../actors/audit/audit-event.ts';
import type { AuditBackend, LostEvents } from './audit-backend.ts';

/** @returns why it could not be delivered; undefined: it was. Must not reject. */
export type PostEvents = (body: Buffer) => Promise<string | undefined>;

export interface WebhookBackendParts {
  readonly post: PostEvents;
  readonly initialBackoffMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly lost: LostEvents;
}

const TRIES = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

export function webhookBackend(parts: WebhookBackendParts): AuditBackend {
  const stopping = new AbortController();
  const underWay = new Set<Promise<boolean>>();
  const isDelivered = async (events: readonly AuditEvent[]): Promise<boolean> => {
    const why = await delivered(parts, bodyOf(events), stopping.signal);
    if (why !== undefined) parts.lost.tell('webhook', why, events);
    return why === undefined;
  };
  return {
    process(events) {
      const coming = isDelivered(events);
      underWay.add(coming);
      void coming.then(() => underWay.delete(coming));
      return coming;
    },
    async shutdown() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

function bodyOf(events: readonly AuditEvent[]): Buffer {
  const items = events.map(auditEventItemJson).join(',');
  const head = '"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{}';
  return Buffer.from(`{${head},"items":[${items}]}\n`);
}

async function delivered(
  { post, initialBackoffMs, clock, random }: WebhookBackendParts,
  body: Buffer,
  signal: AbortSignal,
): Promise<string | undefined> {
  let backoffMs = initialBackoffMs;
  for (let tries = 1; ; tries += 1) {
    const why = await post(body);
    if (why === undefined || tries === TRIES || signal.aborted) return why;
    const jitterMs = random.integer(Math.max(1, Math.ceil(backoffMs * JITTER)));
    await waited(clock, backoffMs + jitterMs, signal);
    backoffMs *= FACTOR;
  }
}

/** Who shuts down waits no longer: there is one last try. */
function waited(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
