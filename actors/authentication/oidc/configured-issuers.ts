/**
 * The issuers of the configuration that is in force. A new configuration takes over whole, once it
 * is good and its issuers have been asked for their keys; until then the old one is in force.
 *
 * In Kubernetes: authenticationConfigUpdater, kubernetes/pkg/kubeapiserver/authenticator.
 */
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { Audiences, TokenAuthenticator } from '../authenticator.ts';
import { unionTokenAuthenticator } from '../union-authenticator.ts';
import type { AuthenticationConfiguration } from './authentication-configuration.ts';
import { judgeConfiguration } from './configuration-validation.ts';
import {
  jwtAuthenticator,
  type JwtAuthenticator,
  type JwtAuthenticatorParts,
} from './jwt-authenticator.ts';

const READY_CHECK_MS = 200;
const READY_TIMEOUT_MS = 60_000;

export class ConfiguredIssuers implements TokenAuthenticator {
  readonly #parts: JwtAuthenticatorParts;
  readonly #disallowed: readonly string[];
  #issuers: readonly JwtAuthenticator[] = [];
  #union: TokenAuthenticator = unionTokenAuthenticator([], { stopsAtRefusal: true });

  /** @param disallowed issuers of the server's own tokens. */
  constructor(parts: JwtAuthenticatorParts, disallowed: readonly string[]) {
    this.#parts = parts;
    this.#disallowed = disallowed;
  }

  authenticateToken(token: string, audiences?: Audiences) {
    return this.#union.authenticateToken(token, audiences);
  }

  /** At the start: its issuers may not be there yet. @returns what is wrong with it. */
  begin(configuration: AuthenticationConfiguration): string | undefined {
    const made = this.#make(configuration);
    if (typeof made === 'string') return made;
    for (const issuer of made) issuer.start();
    this.#take(made);
    return undefined;
  }

  /** Later. @returns why the old one stays in force. */
  async replace(configuration: AuthenticationConfiguration): Promise<string | undefined> {
    const made = this.#make(configuration);
    if (typeof made === 'string') return made;
    for (const issuer of made) issuer.start();
    const { clock } = this.#parts;
    const end = clock.now() + READY_TIMEOUT_MS;
    while (!made.every(({ isReady }) => isReady)) {
      if (clock.now() >= end) {
        for (const issuer of made) issuer.stop();
        return 'an issuer cannot be asked for its keys';
      }
      await new Promise<void>((passed) => void clock.after(READY_CHECK_MS, passed));
    }
    this.#take(made);
    return undefined;
  }

  stop(): void {
    for (const issuer of this.#issuers) issuer.stop();
  }

  #make(configuration: AuthenticationConfiguration): readonly JwtAuthenticator[] | string {
    const { errors, expressions } = judgeConfiguration(configuration, this.#disallowed);
    if (errors.length > 0) return formatFieldErrors(errors);
    const way = configuration.jwt.find(({ issuer }) => issuer.egressSelectorType !== '');
    if (way !== undefined && this.#parts.hasEgress !== true) {
      const type = goQuote(way.issuer.egressSelectorType);
      return `oidc: egress lookup required with egress selector type ${type}`;
    }
    return configuration.jwt.flatMap((jwt, at) => {
      const compiled = expressions[at];
      return compiled === undefined ? [] : [jwtAuthenticator(jwt, compiled, this.#parts)];
    });
  }

  #take(issuers: readonly JwtAuthenticator[]): void {
    this.stop();
    for (const { url } of this.#issuers) {
      if (!issuers.some((one) => one.url === url)) this.#parts.meters?.forgotten(url);
    }
    this.#issuers = issuers;
    this.#union = unionTokenAuthenticator(issuers, { stopsAtRefusal: true });
  }
}
