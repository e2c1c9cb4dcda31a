/**
 * Claims that a token does not hold but says where to get: `_claim_names` names the source of a
 * claim, `_claim_sources` where that is and with which access token. What comes back is a token
 * too, of whichever issuer, for us, and is checked like one.
 *
 * The surprise: whom the second token is of is the first one's say alone, which is signed. Of the
 * claims in it only the one that was asked for counts.
 *
 * In Kubernetes: claimResolver, apiserver/plugin/pkg/authenticator/token/oidc.
 */
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../api/json/json.ts';
import { ownValue } from '../../../api/json/own-property.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { parseCompactToken } from '../jwt/compact-token.ts';
import type { IssuerConfiguration } from './authentication-configuration.ts';
import { verifyIdToken } from './id-token.ts';
import { IssuerKeys, type IssuerKeysParts } from './issuer-keys.ts';

export interface DistributedClaimsParts extends IssuerKeysParts {
  readonly algorithms: readonly string[];
}

/** Issuers of such tokens whose keys are known; there is hardly ever more than one. */
const ISSUERS_MAX = 16;

export type ExpandedClaims =
  | { readonly ok: true; readonly claims: JsonObject }
  | { readonly ok: false; readonly problem: string };

export class DistributedClaims {
  readonly #issuer: IssuerConfiguration;
  readonly #claim: string;
  readonly #parts: DistributedClaimsParts;
  readonly #keys: BoundedMap<string, IssuerKeys>;

  /** @param claim which alone is looked for elsewhere. */
  constructor(issuer: IssuerConfiguration, claim: string, parts: DistributedClaimsParts) {
    this.#issuer = issuer;
    this.#claim = claim;
    // The issuers that the figures show are those that the operator has named.
    this.#parts = { ...parts, meters: undefined };
    this.#keys = new BoundedMap(ISSUERS_MAX, {
      forgotten: (keys) => {
        keys.stop();
      },
    });
  }

  stop(): void {
    for (const keys of this.#keys.values()) keys.stop();
  }

  /** The claims of a token that is good, with the one that lies elsewhere. */
  async expand(claims: JsonObject): Promise<ExpandedClaims> {
    const source = sourceOf(claims, this.#claim);
    if (source === undefined) return { ok: true, claims };
    if (typeof source === 'string') return { ok: false, problem: source };
    const { fetch } = this.#parts;
    const got = await fetch(source.url, this.#issuer, source.accessToken);
    const problem = got.ok ? codeProblem(got.code) : got.problem;
    if (!got.ok || problem !== undefined) {
      return failed(`while getting distributed claim ${goQuote(this.#claim)}: ${problem ?? ''}`);
    }
    const read = await this.#claimIn(got.text.trim(), source.url);
    if (typeof read === 'string') return failed(read);
    return { ok: true, claims: { ...claims, [this.#claim]: read.value } };
  }

  async #claimIn(token: string, url: string): Promise<{ readonly value: JsonValue } | string> {
    const untrusted = issuerOf(token);
    if (untrusted === '') {
      return `getting untrusted issuer from endpoint ${url} failed for claim ${goQuote(this.#claim)}: malformed token`;
    }
    const keys = await this.#keysOf(untrusted);
    if (keys === undefined) {
      return `verifying untrusted issuer ${untrusted} failed: verifier not initialized for issuer: ${goQuote(untrusted)}`;
    }
    const { clock, algorithms } = this.#parts;
    const issuer = this.#issuer;
    const verified = await verifyIdToken(token, { issuer, keys, algorithms }, clock.now());
    if (!verified.ok) return `verify distributed claim token: ${verified.problem}`;
    const value = ownValue(verified.claims, this.#claim);
    if (value !== undefined) return { value };
    return `jwt returned by distributed claim endpoint ${goQuote(url)} did not contain claim: ${this.#claim}`;
  }

  /** undefined: it cannot be asked for them just now. */
  async #keysOf(url: string): Promise<IssuerKeys | undefined> {
    let keys = this.#keys.get(url);
    if (keys === undefined) {
      keys = new IssuerKeys({ ...this.#issuer, url, discoveryURL: '' }, this.#parts);
      this.#keys.set(url, keys);
      keys.start();
    }
    await keys.firstAsked;
    return keys.isReady ? keys : undefined;
  }
}

interface Source {
  readonly url: string;
  /** '': none is needed. */
  readonly accessToken: string;
}

/** undefined: the claim is there, or nowhere. A text: what is wrong. */
function sourceOf(claims: JsonObject, claim: string): Source | string | undefined {
  if (ownValue(claims, claim) !== undefined) return undefined;
  const names = ownValue(claims, '_claim_names');
  if (names === undefined) return undefined;
  if (!isJsonObject(names) || Object.values(names).some((name) => typeof name !== 'string')) {
    return 'oidc: error parsing distributed claim names: it is no map of texts';
  }
  const sources = ownValue(claims, '_claim_sources');
  if (sources === undefined) return 'oidc: no claim sources';
  if (!isJsonObject(sources)) return 'oidc: could not parse claim sources: it is no map';
  const name = ownValue(names, claim);
  if (typeof name !== 'string') return undefined;
  const source = Object.hasOwn(sources, name) ? objectAt(sources, name) : undefined;
  if (source === undefined) {
    return `id token _claim_names contained a source ${name} missing in _claims_sources`;
  }
  const url = stringAt(source, 'endpoint');
  // It may be one that stands there itself, which is not read.
  return url === '' ? undefined : { url, accessToken: stringAt(source, 'access_token') };
}

/** What it may answer: 200 to 226, and nothing that leads elsewhere. */
function codeProblem(code: number): string | undefined {
  if (code >= 200 && code <= 226) return undefined;
  return `error while getting distributed claim JWT: ${String(code)}`;
}

/** Not to be believed yet; '': it is no token. */
function issuerOf(token: string): string {
  const issuer = stringAt(parseCompactToken(token)?.payload, 'iss');
  return issuer === 'accounts.google.com' ? `https://${issuer}` : issuer;
}

function failed(problem: string): ExpandedClaims {
  return { ok: false, problem };
}
