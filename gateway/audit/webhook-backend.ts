/**
 * Posts events as lists to the webhook of a kubeconfig file, over connections that are kept. No redirect
 * is followed, and of an answer only the code counts. A list that could not be delivered is tried again a
 * few times, whatever the reason was: hardly any is a good one to lose events.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/webhook.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { pause } from '../../api/meta/rxjs-clock.ts';
import { type AuditEvent, auditEventItemJson } from '../../actors/audit/audit-event.ts';
import type { AuditBackend, LostEvents } from './audit-backend.ts';
import type { KubeconfigEndpoint } from '../outbound/kubeconfig-endpoint.ts';
import { countCall } from '../outbound/rest-calls.ts';
import { type PreparedPost, webhookRequests } from '../outbound/webhook-requests.ts';

/** @returns why it could not be delivered; undefined: it was. Must not reject. */
type PostEvents = (body: Buffer) => Promise<string | undefined>;

interface WebhookBackendParts {
  readonly post: PostEvents;
  readonly initialBackoffMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly lost: LostEvents;
}

const TRIES = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

/** Delivers each batch, with retries; a batch that cannot be delivered is counted as lost. */
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
    // At a shutdown nothing waits any longer: there is one last try.
    await pause(clock, backoffMs + jitterMs, signal);
    backoffMs *= FACTOR;
  }
}

const TIMEOUT_MS = 30_000;

/** Posts a body once; gives the reason where it was not taken, undefined where it was. */
export function webhookPost(access: KubeconfigEndpoint, clock: Clock): PostEvents {
  const { server } = access;
  const prepare = webhookRequests(access, clock);
  return async (body) => {
    let prepared: PreparedPost;
    try {
      prepared = await prepare();
    } catch (error) {
      return `Post "${server}": ${error instanceof Error ? error.message : String(error)}`;
    }
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const sent = prepared.open(`${server}?timeout=30s`, headers);
      countCall(sent, { host: new URL(server).host, bodyBytes: body.length, clock });
      const cancel = clock.after(TIMEOUT_MS, () => {
        sent.destroy(new Error('context deadline exceeded'));
      });
      const end = (why: string | undefined): void => {
        cancel();
        resolve(why === undefined ? undefined : `Post "${server}": ${why}`);
      };
      sent.on('error', (error) => {
        end(error.message);
      });
      sent.on('response', (response) => {
        const { statusCode = 0 } = response;
        prepared.answered(statusCode);
        response.on('error', (error) => {
          end(error.message);
        });
        response.on('end', () => {
          const isTaken = statusCode >= 200 && statusCode < 300;
          end(isTaken ? undefined : `it answered ${String(statusCode)}`);
        });
        response.resume();
      });
      sent.end(body);
    });
  };
}
