/**
 * `npx tsx bench/filters.ts [-- FLAGS OF SERVE]`: how long each filter of the handler chain works on a
 * request, by the server's own measurements, for creates and for gets. What a filter does later, when
 * something it waits for has come, is not in it; the processor's time of the whole server stands last.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { BenchClient } from './bench-client.ts';
import { cpuSeconds, startServer, stopServer, TOKEN } from './bench-server.ts';

const WARM_UP = 5_000;
const REQUESTS = 10_000;
const IN_FLIGHT = 16;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DATA = { text: 'x'.repeat(700) };

runArguments(import.meta.filename, { strict: false });
const flags = process.argv.slice(2).filter((one) => one !== '--');
const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const server = await startServer(directory, ['--measure-filters=true', ...flags]);
const client = new BenchClient(server.url, TOKEN, IN_FLIGHT);
try {
  await measure('create', (name) => ['POST', MAPS, { metadata: { name }, data: DATA }]);
  await measure('get', (name) => ['GET', `${MAPS}/${name}`]);
} finally {
  client.close();
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

async function measure(
  what: string,
  request: (name: string) => readonly [string, string, unknown?],
): Promise<void> {
  await client.askMany(WARM_UP, IN_FLIGHT, (nth) => request(`warm-${String(nth)}`));
  const before = { us: await client.filterMicroseconds(), cpu: cpuSeconds(server) };
  await client.askMany(REQUESTS, IN_FLIGHT, (nth) => request(`map-${String(nth)}`));
  const cpuUs = ((cpuSeconds(server) - before.cpu) / REQUESTS) * 1e6;
  const after = await client.filterMicroseconds();
  console.log(`\n${what}, µs per request:`);
  let filtersUs = 0;
  // A filter is made before the one that stands in front of it.
  for (const [filter, us] of [...after].reverse()) {
    const ownUs = (us - (before.us.get(filter) ?? 0)) / REQUESTS;
    if (filter !== 'dispatch') filtersUs += ownUs;
    print(filter, ownUs, 2);
  }
  print('all filters before dispatch', filtersUs, 2);
  print('CPU of the whole server', cpuUs, 0);
}

function print(what: string, us: number, digits: number): void {
  console.log(`${what.padEnd(32)}${us.toFixed(digits).padStart(8)}`);
}
