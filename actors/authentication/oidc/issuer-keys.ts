/**
 * The keys of an issuer, fetched from where its discovery document says, and fetched again when a
 * token comes that none of them has signed: issuers change their keys without a word.
 *
 * In Kubernetes: go-oidc's NewProvider and RemoteKeySet.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { isJsonObject, listAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { IssuerMeters } from '../authentication-meters.ts';
import type { IssuerConfiguration } from './authentication-configuration.ts';
import { parseJson } from '../../../api/json/json-text.ts';

export type IssuerPlace = Pick<IssuerConfiguration, 'certificateAuthority' | 'egressSelectorType'>;

/**
 * Fetches a document over HTTPS.
 *
 * @param issuer whose document it is, or was named by: which authorities count, and which way it goes.
 * @param accessToken shown to the server that has the document; '': none.
 */
export type FetchDocument = (
  url: string,
  issuer: IssuerPlace,
  accessToken?: string,
) => Promise<FetchedDocument>;

/** An answer of any code, or why none came, in the words of Go's HTTP client. */
export type FetchedDocument =
  | { readonly ok: true; readonly code: number; readonly text: string }
  | { readonly ok: false; readonly problem: string };

export interface IssuerKeysParts {
  readonly clock: Clock;
  readonly fetch: FetchDocument;
  /** Told when the issuer cannot be asked, in words for the log. */
  readonly failed: (problem: string) => void;
  readonly meters?: IssuerMeters | undefined;
}

const WELL_KNOWN = '/.well-known/openid-configuration';
const RETRY_MS = 10_000;

/** However many tokens come that were not signed by it, the issuer is left alone for so long. */
const REFRESH_MS_MIN = 5_000;

export class IssuerKeys {
  readonly #issuer: IssuerConfiguration;
  readonly #parts: IssuerKeysParts;
  /** Resolves when it is known, or was not to be learned at the first try. */
  firstAsked: Promise<void> = Promise.resolve();
  #keySetUrl = '';
  #keys: readonly JsonObject[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(issuer: IssuerConfiguration, parts: IssuerKeysParts) {
    this.#issuer = issuer;
    this.#parts = parts;
  }

  /** Asks the issuer where its keys are, again and again until it says so. */
  start(): void {
    this.firstAsked = this.#discover().then((problem) => {
      if (problem === undefined || this.#isStopped) return;
      this.#parts.failed(problem);
      this.#cancel = this.#parts.clock.after(RETRY_MS, () => {
        this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Whether it is known where the keys are. */
  get isReady(): boolean {
    return this.#keySetUrl !== '';
  }

  /** Those that may have signed a token. @param id '': the token does not say which. */
  keysFor(id: string): readonly JsonObject[] {
    return this.#keys.filter((key) => id === '' || stringAt(key, 'kid') === id);
  }

  /** Fetches the keys, unless that was done just now. Never rejects: then there are the old ones. */
  async refresh(): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    const sinceMs = this.#parts.clock.now() - this.#fetchedAt;
    // Below 0 the clock was set back, and it is not known how long ago that was.
    if (sinceMs >= 0 && sinceMs < REFRESH_MS_MIN) return;
    this.#underWay = this.#fetchKeys().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }

  async #discover(): Promise<string | undefined> {
    const { url, discoveryURL } = this.#issuer;
    const place = discoveryURL === '' ? `${url.replace(/\/$/, '')}${WELL_KNOWN}` : discoveryURL;
    const read = jsonOf(await this.#parts.fetch(place, this.#issuer));
    if (typeof read === 'string') return `${place}: ${read}`;
    const issuer = stringAt(read, 'issuer');
    if (issuer !== url) {
      return (
        'oidc: issuer did not match the issuer returned by provider, ' +
        `expected ${goQuote(url)} got ${goQuote(issuer)}`
      );
    }
    const keySetUrl = stringAt(read, 'jwks_uri');
    if (URL.parse(keySetUrl)?.protocol !== 'https:') {
      return 'provider did not return JWKS URL';
    }
    this.#keySetUrl = keySetUrl;
    return undefined;
  }

  async #fetchKeys(): Promise<void> {
    const { clock, fetch, failed, meters } = this.#parts;
    this.#fetchedAt = clock.now();
    const fetched = await fetch(this.#keySetUrl, this.#issuer);
    const read = jsonOf(fetched);
    const keySet = fetched.ok && typeof read !== 'string' ? fetched.text : undefined;
    if (!this.#isStopped) meters?.keysFetched(this.#issuer.url, keySet);
    if (typeof read === 'string') failed(`${this.#keySetUrl}: ${read}`);
    else this.#keys = listAt(read, 'keys').filter(isJsonObject);
  }
}

function jsonOf(fetched: FetchedDocument): JsonObject | string {
  if (!fetched.ok) return fetched.problem;
  if (fetched.code !== 200) return `answered with the code ${String(fetched.code)}`;
  try {
    const value = parseJson(fetched.text);
    return isJsonObject(value) ? value : 'answered with no JSON object';
  } catch {
    return 'answered with no JSON';
  }
}
