/**
 * What is wrong with an AuthenticationConfiguration, and its expressions, compiled.
 *
 * In Kubernetes: apiserver/pkg/apis/apiserver/validation.
 */
import { trimEnd } from '../../../api/meta/trim-end.ts';
import { X509Certificate } from 'node:crypto';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
  tooMany,
} from '../../../api/field/field-errors.ts';
import { validateDomainPrefixedPath } from '../../../api/kinds/rules/text-validation.ts';
import type {
  AuthenticationConfiguration,
  ClaimValidationRule,
  IssuerConfiguration,
  JwtConfiguration,
  PrefixedClaim,
} from './authentication-configuration.ts';
import { compileClaim, type ClaimExpression, type Subject } from './claim-expressions.ts';

/** The expressions of one issuer; undefined where claims are named, or nothing is. */
export interface JwtExpressions {
  readonly username: ClaimExpression | undefined;
  readonly groups: ClaimExpression | undefined;
  readonly uid: ClaimExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: ClaimExpression }[];
  readonly claimRules: readonly Condition[];
  readonly userRules: readonly Condition[];
}

export interface Condition {
  readonly expression: ClaimExpression;
  readonly message: string;
}

export interface JudgedConfiguration {
  readonly errors: FieldErrors;
  /** One for each of `jwt`; only whole where there are no errors. */
  readonly expressions: readonly JwtExpressions[];
}

const ISSUERS_MAX = 64;

/** @param disallowed issuers of the server's own tokens. */
export function judgeConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowed: readonly string[],
): JudgedConfiguration {
  if (jwt.length > ISSUERS_MAX) {
    return { errors: [tooMany('jwt', jwt.length, ISSUERS_MAX)], expressions: [] };
  }
  const errors: FieldError[] = [];
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  const expressions = jwt.map((one, at) => {
    const field = `jwt[${String(at)}]`;
    const judge = new JwtJudge(errors);
    const compiled = judge.judge(one, field, disallowed);
    const { url, discoveryURL } = one.issuer;
    if (urls.has(url)) errors.push(duplicateValue(`${field}.issuer.url`, url));
    urls.add(url);
    if (discoveryURL !== '' && discoveryUrls.has(discoveryURL)) {
      errors.push(duplicateValue(`${field}.issuer.discoveryURL`, discoveryURL));
    }
    discoveryUrls.add(discoveryURL);
    return compiled;
  });
  if (anonymous !== undefined && !anonymous.enabled && anonymous.paths.length > 0) {
    const shown = anonymous.paths.map((path) => ({ path }));
    const why = 'enabled should be set to true when conditions are defined';
    errors.push(invalidValue('anonymous.conditions', shown, why));
  }
  return { errors, expressions };
}

class JwtJudge {
  readonly #errors: FieldError[];

  constructor(errors: FieldError[]) {
    this.#errors = errors;
  }

  judge(jwt: JwtConfiguration, field: string, disallowed: readonly string[]): JwtExpressions {
    this.#errors.push(...issuerErrors(jwt.issuer, `${field}.issuer`, disallowed));
    const claimRules = this.#claimRules(jwt.claimValidationRules, `${field}.claimValidationRules`);
    const mappings = `${field}.claimMappings`;
    const username = this.#prefixed(jwt.username, `${mappings}.username`, true);
    const groups = this.#prefixed(jwt.groups, `${mappings}.groups`, false);
    const uid = this.#uid(jwt, `${mappings}.uid`);
    const extra = this.#extra(jwt, `${mappings}.extra`);
    const verifying = [username, ...extra.map((one) => one.expression)];
    const rules = claimRules.map((one) => one.expression);
    const isVerified = [...verifying, ...rules].some((one) => one?.usesClaim('email_verified'));
    if (username?.usesClaim('email') === true && !isVerified) {
      this.#wrong(
        invalidValue(
          `${mappings}.username.expression`,
          jwt.username.expression,
          'claims.email_verified must be used in claimMappings.username.expression or ' +
            'claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when ' +
            'claims.email is used in claimMappings.username.expression',
        ),
      );
    }
    const userRules = this.#userRules(jwt, `${field}.userValidationRules`);
    return { username, groups, uid, extra, claimRules, userRules };
  }

  /** Gives nothing, which is what becomes of an expression that is no good. */
  #wrong(...errors: readonly FieldError[]): ClaimExpression | undefined {
    this.#errors.push(...errors);
    return undefined;
  }

  #compile(
    field: string,
    text: string,
    subject: Subject,
    isCondition = false,
  ): ClaimExpression | undefined {
    const compiled = compileClaim(text, subject, isCondition);
    if (compiled.ok) return compiled.expression;
    return this.#wrong(invalidValue(field, text, compiled.problem));
  }

  #claimRules(rules: readonly ClaimValidationRule[], field: string): readonly Condition[] {
    const claims = new Set<string>();
    const texts = new Set<string>();
    const conditions: Condition[] = [];
    rules.forEach((rule, index) => {
      const at = `${field}[${String(index)}]`;
      const { claim, expression: text, message, requiredValue } = rule;
      if (claim !== '' && text !== '') {
        this.#wrong(invalidValue(at, claim, "claim and expression can't both be set"));
      } else if (claim === '' && text === '') {
        this.#wrong(required(at, 'claim or expression is required'));
      } else if (claim !== '') {
        if (message !== '') {
          const why = 'may not be specified when claim is set';
          this.#wrong(invalidValue(`${at}.message`, message, why));
        }
        if (claims.has(claim)) this.#wrong(duplicateValue(`${at}.claim`, claim));
        claims.add(claim);
      } else {
        if (requiredValue !== '') {
          const why = 'may not be specified when expression is set';
          this.#wrong(invalidValue(`${at}.requiredValue`, requiredValue, why));
        }
        const expression = this.#once(texts, `${at}.expression`, text, 'claims');
        if (expression !== undefined) conditions.push({ expression, message });
      }
    });
    return conditions;
  }

  #userRules({ userValidationRules }: JwtConfiguration, field: string): readonly Condition[] {
    const texts = new Set<string>();
    return userValidationRules.flatMap(({ expression: text, message }, index) => {
      const at = `${field}[${String(index)}].expression`;
      if (text === '') this.#wrong(required(at));
      const expression = text === '' ? undefined : this.#once(texts, at, text, 'user');
      return expression === undefined ? [] : [{ expression, message }];
    });
  }

  /** A condition that must not have been there before. */
  #once(
    seen: Set<string>,
    field: string,
    text: string,
    subject: Subject,
  ): ClaimExpression | undefined {
    if (seen.has(text)) return this.#wrong(duplicateValue(field, text));
    seen.add(text);
    return this.#compile(field, text, subject, true);
  }

  #prefixed(
    { claim, expression, prefix }: PrefixedClaim,
    field: string,
    isRequired: boolean,
  ): ClaimExpression | undefined {
    if (claim !== '' && expression !== '') {
      return this.#wrong(invalidValue(field, '', "claim and expression can't both be set"));
    }
    if (expression !== '') {
      if (prefix !== undefined) {
        const why = 'may not be specified when expression is set';
        this.#wrong(invalidValue(`${field}.prefix`, prefix, why));
      }
      return this.#compile(`${field}.expression`, expression, 'claims');
    }
    if (claim === '' && isRequired) {
      return this.#wrong(required(field, 'claim or expression is required'));
    }
    if (claim !== '' && prefix === undefined) {
      const why =
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing';
      this.#wrong(required(`${field}.prefix`, why));
    }
    return undefined;
  }

  #uid({ uid }: JwtConfiguration, field: string): ClaimExpression | undefined {
    if (uid.claim !== '' && uid.expression !== '') {
      return this.#wrong(invalidValue(field, '', "claim and expression can't both be set"));
    }
    if (uid.expression === '') return undefined;
    return this.#compile(`${field}.expression`, uid.expression, 'claims');
  }

  #extra({ extra }: JwtConfiguration, field: string): JwtExpressions['extra'] {
    const seen = new Set<string>();
    return extra.flatMap(({ key, valueExpression }, index) => {
      const at = `${field}[${String(index)}]`;
      this.#wrong(...keyErrors(key, `${at}.key`));
      if (seen.has(key)) {
        this.#wrong(duplicateValue(`${at}.key`, key));
        return [];
      }
      seen.add(key);
      if (valueExpression === '') this.#wrong(required(`${at}.valueExpression`));
      const expression =
        valueExpression === ''
          ? undefined
          : this.#compile(`${at}.valueExpression`, valueExpression, 'claims');
      return expression === undefined ? [] : [{ key, expression }];
    });
  }
}

const RESERVED = /(?:^|\.)(?:kubernetes|k8s)\.io$/;

function keyErrors(key: string, field: string): readonly FieldError[] {
  const errors = [...validateDomainPrefixedPath(field, key)];
  if (key !== key.toLowerCase()) errors.push(invalidValue(field, key, 'must be lowercase'));
  const slash = key.indexOf('/');
  if (slash > 0 && RESERVED.test(key.slice(0, slash))) {
    const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use';
    errors.push(invalidValue(field, key, why));
  }
  return errors;
}

function issuerErrors(
  issuer: IssuerConfiguration,
  field: string,
  disallowed: readonly string[],
): readonly FieldError[] {
  const { url, discoveryURL, certificateAuthority, egressSelectorType } = issuer;
  const errors: FieldError[] =
    url === '' ? [required(`${field}.url`)] : [...urlErrors(url, `${field}.url`, disallowed)];
  if (discoveryURL !== '') {
    const at = `${field}.discoveryURL`;
    if (url !== '' && trimEnd(url, '/') === trimEnd(discoveryURL, '/')) {
      errors.push(invalidValue(at, discoveryURL, 'discoveryURL must be different from URL'));
    }
    errors.push(...urlErrors(discoveryURL, at, []));
  }
  errors.push(...audienceErrors(issuer, field));
  if (certificateAuthority !== '' && !hasCertificates(certificateAuthority)) {
    const why = 'data does not contain any valid RSA or ECDSA certificates';
    errors.push(invalidValue(`${field}.certificateAuthority`, '<omitted>', why));
  }
  if (!EGRESS_TYPES.includes(egressSelectorType)) {
    const why = 'egress selector must be either controlplane or cluster';
    errors.push(invalidValue(`${field}.egressSelectorType`, egressSelectorType, why));
  }
  return errors;
}

/** '': straight there. */
const EGRESS_TYPES = ['', 'controlplane', 'cluster'];

function urlErrors(text: string, field: string, disallowed: readonly string[]): FieldErrors {
  const errors: FieldError[] = [];
  const wrong = (why: string): void => void errors.push(invalidValue(field, text, why));
  if (disallowed.includes(text)) {
    const list = [...disallowed].sort().join(' ');
    wrong(`URL must not overlap with disallowed issuers: [${list}]`);
  }
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') wrong('URL scheme must be https');
  if (url === null) return errors;
  if (url.username !== '' || url.password !== '') {
    wrong('URL must not contain a username or password');
  }
  if (url.search !== '') wrong('URL must not contain a query');
  if (url.hash !== '') wrong('URL must not contain a fragment');
  return errors;
}

function audienceErrors(
  { audiences, audienceMatchPolicy: policy }: IssuerConfiguration,
  field: string,
): readonly FieldError[] {
  const at = `${field}.audiences`;
  if (audiences.length === 0) return [required(at, `at least one ${at} is required`)];
  const errors: FieldError[] = [];
  audiences.forEach((audience, index) => {
    const one = `${at}[${String(index)}]`;
    if (audience === '') errors.push(required(one));
    if (audiences.indexOf(audience) < index) errors.push(duplicateValue(one, audience));
  });
  const isAny = policy === 'MatchAny';
  const policyField = `${field}.audienceMatchPolicy`;
  if (audiences.length > 1 && !isAny) {
    const why = 'audienceMatchPolicy must be MatchAny for multiple audiences';
    errors.push(invalidValue(policyField, policy, why));
  }
  if (audiences.length === 1 && policy !== '' && !isAny) {
    const why = 'audienceMatchPolicy must be empty or MatchAny for single audience';
    errors.push(invalidValue(policyField, policy, why));
  }
  return errors;
}

function hasCertificates(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false; // OpenSSL says only by failing that it is none.
  }
}
