/**
 * Puts a token that never runs out into secrets of type kubernetes.io/service-account-token, with
 * what is needed beside it, for the account that their annotation names; and ends the secrets of
 * accounts that are gone.
 *
 * In Kubernetes: TokensController, kubernetes/pkg/controller/serviceaccount.
 */
import { legacyClaims } from '../../authentication/service-accounts/legacy-tokens.ts';
import type { TokenIssuer } from '../../authentication/service-accounts/token-issuer.ts';
import type { Secret } from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import { bytesOf } from '../../../projections/objects/stored-object.ts';
import {
  nameOf,
  namespaceOf,
  pathOf,
  type CommittedEvent,
  type StoredObject,
} from '../../../streams/event.ts';
import {
  deleteExactly,
  outcomeOf,
  patchExactly,
  urlOf,
  type Controller,
  type ControllerParts,
  listening,
} from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

export interface TokenSecretsParts extends ControllerParts {
  /** PEM. */
  readonly authority: string;
  readonly tokens: Pick<TokenIssuer, 'sign'>;
}

const SECRETS = 'core/secrets';
const ACCOUNTS = 'core/serviceaccounts';
const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** What most secrets are is seen without reading them. */
const TYPE_BYTES = Buffer.from(`"${TYPE}"`);
const WIDTH = 5;
const readSecret = storedKind('v1/secrets');
const readAccount = storedKind('v1/serviceaccounts');

/** It listens from now on and writes from its `begin` on. */
export function startTokenSecrets(parts: TokenSecretsParts): Controller {
  return listening(parts, new TokenSecrets(parts));
}

/** Whose token lies in a secret. */
interface Owner {
  readonly account: string;
  /** '': the secret does not say. */
  readonly uid: string;
}

class TokenSecrets implements Controller {
  readonly #parts: TokenSecretsParts;
  readonly #queue: WorkQueue;
  /** By path of the secret; of one that is gone until its account does not name it any more. */
  readonly #owners = new Map<string, Owner>();

  constructor(parts: TokenSecretsParts) {
    this.#parts = parts;
    this.#queue = startWorkQueue(
      { name: 'serviceaccount-token-controller', width: WIDTH, work: (path) => this.#look(path) },
      parts,
    );
  }

  begin(): Promise<void> {
    for (const stored of this.#parts.objects.of(SECRETS).inOrder('')) this.#note(stored);
    return Promise.resolve();
  }

  hear({ type, resource, path, object }: CommittedEvent): void {
    if (resource === SECRETS) this.#note(object);
    if (resource !== ACCOUNTS || type !== 'deleted') return;
    for (const [secret, { account }] of this.#owners) {
      if (path === pathOf(namespaceOf(secret), account)) this.#queue.add(secret);
    }
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #note(stored: StoredObject): void {
    if (!bytesOf(stored).includes(TYPE_BYTES)) return;
    const secret = readSecret(stored);
    if (secret.type !== TYPE) return;
    this.#owners.set(stored.path, ownerOf(secret));
    this.#queue.add(stored.path);
  }

  async #look(path: string): Promise<WorkOutcome> {
    const { objects, served, isAside } = this.#parts;
    const owner = this.#owners.get(path);
    const resource = served.ofStorage(SECRETS);
    if (isAside() || owner === undefined || owner.account === '' || resource === undefined) {
      return 'done';
    }
    const account = this.#accountOf(namespaceOf(path), owner);
    const stored = objects.get(SECRETS, path);
    if (stored === undefined) return this.#forget(path, account);
    const secret = readSecret(stored);
    const { resourceVersion } = stored;
    const url = urlOf(resource, path);
    if (account === undefined) {
      const { uid = '' } = secret.metadata;
      const exactly = { uid, resourceVersion: String(resourceVersion) };
      return settled(await deleteExactly(this.#parts, url, exactly, 'Background'));
    }
    const change = this.#changeOf(path, secret, account);
    if (change === undefined) return 'done';
    return settled(await patchExactly(this.#parts, url, resourceVersion, change));
  }

  /** undefined: there is none, or another one of that name. */
  #accountOf(namespace: string, { account, uid }: Owner): StoredObject | undefined {
    const stored = this.#parts.objects.get(ACCOUNTS, pathOf(namespace, account));
    if (stored === undefined || uid === '') return stored;
    return readAccount(stored).metadata.uid === uid ? stored : undefined;
  }

  /** What the secret lacks; undefined: nothing. */
  #changeOf(path: string, { data = {} }: Secret, account: StoredObject) {
    const { authority, tokens } = this.#parts;
    const certificate = Buffer.from(authority).toString('base64');
    const needsAuthority = authority !== '' && data['ca.crt'] !== certificate;
    const needsNamespace = isEmpty(data['namespace']);
    const needsToken = isEmpty(data['token']);
    if (!needsAuthority && !needsNamespace && !needsToken) return undefined;
    const namespace = namespaceOf(path);
    const name = nameOf(account.path);
    const { uid: accountUid = '' } = readAccount(account).metadata;
    const claims = { namespace, account: name, accountUid, secret: nameOf(path) };
    const token = needsToken ? tokens.sign(legacyClaims(claims)) : undefined;
    return {
      metadata: { annotations: { [ACCOUNT_NAME]: name, [ACCOUNT_UID]: accountUid } },
      data: {
        ...(needsAuthority ? { 'ca.crt': certificate } : {}),
        ...(needsNamespace ? { namespace: Buffer.from(namespace).toString('base64') } : {}),
        ...(token === undefined ? {} : { token: Buffer.from(token).toString('base64') }),
      },
    };
  }

  /** The secret is gone: its account does not name it any more. */
  async #forget(path: string, account: StoredObject | undefined): Promise<WorkOutcome> {
    const resource = this.#parts.served.ofStorage(ACCOUNTS);
    const all = account === undefined ? [] : items(readAccount(account).secrets);
    const rest = all.filter(({ name }) => name !== nameOf(path));
    if (account !== undefined && resource !== undefined && rest.length < all.length) {
      const url = urlOf(resource, account.path);
      const { resourceVersion } = account;
      const answer = await patchExactly(this.#parts, url, resourceVersion, { secrets: rest });
      if (outcomeOf(answer) === 'later') return 'later';
    }
    if (this.#parts.objects.get(SECRETS, path) === undefined) this.#owners.delete(path);
    return 'done';
  }
}

function isEmpty(value: string | null | undefined): boolean {
  return (value ?? '') === '';
}

function ownerOf({ metadata: { annotations = {} } }: Secret): Owner {
  return { account: annotations[ACCOUNT_NAME] ?? '', uid: annotations[ACCOUNT_UID] ?? '' };
}

/** A controller that was overtaken hears of that change; what is not valid does not become so by waiting. */
function settled(answer: Parameters<typeof outcomeOf>[0]): WorkOutcome {
  const isFinal = answer.kind === 'Status' && [409, 422].includes(answer.status.code);
  return isFinal ? 'done' : outcomeOf(answer);
}
