import { expect, it } from 'vitest';
import { formatNetwork } from './metrics.ts';

it('finds bytes among the counters of a kernel by their names', () => {
  const netstat = 'TcpExt: A\nTcpExt: 1\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 123 456\n';
  expect(formatNetwork(netstat).match(/^process.*$/gm)).toEqual([
    'process_network_receive_bytes_total 123',
    'process_network_transmit_bytes_total 456',
  ]);
  expect(formatNetwork('')).toBe('');
});
