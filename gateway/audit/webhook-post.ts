/**
 * Posts events to where a kubeconfig file points, over connections that are kept. No redirect is
 * followed, and of what the webhook answers only the code counts.
 */
import { Agent, request } from 'node:https';
import type { Clock } from '../../api/meta/clock.ts';
import type { PostEvents } from './webhook-backend.ts';

/** As a kubeconfig file says it. */
export interface WebhookAccess {
  /** `https://host:port/some/path` */
  readonly server: string;
  /** PEM; undefined: those that this machine trusts. */
  readonly ca: string | undefined;
  readonly verifiesServer: boolean;
  /** The name in the server's certificate; '': that of the URL. */
  readonly serverName: string;
  /** PEM, both or neither. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The value of the Authorization header; '' for none. */
  readonly authorization: string;
}

const TIMEOUT_MS = 30_000;

export function webhookPost(access: WebhookAccess, clock: Clock): PostEvents {
  const { server, authorization } = access;
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: access.verifiesServer,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
    ...(access.cert === undefined ? {} : { cert: access.cert }),
    ...(access.key === undefined ? {} : { key: access.key }),
    ...(access.serverName === '' ? {} : { servername: access.serverName }),
  });
  const credentials = authorization === '' ? {} : { authorization };
  return (body) =>
    new Promise((resolve) => {
      const headers = {
        ...credentials,
        'content-type': 'application/json',
        'content-length': body.length,
      };
      const sent = request(`${server}?timeout=30s`, { method: 'POST', agent, headers });
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
}
