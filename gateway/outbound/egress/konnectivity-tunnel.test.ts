/** Against real gRPC whose packets are the test's. Konnectivity's own server and agent are in e2e/egress. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status, type Server } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EgressFigures } from '../../metrics/egress-figures.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import {
  type GivenTunnel,
  givenKonnectivity,
  type PacketHandler,
} from './given-konnectivity.fixture.ts';
import { wayThrough } from './proxy-way.ts';

const DIAL_REQ = 0;
const CLOSE_REQ = 2;
const DATA = 4;
const DIAL_CLS = 5;
const CONNECTION = 7;

let folder: string;
let path: string;
let server: Server | undefined;
let clock: ManualClock;
let figures: EgressFigures;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-konnectivity-'));
  path = join(folder, 'proxy.sock');
  clock = new ManualClock();
  figures = new EgressFigures();
});
afterEach(() => {
  server?.forceShutdown();
  server = undefined;
  rmSync(folder, { recursive: true });
});

function open(target = 'far.example:443'): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    wayThrough({ kind: 'grpc', path }, { clock, meters: figures }).open(target, (tunnel) => {
      if (tunnel instanceof Error) reject(tunnel);
      else resolve(tunnel);
    });
  });
}

/** Opens what it is asked for, and gives the rest to the test. */
async function proxyThatOpens(handle: PacketHandler = () => undefined): Promise<void> {
  server = await givenKonnectivity(path, (packet, tunnel) => {
    if (packet.type === DIAL_REQ) tunnel.opened(packet.message.number(3), CONNECTION);
    else handle(packet, tunnel);
  });
}

describe('a tunnel of konnectivity', () => {
  it('asks for an address, and carries bytes both ways until one of them ends it', async () => {
    const asked: string[] = [];
    server = await givenKonnectivity(path, ({ type, message }, tunnel) => {
      if (type === DIAL_REQ) {
        asked.push(message.text(1), message.text(2));
        tunnel.opened(message.number(3), CONNECTION);
      } else if (type === DATA) {
        expect(message.number(1)).toBe(CONNECTION);
        tunnel.data(CONNECTION + 1, Buffer.from('of another'));
        tunnel.data(CONNECTION, message.bytes(3).reverse());
      } else if (type === CLOSE_REQ) {
        asked.push(`close ${String(message.number(1))}`);
        tunnel.closed(CONNECTION);
      }
    });
    const tunnel = await open();
    tunnel.write('abc');
    const [answer] = (await once(tunnel, 'data')) as [Buffer];
    expect(answer.toString()).toBe('cba');
    const ended = Promise.all([once(tunnel, 'end'), once(tunnel, 'close')]);
    tunnel.end();
    await ended;
    expect(asked).toEqual(['tcp', 'far.example:443', `close ${String(CONNECTION)}`]);
    const shown = figures.format();
    expect(shown).toContain('dialer_dial_start_total{protocol="grpc",transport="uds"} 1');
    expect(shown).toContain('dial_duration_seconds_count{protocol="grpc",transport="uds"} 1');
    expect(shown).toContain('packets_total{packet_type="CLOSE_REQ",segment="from_client"} 1');
    expect(shown).toContain('client_connections{status="ok"} 0');
    expect(shown).not.toContain('failure');
  });

  it('ends where the far end ends it, after all that it has said', async () => {
    await proxyThatOpens((_, tunnel) => {
      tunnel.data(CONNECTION, Buffer.from('good'));
      tunnel.data(CONNECTION, Buffer.from('bye'));
      tunnel.closed(CONNECTION);
    });
    const tunnel = await open();
    tunnel.write('hello');
    let text = '';
    for await (const chunk of tunnel) text += String(chunk);
    expect(text).toBe('goodbye');
  });

  it.each<[string, (tunnel: GivenTunnel) => void, string, string]>([
    [
      'the far end is lost',
      (tunnel) => {
        tunnel.closed(CONNECTION, 'read: connection reset by peer');
      },
      'read: connection reset by peer',
      'packets_total{packet_type="CLOSE_RSP",segment="to_client"} 1',
    ],
    [
      'the proxy fails',
      (tunnel) => {
        tunnel.fail(status.UNAVAILABLE, 'gone');
      },
      'rpc error: code = Unavailable desc = gone',
      'stream_errors_total{code="Unavailable",packet_type="Unknown",segment="to_client"} 1',
    ],
  ])('gives a slow reader all that came before %s, and then says why', async (...given) => {
    const [, end, why, figure] = given;
    const chunk = Buffer.alloc(1_000, 'x');
    await proxyThatOpens((_packet, tunnel) => {
      tunnel.data(CONNECTION, chunk);
      tunnel.data(CONNECTION, chunk);
      tunnel.data(CONNECTION, chunk);
      end(tunnel);
    });
    const tunnel = await open();
    tunnel.write('hello');
    await expect.poll(() => figures.format()).toContain(figure);
    let bytes = 0;
    tunnel.on('data', (part: Buffer) => (bytes += part.length));
    const [error] = (await once(tunnel, 'error')) as [Error];
    expect(error.message).toContain(why);
    expect(bytes).toBe(3 * chunk.length);
  });

  it('cuts long data into packets, and holds back a writer whose data is not read', async () => {
    const size = 4 * 1024 * 1024;
    let received = 0;
    let heldBack: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (heldBack = resolve));
    let sent = 0;
    await proxyThatOpens(({ type, message }, tunnel) => {
      if (type !== DATA) return;
      const { length } = message.bytes(3);
      expect(length).toBeLessThanOrEqual(64 * 1024);
      received += length;
      if (received < size) return;
      const chunk = Buffer.alloc(32 * 1024, 'x');
      const more = (): void => {
        while (sent < size) {
          sent += chunk.length;
          if (tunnel.data(CONNECTION, chunk)) continue;
          heldBack?.();
          tunnel.onDrain(more);
          return;
        }
        tunnel.closed(CONNECTION);
      };
      more();
    });
    const tunnel = await open();
    tunnel.write(Buffer.alloc(size, 'y'));
    await held;
    expect(sent).toBeLessThan(size);
    let got = 0;
    for await (const chunk of tunnel) got += (chunk as Buffer).length;
    expect([received, got]).toEqual([size, size]);
  });

  it('fails where nothing listens', async () => {
    await expect(open()).rejects.toThrow(/code = Unavailable desc = .*ENOENT/);
    const shown = figures.format();
    expect(shown).toContain(
      'dial_failure_count{protocol="grpc",stage="connect",transport="uds"} 1',
    );
    expect(shown).not.toContain('client_dial_failure_total');
    expect(shown).toContain('client_connections{status="dialing"} 0');
  });

  it.each<[string, PacketHandler, string, string]>([
    [
      'endpoint',
      ({ message }, tunnel) => {
        tunnel.refused(message.number(3), 'dial tcp: no route to host');
      },
      'dial tcp: no route to host',
      'dial_failure_total{reason="endpoint"} 1',
    ],
    [
      'dialclosed',
      ({ message }, tunnel) => {
        tunnel.dialClosed(message.number(3));
      },
      'dial closed',
      'dial_failure_total{reason="dialclosed"} 1',
    ],
    [
      'end',
      (_, tunnel) => {
        tunnel.end();
      },
      'tunnel closed',
      'dial_failure_total{reason="tunnelclosed"} 1',
    ],
    [
      'failure',
      (_, tunnel) => {
        tunnel.fail(status.PERMISSION_DENIED, 'not you');
      },
      'rpc error: code = PermissionDenied desc = not you',
      'stream_errors_total{code="PermissionDenied",packet_type="Unknown",segment="to_client"} 1',
    ],
    [
      'nonsense',
      (_, tunnel) => {
        tunnel.raw(Buffer.from([0x1a, 0x7f]));
      },
      'rpc error: code = Internal',
      'dial_failure_total{reason="tunnelclosed"} 1',
    ],
  ])('is not opened by a proxy that answers with %s', async (_, handle, why, figure) => {
    server = await givenKonnectivity(path, handle);
    await expect(open()).rejects.toThrow(why);
    expect(figures.format()).toContain(figure);
    expect(figures.format()).toContain(
      'dial_failure_count{protocol="grpc",stage="proxy",transport="uds"} 1',
    );
  });

  it('is not waited for longer than half a minute, and the proxy is told', async () => {
    let told: ((random: number) => void) | undefined;
    const closed = new Promise<number>((resolve) => (told = resolve));
    let wasAsked: ((random: number) => void) | undefined;
    const asked = new Promise<number>((resolve) => (wasAsked = resolve));
    server = await givenKonnectivity(path, ({ type, message }) => {
      if (type === DIAL_REQ) wasAsked?.(message.number(3));
      if (type === DIAL_CLS) told?.(message.number(1));
    });
    const opening = open();
    const random = await asked;
    clock.advance(30_000);
    await expect(opening).rejects.toThrow('dial timeout, backstop');
    expect(await closed).toBe(random);
    expect(figures.format()).toContain('dial_failure_total{reason="timeout"} 1');
  });

  it('breaks with the proxy', async () => {
    await proxyThatOpens();
    const tunnel = await open();
    server?.forceShutdown();
    const [error] = (await once(tunnel, 'error')) as [Error];
    expect(error.message).toMatch(/rpc error: code = (Unavailable|Canceled|Internal)/);
  });
});
