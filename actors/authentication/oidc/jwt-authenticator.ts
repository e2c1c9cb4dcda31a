/**
 * Knows users by tokens of an issuer that the operator believes, and makes of their claims what the
 * configuration says: by names of claims, or by expressions. In these every number is a double, and a
 * key can be spelled in the escaped way too (`claims.foo__dot__bar`).
 *
 * In Kubernetes: apiserver/plugin/pkg/authenticator/token/oidc.
 */
import { unescapeName } from '../../../api/cel/schema/escaping.ts';
import { type JsonReading, jsonValue } from '../../../api/cel/json-values.ts';
import { CelDouble, type CelValue } from '../../../api/cel/value.ts';
import { type JsonObject, type JsonValue, stringAt } from '../../../api/json/json.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { ownValue } from '../../../api/json/own-property.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { UserInfo } from '../../request/request.ts';
import { identified, refused, type TokenAuthenticator, UNKNOWN } from '../authenticator.ts';
import type { IssuerMeters } from '../authentication-meters.ts';
import { CREDENTIAL_ID } from '../extra-keys.ts';
import { parseCompactToken } from '../jwt/compact-token.ts';
import { credentialId } from '../service-accounts/service-account-user.ts';
import type { JwtConfiguration } from './authentication-configuration.ts';
import { type ClaimExpression, textsOf } from './claim-expressions.ts';
import type { Condition, JwtExpressions } from './configuration-validation.ts';
import { DistributedClaims } from './distributed-claims.ts';
import { verifyIdToken } from './id-token.ts';
import { IssuerKeys, type IssuerKeysParts } from './issuer-keys.ts';

const READING: JsonReading = {
  number: (value) => new CelDouble(Number(value)),
  keyOf: (key) => (key.includes('__') ? (unescapeName(key) ?? key) : key),
};

function claimValue(data: JsonValue): CelValue {
  return jsonValue(data, READING);
}

export interface JwtAuthenticatorParts extends IssuerKeysParts {
  readonly clock: Clock;
  readonly algorithms: readonly string[];
  /** Whether ways out of the network are named, for issuers that want one. */
  readonly hasEgress?: boolean;
}

export interface JwtAuthenticator extends TokenAuthenticator {
  /** Of the issuer. */
  readonly url: string;
  start(): void;
  stop(): void;
  /** Whether the issuer has been asked where its keys are. */
  readonly isReady: boolean;
}

/** Thrown and caught here: what of the claims makes no user. */
class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

export function jwtAuthenticator(
  configuration: JwtConfiguration,
  expressions: JwtExpressions,
  parts: JwtAuthenticatorParts,
): JwtAuthenticator {
  const { issuer } = configuration;
  const { clock, algorithms, meters } = parts;
  const keys = new IssuerKeys(issuer, parts);
  const mapping = new ClaimMapping(configuration, expressions);
  const { claim: groups } = configuration.groups;
  const distributed = groups === '' ? undefined : new DistributedClaims(issuer, groups, parts);

  async function checked(token: string) {
    const verified = await verifyIdToken(token, { issuer, keys, algorithms }, clock.now());
    if (!verified.ok) return refused(`oidc: verify token: ${verified.problem}`);
    const whole = (await distributed?.expand(verified.claims)) ?? verified;
    if (!whole.ok) return refused(`oidc: could not expand distributed claims: ${whole.problem}`);
    try {
      return identified(mapping.userOf(whole.claims));
    } catch (error) {
      if (error instanceof ClaimError) return refused(`oidc: ${error.message}`);
      throw error;
    }
  }

  async function measured(token: string, counting: IssuerMeters) {
    const startedAt = clock.now();
    const answer = await checked(token);
    counting.judged(issuer.url, answer.verdict === 'identified', clock.now() - startedAt);
    return answer;
  }

  return {
    url: issuer.url,
    authenticateToken(token) {
      if (issuerOf(token) !== issuer.url) return UNKNOWN;
      if (!keys.isReady) return refused('oidc: authenticator not initialized');
      return meters === undefined ? checked(token) : measured(token, meters);
    },
    start() {
      keys.start();
    },
    stop() {
      keys.stop();
      distributed?.stop();
    },
    get isReady() {
      return keys.isReady;
    },
  };
}

/** Not to be believed yet. */
function issuerOf(token: string): string {
  const issuer = stringAt(parseCompactToken(token)?.payload, 'iss');
  return issuer === 'accounts.google.com' ? `https://${issuer}` : issuer;
}

class ClaimMapping {
  readonly #configuration: JwtConfiguration;
  readonly #expressions: JwtExpressions;

  constructor(configuration: JwtConfiguration, expressions: JwtExpressions) {
    this.#configuration = configuration;
    this.#expressions = expressions;
  }

  /** @throws ClaimError */
  userOf(claims: JsonObject): UserInfo {
    const value = claimValue(claims);
    const user: UserInfo = {
      name: this.#username(claims, value),
      groups: this.#groups(claims, value),
      uid: this.#uid(claims, value),
      extra: this.#extra(claims, value),
    };
    this.#checkRequired(claims);
    const { claimRules, userRules } = this.#expressions;
    check(claimRules, value, 'error evaluating claim validation expression');
    if (userRules.length > 0) {
      const { name: username, uid, groups, extra } = user;
      const shown = Object.fromEntries(Object.entries(extra).map(([key, all]) => [key, [...all]]));
      const data = claimValue({ username, uid, groups: [...groups], extra: shown });
      check(userRules, data, 'error evaluating user info validation rule');
    }
    return user;
  }

  #username(claims: JsonObject, value: CelValue): string {
    const about = 'error evaluating username claim expression';
    const { username: expression } = this.#expressions;
    if (expression !== undefined) {
      const name = evaluated(expression, value, about);
      if (typeof name !== 'string') {
        throw new ClaimError(`${about}: username claim expression must return a string`);
      }
      if (name === '') throw new ClaimError('empty username via CEL expression is not allowed');
      return name;
    }
    const { claim, prefix = '' } = this.#configuration.username;
    const name = textClaim(claims, claim, `parse username claims ${goQuote(claim)}`);
    if (claim === 'email' && ownValue(claims, 'email_verified') !== undefined) {
      const isVerified = ownValue(claims, 'email_verified');
      if (typeof isVerified !== 'boolean') {
        throw new ClaimError("parse 'email_verified' claim: it is no boolean");
      }
      if (!isVerified) throw new ClaimError('email not verified');
    }
    return `${prefix}${name}`;
  }

  #groups(claims: JsonObject, value: CelValue): readonly string[] {
    const { claim, prefix = '' } = this.#configuration.groups;
    const given = claim === '' ? undefined : ownValue(claims, claim);
    if (given !== undefined) {
      const list = Array.isArray(given) ? given : [given];
      const texts = list.filter((one) => typeof one === 'string');
      if (texts.length < list.length) {
        const about = `parse groups claim ${goQuote(claim)}`;
        throw new ClaimError(`${about}: it is neither a text nor a list of texts`);
      }
      return texts.map((text) => `${prefix}${text}`);
    }
    const { groups } = this.#expressions;
    if (groups === undefined) return [];
    return texts(groups, value, 'error evaluating group claim expression');
  }

  #uid(claims: JsonObject, value: CelValue): string {
    const { claim } = this.#configuration.uid;
    if (claim !== '') return textClaim(claims, claim, `parse uid claim ${goQuote(claim)}`);
    const { uid } = this.#expressions;
    if (uid === undefined) return '';
    const about = 'error evaluating uid claim expression';
    const text = evaluated(uid, value, about);
    if (typeof text === 'string') return text;
    throw new ClaimError(`${about}: uid claim expression must return a string`);
  }

  #extra(claims: JsonObject, value: CelValue): UserInfo['extra'] {
    const extra = new Map<string, readonly string[]>();
    const id = ownValue(claims, 'jti');
    if (typeof id === 'string' && id !== '') extra.set(CREDENTIAL_ID, [credentialId(id)]);
    for (const { key, expression } of this.#expressions.extra) {
      const about = `error evaluating extra claim expression: ${expression.text}`;
      const values = texts(expression, value, about);
      if (values.length > 0) extra.set(key, values);
    }
    return Object.fromEntries(extra);
  }

  #checkRequired(claims: JsonObject): void {
    for (const { claim, requiredValue } of this.#configuration.claimValidationRules) {
      if (claim === '') continue;
      const value = ownValue(claims, claim);
      if (value === undefined) {
        throw new ClaimError(`required claim ${claim} not present in ID token`);
      }
      if (typeof value !== 'string') throw new ClaimError(`parse claim ${claim}: it is no text`);
      // What it is instead is the user's own affair, and might be secret.
      if (value !== requiredValue) {
        throw new ClaimError(
          `required claim ${claim} value does not match, want = ${requiredValue}`,
        );
      }
    }
  }
}

function textClaim(claims: JsonObject, claim: string, about: string): string {
  const value = ownValue(claims, claim);
  if (value === undefined) throw new ClaimError(`${about}: claim not present`);
  if (typeof value !== 'string') throw new ClaimError(`${about}: it is no text`);
  return value;
}

function evaluated(expression: ClaimExpression, subject: CelValue, about: string): CelValue {
  const result = expression.evaluate(subject);
  if (result.ok) return result.value;
  throw new ClaimError(`${about}: ${result.problem}`);
}

function texts(expression: ClaimExpression, subject: CelValue, about: string): readonly string[] {
  const found = textsOf(evaluated(expression, subject, about));
  if (found !== undefined) return found;
  throw new ClaimError(`${about}: expression must return a string or a list of strings`);
}

function check(conditions: readonly Condition[], subject: CelValue, about: string): void {
  for (const { expression, message } of conditions) {
    const value = evaluated(expression, subject, about);
    if (value === true) continue;
    if (value !== false)
      throw new ClaimError(`${about}: validation expression must return a boolean`);
    const why = `validation expression '${expression.text}' failed: ${message}`;
    throw new ClaimError(`${about}: ${why}`);
  }
}
