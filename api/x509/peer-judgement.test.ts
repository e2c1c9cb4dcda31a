/** The table of chains that e2e/oracles/certificate-chains makes, and what Go says of each. */
import { describe, expect, it } from 'vitest';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { poolOf } from './certificate-pool.ts';
import { clientProblem, serverProblem } from './peer-judgement.ts';

interface Row {
  readonly name: string;
  readonly host: string;
  readonly roots: string;
  /** DER of each, in base64. */
  readonly shown: readonly string[];
  readonly server: string;
  readonly client: string;
}

interface Table {
  readonly now: number;
  readonly rows: readonly Row[];
}

const oracle = await goOracle('certificate-chains');

describe.skipIf(oracle === undefined)('a chain of certificates', () => {
  const table = oracle?.<Table>([{}])[0] ?? { now: 0, rows: [] };
  const { now, rows } = table;

  it('has many sides', () => {
    expect(rows.length).toBeGreaterThan(150);
    const words = new Set(rows.map(({ server }) => server.replaceAll(/"[^"]*"|\d+/g, '')));
    expect(words.size).toBeGreaterThan(40);
    expect(rows.filter(({ server }) => server === '').length).toBeGreaterThan(50);
  });

  it.each(rows)('$name: is believed of a server as Go does', ({ host, roots, shown, server }) => {
    const chain = { shown: shown.map(bytesOf), roots: poolOf(roots), now };
    expect(serverProblem(chain, host)).toBe(server);
  });

  it.each(rows)('$name: is believed of a client as Go does', ({ roots, shown, client }) => {
    const chain = { shown: shown.map(bytesOf), roots: poolOf(roots), now };
    expect(clientProblem(chain)).toBe(client);
  });
});

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
