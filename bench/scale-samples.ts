/** Writes one object of each sort over HTTP, from whose records e2e/scale/filled-log.ts makes all others. */
import { SAMPLE, SAMPLE_NAMESPACE, SAMPLE_VALUE } from '../e2e/scale/filled-log.ts';
import type { BenchClient } from './bench-client.ts';

/** Makes objects of 2 KB and of 10 KB, as they lie in the log. */
const USUAL_BYTES = 1_500;
const LARGE_BYTES = 9_650;

/** @param usualBytes how long the text in an object of the smaller sort is. */
export async function writeSamples(client: BenchClient, usualBytes = USUAL_BYTES): Promise<void> {
  const maps = `/api/v1/namespaces/${SAMPLE_NAMESPACE}/configmaps`;
  const usual = (bytes: number): unknown => configMap(SAMPLE.usual, SAMPLE_VALUE, bytes);
  await write(client, 'POST', '/api/v1/namespaces', {
    ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: SAMPLE_NAMESPACE } },
  });
  await write(client, 'POST', maps, usual(usualBytes));
  await write(client, 'PUT', `${maps}/${SAMPLE.usual}`, usual(usualBytes - 1));
  await write(client, 'POST', maps, configMap(SAMPLE.large, SAMPLE_VALUE, LARGE_BYTES));
}

export function configMap(name: string, value: string, bytes = USUAL_BYTES): unknown {
  const metadata = { name, labels: { app: 'scale', tier: 'backend' } };
  return {
    ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata },
    data: { value, rest: 'x'.repeat(bytes) },
  };
}

async function write(
  client: BenchClient,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const { status, text } = await client.ask(method, path, body);
  if (status !== 200 && status !== 201) throw new Error(text);
}
