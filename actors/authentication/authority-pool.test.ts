import { describe, expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import type { ClientCertificate } from '../request/request-line.ts';
import { AuthorityPool, certificateTextsIn } from './authority-pool.ts';
import { givenAuthority, type GivenAuthority } from './given-certificates.fixture.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const HOUR = 3_600_000;
const validity = { notBefore: NOW - HOUR, notAfter: NOW + 3 * HOUR };
const root = await givenAuthority('root', validity);
const stranger = await givenAuthority('root', validity);

const UNKNOWN = 'x509: certificate signed by unknown authority';

async function client(
  signer: GivenAuthority,
  ...shown: readonly GivenAuthority[]
): Promise<ClientCertificate> {
  const raw = await signer.issue('jane', 'client');
  const intermediates = (): readonly Uint8Array[] => shown.map((one) => one.raw);
  const named = { commonName: 'jane', organizations: [] };
  return { raw, ...named, intermediates };
}

function pool(...authorities: readonly GivenAuthority[]) {
  const clock = testClock(NOW);
  const pem = authorities.map(({ certificate }) => certificate).join('');
  return { clock, pool: new AuthorityPool(pem, clock) };
}

describe('AuthorityPool', () => {
  it('believes those that an authority has signed, whatever others are called', async () => {
    const { pool: both } = pool(stranger, root);
    const { pool: one } = pool(root);
    expect(both.problemOf(await client(root))).toBe('');
    expect(both.problemOf(await client(stranger))).toBe('');
    expect(one.problemOf(await client(stranger))).toContain(UNKNOWN);
    expect(one.problemOf({ ...(await client(root)), raw: root.raw })).toBe('');
  });

  it('follows what the client shows to an authority', async () => {
    const middle = await root.authority('middle', validity);
    const lowest = await middle.authority('lowest', validity);
    const { pool: known } = pool(root);
    expect(known.problemOf(await client(middle))).toContain(UNKNOWN);
    expect(known.problemOf(await client(middle, middle))).toBe('');
    expect(known.problemOf(await client(lowest, lowest, middle, root))).toBe('');
    expect(known.problemOf(await client(lowest, lowest))).toContain(UNKNOWN);
    expect(known.problemOf(await client(stranger, middle, root))).toContain(UNKNOWN);
  });

  it('lets no certificate sign that may not', async () => {
    const leaf = await root.authority('leaf', validity, { isAuthority: false });
    const short = await root.authority('short', validity, { pathLength: 0 });
    const below = await short.authority('below', validity);
    const narrow = await root.authority('narrow', validity, { isConstrained: true });
    const servers = await root.authority('servers', validity, { use: 'server' });
    const { pool: known } = pool(root);
    expect(known.problemOf(await client(leaf, leaf))).toContain(UNKNOWN);
    expect(known.problemOf(await client(short, short))).toBe('');
    expect(known.problemOf(await client(below, below, short))).toBe(
      'x509: too many intermediates for path length constraint',
    );
    // It has no names that the constraints could be about.
    expect(known.problemOf(await client(narrow, narrow))).toBe('');
    expect(known.problemOf(await client(servers, servers))).toBe(
      'x509: certificate specifies an incompatible key usage',
    );
  });

  it('asks anew when authorities change, and knows when anything runs out', async () => {
    const middle = await root.authority('middle', { ...validity, notAfter: NOW + HOUR });
    const { pool: known, clock } = pool(root);
    const over = await client(middle, middle);
    const straight = await client(root);
    expect([known.problemOf(over), known.problemOf(straight)]).toEqual(['', '']);
    clock.advance(2 * HOUR);
    expect([known.problemOf(over), known.problemOf(straight)]).toEqual([
      expect.stringContaining('x509: certificate has expired or is not yet valid'),
      '',
    ]);
    known.replace(stranger.certificate);
    expect(known.problemOf(straight)).toContain(UNKNOWN);
    known.replace(root.certificate);
    expect(known.problemOf(straight)).toBe('');
    expect(() => {
      known.replace('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----');
    }).toThrow();
    expect([known.pem, known.problemOf(straight)]).toEqual([root.certificate, '']);
  });

  it('asks anew where the clock was ahead, and is set back', async () => {
    const { pool: known, clock } = pool(root);
    const straight = await client(root);
    clock.advance(10 * HOUR);
    expect(known.problemOf(straight)).toContain('x509: certificate has expired');
    clock.advance(-10 * HOUR);
    expect(known.problemOf(straight)).toBe('');
  });

  it('judges a certificate once, until one of those that are shown or trusted begins or ends', async () => {
    const early = { notBefore: NOW + HOUR, notAfter: NOW + 2 * HOUR };
    const middle = await root.authority('middle', early);
    const { pool: known, clock } = pool(root);
    let looks = 0;
    const shown = {
      ...(await client(root)),
      intermediates: () => {
        looks += 1;
        return [middle.raw];
      },
    };
    const looksAfter = (ms: number): number => {
      clock.advance(ms);
      expect(known.problemOf(shown)).toBe('');
      return looks;
    };

    expect([looksAfter(0), looksAfter(HOUR - 1), looksAfter(1)]).toEqual([1, 1, 2]);
    expect([looksAfter(HOUR), looksAfter(1), looksAfter(1)]).toEqual([2, 3, 3]);
  });

  it('refuses a client that shows something beside its chain that is no certificate', async () => {
    const { pool: known } = pool(root);
    const shown = { ...(await client(root)), intermediates: () => [new Uint8Array([1, 2, 3])] };
    const why = 'tls: failed to parse client certificate: x509: malformed certificate';
    expect(known.problemOf(shown)).toBe(why);
  });

  it('finds the certificates of a file, whatever lies around them', () => {
    const end = '-----END CERTIFICATE-----';
    const text = `Bag Attributes${end}\n${root.certificate}# empty\n-----BEGIN CERTIFICATE-----${end}\n`;
    expect(certificateTextsIn(`${text}${stranger.certificate}`)).toEqual([
      root.certificate,
      stranger.certificate,
    ]);
  });
});
