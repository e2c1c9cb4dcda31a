/**
 * Figures of the process: those of prom-client, which is loaded at the first look and not before, and
 * those that Prometheus' client for Go reads on Linux beside them.
 */
import { readFile } from 'node:fs/promises';
import { formatFamily } from './exposition.ts';

/** Gives processor time, memory, event loop, network as text. */
export type ReadProcess = () => Promise<string>;

const UNLIMITED = 2 ** 64;

export async function processFigures(): Promise<ReadProcess> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return async () => (await registry.metrics()) + (await linuxFigures());
}

/** '' where the system does not tell. */
async function linuxFigures(): Promise<string> {
  const [limits, network] = await Promise.all([
    textOf('/proc/self/limits'),
    textOf('/proc/self/net/netstat'),
  ]);
  return formatLimit(limits) + formatNetwork(network);
}

function formatLimit(limits: string): string {
  const [, soft] = /^Max address space +(\S+)/m.exec(limits) ?? [];
  if (soft === undefined) return '';
  const name = 'process_virtual_memory_max_bytes';
  const help = 'How much address space the process may have.';
  const value = soft === 'unlimited' ? UNLIMITED : Number(soft);
  return formatFamily({ name, type: 'gauge', help }, [{ labels: '', value }]);
}

/** A line of names and a line of values for each protocol. */
export function formatNetwork(netstat: string): string {
  const lines = netstat.split('\n').filter((line) => line.startsWith('IpExt: '));
  const [names = [], values = []] = lines.map((line) => line.split(' '));
  const byName = new Map(names.map((name, at) => [name, values[at]]));
  const counter = (name: string, help: string, field: string): string => {
    const value = byName.get(field);
    if (value === undefined) return '';
    const sample = { labels: '', value: Number(value) };
    return formatFamily({ name, type: 'counter', help }, [sample]);
  };
  return (
    counter('process_network_receive_bytes_total', 'Bytes received over IP.', 'InOctets') +
    counter('process_network_transmit_bytes_total', 'Bytes sent over IP.', 'OutOctets')
  );
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
