/**
 * Posts events to where a kubeconfig file points, over connections that are kept. No redirect is
 * followed, and of what the webhook answers only the code counts.
 */
import type { Clock } from '../../api/meta/clock.ts';
import {
  EndpointRequests,
  type KubeconfigEndpoint,
  type PreparedRequest,
} from '../outbound/kubeconfig-endpoint.ts';
import { countCall } from '../outbound/rest-calls.ts';
import { secureRequest } from '../outbound/trusting-agent.ts';
import type { PostEvents } from './webhook-backend.ts';

const TIMEOUT_MS = 30_000;

export function webhookPost(access: KubeconfigEndpoint, clock: Clock): PostEvents {
  const { server } = access;
  const requests = new EndpointRequests(access, { clock });
  return async (body) => {
    let prepared: PreparedRequest;
    try {
      prepared = await requests.prepare();
    } catch (error) {
      return `Post "${server}": ${error instanceof Error ? error.message : String(error)}`;
    }
    const { agent } = prepared;
    return new Promise((resolve) => {
      const headers = {
        ...prepared.headers,
        'content-type': 'application/json',
        'content-length': body.length,
      };
      const options = { method: 'POST', agent, headers };
      const sent = secureRequest(options, `${server}?timeout=30s`);
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
