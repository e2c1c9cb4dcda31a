/**
 * The certificate authority of a control plane that several servers serve: the first server writes its
 * own into the log, and all later ones must have the same, or clients of one would not believe the
 * other. Its key is in the log only where a key file is given, and sealed with it: AES-256-GCM, under a
 * key that scrypt makes of the file's content and a salt of its own.
 *
 * The record is of a resource that is not served.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scryptSync,
  X509Certificate,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { Clock, Random } from '../../../api/meta/clock.ts';
import {
  type OwnRecord,
  pathOfOwn,
  writeOwnRecord,
} from '../../../actors/controllers/own-record.ts';
import type { WriteContext } from '../../../actors/registry/write-context.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { PemPair } from '../../listener/tls/certificate-pair.ts';
import { adoptAuthority, preparePki, readAuthority } from '../../listener/tls/self-signed.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

const RECORD: OwnRecord = {
  resource: 'dev.everwatch/authorities',
  kind: 'Authority',
  name: 'control-plane',
};
const KEY_BYTES_MIN = 16;

interface SharedAuthority {
  readonly certificate: string;
  readonly sealedKey: SealedSecret | undefined;
}

interface SharedAuthorityParts {
  readonly context: Pick<WriteContext, 'objects' | 'committer'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly dataDir: string;
  readonly keyFile: string | undefined;
}

/**
 * Sees to it that the data directory has the control plane's authority. The log is folded up to
 * its end.
 *
 * @throws StartupError when it has another one, or none and no key file opens the one in the log.
 */
export async function shareAuthority(parts: SharedAuthorityParts): Promise<void> {
  const { context, dataDir } = parts;
  const key = await readKey(parts.keyFile);
  // One that is made below has signed nothing yet that is in use, and gives way.
  const hadOwn = (await readAuthority(dataDir)) !== undefined;
  for (;;) {
    const stored = context.objects.get(RECORD.resource, pathOfOwn(RECORD));
    if (stored !== undefined) {
      const known = parsed(stored);
      const local = await agreed(parts, known, { key, hadOwn });
      if (known.sealedKey !== undefined || key === undefined) return;
      if (await write(parts, stored, local, key)) return;
    } else {
      const { dataDir: directory, clock } = parts;
      await preparePki({ dataDir: directory, hostNames: [], now: clock.now() });
      const made = await readAuthority(dataDir);
      if (made === undefined) throw new Error('the authority that was just made is not there');
      if (await write(parts, undefined, made, key)) return;
    }
  }
}

/** The authority of this directory, which is the control plane's. */
async function agreed(
  { dataDir, keyFile }: SharedAuthorityParts,
  shared: SharedAuthority,
  { key, hadOwn }: { readonly key: Buffer | undefined; readonly hadOwn: boolean },
): Promise<PemPair> {
  const local = await readAuthority(dataDir);
  if (local !== undefined && isSame(local.certificate, shared.certificate)) return local;
  if (local !== undefined && hadOwn) {
    throw new StartupError(
      `${dataDir}/pki has the authority ${fingerprint(local.certificate)}, but this control plane's is ` +
        `${fingerprint(shared.certificate)}: copy pki/ca.crt and pki/ca.key from another of its ` +
        `servers, or remove ${dataDir}/pki and give the --key-file that they have`,
    );
  }
  if (shared.sealedKey === undefined || key === undefined) {
    const what =
      key === undefined
        ? 'copy pki/ca.crt and pki/ca.key from the data directory of another of its servers, or give all of them one --key-file'
        : 'its key is not in the log: start a server that has it with this --key-file first';
    throw new StartupError(
      `this control plane has an authority already, ${fingerprint(shared.certificate)}: ${what}`,
    );
  }
  const opened = unseal(shared.sealedKey, key);
  if (opened === undefined) {
    throw new StartupError(
      `--key-file ${keyFile ?? ''}: the keys of this control plane are sealed with another one`,
    );
  }
  const authority = { certificate: shared.certificate, key: opened };
  await adoptAuthority(dataDir, authority);
  return authority;
}

/** Whether it took effect; false: another server was first. @throws StartupError */
async function write(
  { context, clock, random }: SharedAuthorityParts,
  replaced: StoredObject | undefined,
  authority: PemPair,
  key: Buffer | undefined,
): Promise<boolean> {
  const sealedKey = key === undefined ? undefined : seal(authority.key, key);
  const content = {
    certificate: authority.certificate,
    ...(sealedKey === undefined ? {} : { sealedKey: { ...sealedKey } }),
  };
  const { committer } = context;
  const commit = await writeOwnRecord({ committer, clock, random }, RECORD, replaced, content);
  if (commit.kind === 'committed') return true;
  if (commit.kind === 'overtaken') return false;
  throw new StartupError('the log took no record: is Kafka there, and may we write to the topic?');
}

async function readKey(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  let key: Buffer;
  try {
    key = await readFile(path);
  } catch (error) {
    throw new StartupError(`cannot read --key-file ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
  if (key.length >= KEY_BYTES_MIN) return key;
  throw new StartupError(
    `--key-file ${path}: must hold at least ${String(KEY_BYTES_MIN)} bytes; make one with ` +
      `head -c 32 /dev/urandom > ${path}`,
  );
}

function parsed(stored: StoredObject): SharedAuthority {
  const { certificate, sealedKey } = parsedObject(stored);
  if (typeof certificate !== 'string')
    throw new Error(`${RECORD.resource} in the log has no certificate`);
  return { certificate, sealedKey: isSealedSecret(sealedKey) ? sealedKey : undefined };
}

function isSame(one: string, other: string): boolean {
  return fingerprint(one) === fingerprint(other);
}

/** As `openssl x509 -fingerprint -sha256` shows it, the first eight bytes. */
function fingerprint(certificate: string): string {
  const digest = createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
  return `SHA256:${digest.slice(0, 16)}`;
}

interface SealedSecret {
  readonly algorithm: 'scrypt-aes-256-gcm';
  /** All in base64. */
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly text: string;
}

const ALGORITHM = 'scrypt-aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;

export function seal(plain: string, key: Uint8Array): SealedSecret {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(key, salt, KEY_BYTES), nonce);
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return {
    algorithm: ALGORITHM,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    text: text.toString('base64'),
  };
}

/** undefined: sealed with another key, or changed since. */
export function unseal(sealed: SealedSecret, key: Uint8Array): string | undefined {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  try {
    const derived = scryptSync(key, bytes(sealed.salt), KEY_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', derived, bytes(sealed.nonce));
    decipher.setAuthTag(bytes(sealed.tag));
    return Buffer.concat([decipher.update(bytes(sealed.text)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

export function isSealedSecret(value: unknown): value is SealedSecret {
  if (typeof value !== 'object' || value === null) return false;
  const parts = value as Readonly<Record<string, unknown>>;
  return (
    parts['algorithm'] === ALGORITHM &&
    ['salt', 'nonce', 'tag', 'text'].every((name) => typeof parts[name] === 'string')
  );
}
