/**
 * Whether all names in a chain are such as the certificates above them may sign for.
 *
 * A name is looked up by its endings, and an address by its beginnings, so that many names under many
 * constraints cost no more than they are long.
 *
 * In Go: checkChainConstraints, crypto/x509.
 */
import { goQuote } from '../json/go-format.ts';
import { CertificateError } from './certificate-error.ts';
import type { Certificate } from './certificate.ts';
import { domainOf, isDomain, parseMailbox, type Mailbox } from './domain-text.ts';
import { shortened, shownAddress } from './host-names.ts';
import type { IpRange, NameConstraints, Subtrees } from './name-constraints-extension.ts';

/** Why they are not, in Go's words; undefined: they are. @param chain from the leaf to the anchor. */
export function constraintsProblem(chain: readonly Certificate[]): string | undefined {
  const compiled = chain.map(({ nameConstraints: one }) => one && compile(one));
  for (const [index, certificate] of chain.entries()) {
    if (certificate.rawNames === undefined) continue;
    const above = compiled.slice(index + 1).filter((one) => one !== undefined);
    const problem = above.length === 0 ? undefined : problemOf(certificate, above);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

type Query<T> = (name: T) => string | undefined;

/** Of one kind of name: each says which constraint it is that meets the name. */
interface Constraints<T> {
  readonly kind: string;
  readonly permitted: Query<T> | undefined;
  readonly excluded: Query<T> | undefined;
}

interface ChainConstraints {
  readonly ip: Constraints<Buffer>;
  readonly dns: Constraints<string>;
  readonly uri: Constraints<string>;
  readonly email: Constraints<Mailbox>;
}

function compile({ permitted, excluded }: NameConstraints): ChainConstraints {
  const both = <T>(
    kind: string,
    query: (of: Subtrees, isPermitted: boolean) => Query<T> | undefined,
  ) => ({
    kind,
    permitted: query(permitted, true),
    excluded: query(excluded, false),
  });
  return {
    ip: both('IP address', ({ ranges }) => rangeQuery(ranges)),
    dns: both('DNS name', ({ dns }, isPermitted) => domainQuery(dns, isPermitted)),
    uri: both('URI', ({ uris }, isPermitted) => domainQuery(uris, isPermitted)),
    email: both('email address', ({ emails }, isPermitted) => emailQuery(emails, isPermitted)),
  };
}

function problemOf({ names }: Certificate, above: readonly ChainConstraints[]): string | undefined {
  try {
    const uris = names.uris.map((uri) => ({ shown: uri.text, name: domainOf(uri) }));
    const emails = names.emails.map(emailOf);
    const ips = names.ips.map((ip) => ({ shown: shownAddress(ip), name: ip }));
    const dns = names.dns.map((name) => ({ shown: name, name }));
    for (const { ip, dns: ofDns, uri, email } of above) {
      for (const one of ips) check(ip, one);
      for (const one of dns) check(ofDns, domain(one, 'x509: cannot parse dnsName'));
      for (const one of uris) check(uri, one);
      for (const one of emails) check(email, one);
    }
    return undefined;
  } catch (error) {
    if (error instanceof CertificateError) return error.message;
    throw error;
  }
}

interface Named<T> {
  readonly shown: string;
  readonly name: T;
}

function domain(one: Named<string>, words: string): Named<string> {
  if (isDomain(one.name)) return one;
  throw new CertificateError(`${words} ${goQuote(one.shown)}`);
}

function emailOf(text: string): Named<Mailbox> {
  const mailbox = parseMailbox(text);
  if (mailbox === undefined) {
    throw new CertificateError(`cannot parse rfc822Name ${goQuote(text)}`);
  }
  const name = { local: mailbox.local, domain: mailbox.domain.toLowerCase() };
  return { shown: `${name.local}@${name.domain}`, name };
}

/** @throws {CertificateError} */
function check<T>({ kind, permitted, excluded }: Constraints<T>, { shown, name }: Named<T>): void {
  const quoted = goQuote(shown);
  if (permitted !== undefined && permitted(name) === undefined) {
    throw new CertificateError(`${kind} ${quoted} is not permitted by any constraint`);
  }
  const by = excluded?.(name);
  if (by === undefined) return;
  throw new CertificateError(`${kind} ${quoted} is excluded by constraint ${goQuote(by)}`);
}

function domainQuery(domains: readonly string[], isPermitted: boolean): Query<string> | undefined {
  if (domains.length === 0) return undefined;
  if (domains.includes('')) return () => '';
  const known = new Map(domains.map((one) => [one.toLowerCase(), one]));
  // Excluded is also what a wildcard might stand for.
  const parents = new Map(
    isPermitted ? [] : domains.map((one) => [fromFirstDot(one.toLowerCase()), one.toLowerCase()]),
  );
  parents.delete('');
  return (name) => {
    const lower = name.toLowerCase();
    for (const ending of endingsOf(lower)) {
      const found = known.get(ending);
      if (found !== undefined) return found;
    }
    return lower.startsWith('*') ? parents.get(fromFirstDot(lower)) : undefined;
  };
}

/** Of `a.b`: `b`, `.b`, `a.b`. What begins with a dot is met by what is below it alone. */
function* endingsOf(name: string): Generator<string> {
  for (let dot = name.lastIndexOf('.'); dot >= 0; dot = name.lastIndexOf('.', dot - 1)) {
    yield name.slice(dot + 1);
    yield name.slice(dot);
    if (dot === 0) return;
  }
  yield name;
}

function fromFirstDot(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

function emailQuery(emails: readonly string[], isPermitted: boolean): Query<Mailbox> | undefined {
  if (emails.length === 0) return undefined;
  const whole = new Set(emails.filter((one) => one.includes('@')).map((one) => emailOf(one).shown));
  const byDomain = domainQuery(
    emails.filter((one) => !one.includes('@')),
    isPermitted,
  );
  return ({ local, domain: of }) => {
    const shown = `${local}@${of}`;
    return whole.has(shown) ? shown : byDomain?.(of);
  };
}

function rangeQuery(ranges: readonly IpRange[]): Query<Buffer> | undefined {
  if (ranges.length === 0) return undefined;
  const known = new Map(ranges.map((range) => [rangeKeyOf(range), range]));
  const lengths = [...new Set(ranges.map(({ prefixLength }) => prefixLength))].sort(
    (a, b) => a - b,
  );
  return (ip) => {
    for (const prefixLength of lengths) {
      const found = known.get(rangeKeyOf({ address: ip, prefixLength }));
      if (found !== undefined) return shownRange(found);
    }
    return undefined;
  };
}

/** Of all addresses in a range the same, and of those of the other family another. */
function rangeKeyOf({ address, prefixLength }: IpRange): string {
  const bits = [...address].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  // IPv4 in the dress of IPv6 is in no range of IPv6.
  const family = String(address.length) + (shortened(address) === address ? '' : 'mapped');
  return `${family}/${String(prefixLength)}/${bits.slice(0, prefixLength)}`;
}

function shownRange({ address, prefixLength }: IpRange): string {
  return `${shownAddress(address)}/${String(prefixLength)}`;
}
