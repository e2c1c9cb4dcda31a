/** A client of gRPC on a unix socket, with a connection of its own that is made anew by itself. */
import { Client, credentials, type ChannelOptions } from '@grpc/grpc-js';

/** Who comes back is met again this soon. */
const RECONNECT_MS = 1_000;

/** @param path of the socket; `@name` is one that lies in no folder. */
export function unixClient(path: string, more: ChannelOptions = {}): Client {
  const target = `unix:${path.startsWith('@') ? `\0${path.slice(1)}` : path}`;
  return new Client(target, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS,
    // Two may ask at one socket; each has a connection that it closes.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_retries': 0,
    ...more,
  });
}
