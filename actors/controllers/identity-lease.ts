/**
 * The Lease by which a server says that it is there: made anew at its start, renewed every ten seconds
 * and removed at its end. Leases of servers that ended without removing theirs are removed by the
 * others, an hour later.
 *
 * The surprise: the name comes from the host's name, so two servers of one host share a Lease; the
 * one that ends first removes it, and the other makes it again.
 *
 * In Kubernetes: component-helpers/apimachinery/lease, as kubernetes/pkg/controlplane/apiserver starts
 * it; kubernetes/pkg/controlplane/controller/apiserverleasegc.
 */
import { createHash } from 'node:crypto';
import type { Lease, LeaseSpec } from '../../api/generated/kinds/coordination-v1.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { Answer } from '../request/answer.ts';
import type { Loopback } from '../loopback/loopback.ts';

/** Where identities are stored. */
export const LEASES = 'coordination.k8s.io/leases';
/** In which namespace. */
export const NAMESPACE = 'kube-system';
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
/** A Lease is an identity where this label is that of the component. */
export const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
/** The value of the label. */
export const COMPONENT = 'kube-apiserver';
/** Where other servers reach the one that it is the identity of. */
export const PEER_ANNOTATION = 'kubernetes.io/peer-advertise-address';
const RENEWAL_MS = 10_000;
/** Renewals of servers that were started together drift apart. */
const RENEWAL_SPREAD_MS = 400;
const DURATION_SECONDS = 3600;
const COLLECTION_MS = 3_600_000;
const ATTEMPTS_MAX = 5;

export interface IdentityLeaseParts {
  readonly loopback: Loopback;
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid' | 'integer'>;
  readonly hostname: string;
  /** Where other servers reach this one, `192.0.2.1:6443`; undefined: it is not said. */
  readonly peerAddress?: string;
  readonly failed: (error: unknown) => void;
}

/** The name of the identity of a server on that host: `apiserver-` and a hash of 26 letters and digits. */
export function identityOf(hostname: string): string {
  const hash = createHash('sha256');
  for (const text of [hostname, COMPONENT]) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length & 0xffff);
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => LETTERS.charAt(parseInt(group.padEnd(5, '0'), 2))).join('');
}

/** The identity of one server, from its start to its end. */
export class IdentityLease {
  readonly #parts: IdentityLeaseParts;
  readonly #name: string;
  readonly #holder: string;
  #cancel = (): void => undefined;
  #syncing = Promise.resolve();
  #isStopped = false;

  constructor(parts: IdentityLeaseParts) {
    this.#parts = parts;
    this.#name = identityOf(parts.hostname);
    this.#holder = `${this.#name}_${parts.random.uuid()}`;
  }

  /** Removes a Lease that an earlier server of this name left behind, and renews its own from now on. */
  async start(): Promise<void> {
    await this.#remove();
    this.#renew();
  }

  /** Resolves when the Lease was written, or could not be. */
  async synced(): Promise<void> {
    await this.#syncing;
  }

  /** Resolves when the Lease is gone, or could not be removed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#syncing;
    await this.#remove();
  }

  #renew(): void {
    const { clock, random, failed } = this.#parts;
    this.#syncing = this.#sync()
      .catch(failed)
      .then(() => {
        if (this.#isStopped) return;
        const delayMs = RENEWAL_MS + random.integer(RENEWAL_SPREAD_MS);
        this.#cancel = clock.after(delayMs, () => {
          this.#renew();
        });
      });
  }

  /** A Lease that changed meanwhile is read again. @throws Error when it cannot be written. */
  async #sync(): Promise<void> {
    let message = '';
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const refusal = refusalIn(await this.#write());
      if (refusal === undefined) return;
      message = refusal.message;
      if (refusal.code !== 409 && refusal.code !== 404) break;
    }
    throw new Error(`the Lease ${this.#name} could not be renewed: ${message}`);
  }

  #write(): Promise<Answer> {
    const { loopback, objects } = this.#parts;
    const stored = objects.get(LEASES, `${NAMESPACE}/${this.#name}`);
    if (stored === undefined) {
      return loopback({ method: 'POST', path: PATH, body: { ...this.#renewed(newLease()) } });
    }
    const current = parsedObject(stored) as ObjectOf<Lease>; // Stored as one.
    const path = `${PATH}/${this.#name}`;
    return loopback({ method: 'PUT', path, body: { ...this.#renewed(current) } });
  }

  #renewed({ metadata, spec, ...head }: ObjectOf<Lease>): ObjectOf<Lease> {
    const { clock, hostname, peerAddress } = this.#parts;
    const labels = { [IDENTITY_LABEL]: COMPONENT, 'kubernetes.io/hostname': hostname };
    const annotations = {
      ...metadata.annotations,
      ...(peerAddress !== undefined && { [PEER_ANNOTATION]: peerAddress }),
    };
    return {
      ...head,
      metadata: {
        ...{ ...metadata, name: this.#name, namespace: NAMESPACE },
        labels: { ...metadata.labels, ...labels },
        annotations,
      },
      spec: {
        ...{ holderIdentity: this.#holder, ...spec },
        leaseDurationSeconds: DURATION_SECONDS,
        renewTime: microTimeOf(clock.now()),
      },
    };
  }

  async #remove(): Promise<void> {
    const { loopback, failed } = this.#parts;
    const refusal = refusalIn(await loopback({ method: 'DELETE', path: `${PATH}/${this.#name}` }));
    if (refusal === undefined || refusal.code === 404) return;
    failed(new Error(`the Lease ${this.#name} could not be removed: ${refusal.message}`));
  }
}

function newLease(): ObjectOf<Lease> {
  const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  return { ...head, metadata: {}, spec: {} }; // Filled in by its only caller.
}

/** RFC 3339 with six digits behind the second. */
function microTimeOf(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

function refusalIn(answer: Answer): Refusal | undefined {
  if (answer.kind !== 'Status' || answer.status.code < 400) return undefined;
  return { code: answer.status.code, message: answer.status.message ?? '' };
}

/**
 * Looks now, and every hour, for identities of servers that have not been renewed for as long as they
 * say that they hold, and removes them.
 */
export async function collectIdentityLeases(
  parts: Pick<IdentityLeaseParts, 'clock' | 'failed' | 'loopback' | 'objects'>,
  until: AbortSignal,
): Promise<void> {
  await collectExpired(parts).catch(parts.failed);
  if (until.aborted) return;
  const cancel = parts.clock.after(COLLECTION_MS, () => {
    until.removeEventListener('abort', cancel);
    void collectIdentityLeases(parts, until);
  });
  until.addEventListener('abort', cancel);
}

async function collectExpired({
  clock,
  loopback,
  objects,
}: Pick<IdentityLeaseParts, 'clock' | 'loopback' | 'objects'>): Promise<void> {
  for (const stored of [...objects.of(LEASES).inOrder(NAMESPACE)]) {
    const { metadata, spec } = parsedObject(stored) as ObjectOf<Lease>; // Stored as one.
    if (metadata.labels?.[IDENTITY_LABEL] !== COMPONENT || !isExpired(spec, clock.now())) continue;
    const { name = '', uid = '', resourceVersion = '' } = metadata;
    const preconditions = { uid, resourceVersion };
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions };
    const refusal = refusalIn(await loopback({ method: 'DELETE', path: `${PATH}/${name}`, body }));
    // Another server removed it, or the server that it speaks for is back.
    if (refusal === undefined || refusal.code === 404 || refusal.code === 409) continue;
    throw new Error(`the Lease ${name} could not be removed: ${refusal.message}`);
  }
}

function isExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, nowMs: number): boolean {
  if (typeof renewTime !== 'string' || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1_000 < nowMs;
}
