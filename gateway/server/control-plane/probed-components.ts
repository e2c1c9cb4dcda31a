/**
 * A scheduler and a controller manager that may run on this machine are asked for their health for
 * `kubectl get componentstatuses`; where none runs, the answer is that the connection is refused.
 *
 * In Kubernetes: HttpServer, registry/core/componentstatus, and kubernetes/pkg/probe/http.
 */
import type { IncomingMessage } from 'node:http';

import type {
  Component,
  ComponentHealth,
} from '../../../api/kinds/core/componentstatuses/component.ts';
import { secureRequest, TrustingAgent } from '../../outbound/trusting-agent.ts';
import { systemClock } from '../../process/system-clock.ts';

const HOST = '127.0.0.1';
const TIMEOUT_MS = 20_000;
const BODY_BYTES_MAX = 10 * 1024;

interface ProbedComponentOptions {
  readonly name: string;
  /** Of this machine; over TLS. */
  readonly port: number;
}

/** Each on the port that it has unless told otherwise, as kube-apiserver supposes. */
export function controlPlaneComponents(): readonly Component[] {
  return [
    probedComponent({ name: 'scheduler', port: 10_259 }),
    probedComponent({ name: 'controller-manager', port: 10_257 }),
  ];
}

export function probedComponent({ name, port }: ProbedComponentOptions): Component {
  return { name, check: () => probe(`https://${HOST}:${String(port)}/healthz`, port) };
}

const agent = new TrustingAgent({ clock: systemClock });

function probe(url: string, port: number): Promise<ComponentHealth> {
  return new Promise((resolve) => {
    const unhealthy = (message: string): void => {
      resolve({ isHealthy: false, message, error: '' });
    };
    const headers = { accept: '*/*', 'user-agent': 'kube-probe/1.36', connection: 'close' };
    // Its certificate is its own, and nothing is told to it.
    const options = { agent, timeout: TIMEOUT_MS, headers, rejectUnauthorized: false };
    const outgoing = secureRequest(options, url);
    outgoing.once('timeout', () => {
      outgoing.destroy(new Error('context deadline exceeded'));
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      const refused = `dial tcp ${HOST}:${String(port)}: connect: connection refused`;
      const why = error.code === 'ECONNREFUSED' ? refused : error.message;
      unhealthy(`Get "${url}": ${why}`);
    });
    outgoing.once('response', (response) => {
      answerOf(response).then(resolve, () => {
        unhealthy(`Get "${url}": the answer broke off`);
      });
    });
    outgoing.end();
  });
}

async function answerOf(response: IncomingMessage): Promise<ComponentHealth> {
  const code = response.statusCode ?? 0;
  const body = await bodyOf(response);
  if (code >= 200 && code < 400) return { isHealthy: true, message: body, error: '' };
  // Never the body: it may say more than every client should read.
  const message = `HTTP probe failed with statuscode: ${String(code)}`;
  return { isHealthy: false, message, error: '' };
}

/** Its beginning, when it is long. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    const bytes = chunk as Buffer; // No encoding is set.
    chunks.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes >= BODY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString();
}
