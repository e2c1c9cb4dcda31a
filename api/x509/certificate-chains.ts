/**
 * Whether a certificate leads to an anchor: through others that were shown, in any order and on every
 * way that there is.
 *
 * The surprise: what is said when no way leads anywhere is the word of the last one that was tried, as
 * Go says it; a hint at a likelier one stands in brackets.
 *
 * In Go: Certificate.Verify, crypto/x509.
 */
import { goQuote } from '../json/go-format.ts';
import type { CertificatePool } from './certificate-pool.ts';
import { signatureProblem } from './certificate-signature.ts';
import { type Certificate, formatTime } from './certificate.ts';
import { allowsPolicies } from './chain-policies.ts';
import { hostProblem } from './host-names.ts';
import { constraintsProblem } from './name-constraints.ts';

export interface ChainQuestion {
  readonly leaf: Certificate;
  readonly roots: CertificatePool;
  readonly intermediates: CertificatePool;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The object identifier of what the leaf is used for. */
  readonly usage: string;
  /** '': the names of the leaf do not matter. */
  readonly host: string;
}

export const SERVER_USAGE = '1.3.6.1.5.5.7.3.1';
export const CLIENT_USAGE = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** From the leaf to the anchor. */
type Chain = readonly Certificate[];

/** Why it does not, in Go's words; undefined: it does. */
export function chainProblem(question: ChainQuestion): string | undefined {
  const { leaf, roots, host, now } = question;
  const invalid = validityProblem(leaf, { kind: 'leaf', chain: [], now });
  if (invalid !== undefined) return invalid;
  const mismatch = host === '' ? undefined : hostProblem(leaf, host);
  if (mismatch !== undefined) return mismatch;
  const found: Found = roots.contains(leaf)
    ? { chains: [[leaf]], problem: undefined }
    : new ChainSearch(question).from([leaf]);
  return found.problem ?? candidatesProblem(found.chains, question.usage);
}

/** Of chains that are signed all right: why none of them will do. */
function candidatesProblem(chains: readonly Chain[], usage: string): string | undefined {
  let outsidePolicies = 0;
  let forOtherUses = 0;
  let constrained: string | undefined;
  for (const chain of chains) {
    if (!allowsPolicies(chain)) outsidePolicies += 1;
    else if (!isFor(chain, usage)) forOtherUses += 1;
    else {
      const problem = constraintsProblem(chain);
      if (problem === undefined) return undefined;
      constrained ??= problem;
    }
  }
  if (constrained !== undefined) {
    const about =
      'x509: a root or intermediate certificate is not authorized to sign for this name';
    return `${about}: ${constrained}`;
  }
  if (outsidePolicies === 0) return 'x509: certificate specifies an incompatible key usage';
  const details = [
    ...(forOtherUses > 0
      ? [`${String(forOtherUses)} candidate chains with incompatible key usage`]
      : []),
    `${String(outsidePolicies)} candidate chains with invalid policies`,
  ];
  return `x509: no valid chains built: ${details.join(', ')}`;
}

/** A certificate that names no use is for all. */
function isFor(chain: Chain, usage: string): boolean {
  return chain.every(
    ({ extendedUsages: uses }) =>
      uses.length === 0 || uses.includes(usage) || uses.includes(ANY_USAGE),
  );
}

interface ChainPosition {
  readonly kind: 'leaf' | 'intermediate' | 'root';
  /** What lies below. */
  readonly chain: Chain;
  readonly now: number;
}

function validityProblem(certificate: Certificate, place: ChainPosition): string | undefined {
  const { kind, chain, now } = place;
  if (certificate.hasUnknownCritical) return 'x509: unhandled critical extension';
  const child = chain.at(-1);
  if (child !== undefined && child.rawIssuer !== certificate.rawSubject) {
    return 'x509: issuer name does not match subject from issuing certificate';
  }
  const expired = timeProblem(certificate, now);
  if (expired !== undefined) return expired;
  const { basicConstraints: basic } = certificate;
  if (kind === 'intermediate' && basic?.isAuthority !== true) {
    return 'x509: certificate is not authorized to sign other certificates';
  }
  const isTooLong = basic?.pathLength !== undefined && BigInt(chain.length - 1) > basic.pathLength;
  return isTooLong ? 'x509: too many intermediates for path length constraint' : undefined;
}

function timeProblem({ notBefore, notAfter }: Certificate, now: number): string | undefined {
  const about = `x509: certificate has expired or is not yet valid: current time ${formatTime(now)}`;
  if (now < notBefore) return `${about} is before ${formatTime(notBefore)}`;
  return now > notAfter ? `${about} is after ${formatTime(notAfter)}` : undefined;
}

interface Found {
  readonly chains: readonly Chain[];
  readonly problem: string | undefined;
}

/** Signatures that are checked for one question: what a stranger shows must not cost more. */
const SIGNATURES_MAX = 100;
const LIMIT = 'x509: signature check attempts limit reached while verifying certificate chain';

interface Hint {
  readonly problem: string;
  readonly certificate: Certificate;
}

class ChainSearch {
  readonly #question: ChainQuestion;
  #signatures = 0;

  constructor(question: ChainQuestion) {
    this.#question = question;
  }

  /** All ways from the last certificate of the chain on. */
  from(chain: Chain): Found {
    const { roots, intermediates } = this.#question;
    const last = chain.at(-1);
    if (last === undefined) return { chains: [], problem: undefined };
    const step = new Step(chain);
    const candidates = [
      ...roots.parentsOf(last).map((one) => [one, 'root'] as const),
      ...intermediates.parentsOf(last).map((one) => [one, 'intermediate'] as const),
    ];
    for (const [candidate, kind] of candidates) {
      this.#consider(step, { candidate, last, kind });
      if (step.problem === LIMIT) break;
    }
    if (step.chains.length > 0) return { chains: step.chains, problem: undefined };
    return { chains: [], problem: step.problem ?? unknownAuthority(step.hint) };
  }

  #consider(step: Step, { candidate, last, kind }: Candidate): void {
    this.#signatures += 1;
    if (this.#signatures > SIGNATURES_MAX) {
      step.problem = LIMIT;
      return;
    }
    if (candidate.publicKey === undefined || isAlreadyIn(step.chain, candidate)) return;
    const unsigned = signatureProblem(last, candidate);
    if (unsigned !== undefined) {
      step.hint ??= { problem: unsigned, certificate: candidate };
      return;
    }
    const { now } = this.#question;
    step.problem = validityProblem(candidate, { kind, chain: step.chain, now });
    if (step.problem !== undefined) {
      step.hint ??= { problem: step.problem, certificate: candidate };
      return;
    }
    const longer = [...step.chain, candidate];
    if (kind === 'root') {
      step.chains.push(longer);
      return;
    }
    const onward = this.from(longer);
    step.problem = onward.problem;
    step.chains.push(...onward.chains);
  }
}

interface Candidate {
  readonly candidate: Certificate;
  readonly last: Certificate;
  readonly kind: 'root' | 'intermediate';
}

/** What was found out on the way from one certificate. */
class Step {
  readonly chain: Chain;
  readonly chains: Chain[] = [];
  problem: string | undefined;
  hint: Hint | undefined;

  constructor(chain: Chain) {
    this.chain = chain;
  }
}

/** The same subject with the same key and names, though perhaps of another issuer: else ways are circles. */
function isAlreadyIn(chain: Chain, candidate: Certificate): boolean {
  for (const one of chain) {
    if (one.rawSubject !== candidate.rawSubject) continue;
    if (!one.rawPublicKey.equals(candidate.rawPublicKey)) continue;
    const { rawNames } = one;
    const { rawNames: others } = candidate;
    if (rawNames === undefined && others === undefined) return true;
    if (rawNames === undefined || others === undefined) return false;
    if (rawNames.equals(others)) return true;
  }
  return false;
}

function unknownAuthority(hint: Hint | undefined): string {
  const unknown = 'x509: certificate signed by unknown authority';
  if (hint === undefined) return unknown;
  const { subject, serialNumber } = hint.certificate;
  const [organization] = subject.organizations;
  const name = subject.commonName || (organization ?? `serial:${String(serialNumber)}`);
  const why = `possibly because of ${goQuote(hint.problem)}`;
  return `${unknown} (${why} while trying to verify candidate authority certificate ${goQuote(name)})`;
}
