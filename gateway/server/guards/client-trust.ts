/**
 * Whose certificates are believed: of clients, and of proxies that name users. The authorities of
 * both may be exchanged on disk while the server runs; those of clients are looked at together with
 * the server's own certificate (tls-reload.ts), those of proxies here.
 */
import { AuthorityPool, certificatesIn } from '../../../actors/authentication/authority-pool.ts';
import { requestHeaderAuthenticator } from '../../../actors/authentication/request-header.ts';
import type { Authenticator } from '../../../actors/authentication/authenticator.ts';
import type { ClusterAuthentication } from '../../../actors/controllers/cluster-authentication-data.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { Listeners } from '../../../api/meta/listeners.ts';
import { followFile } from '../../files/follow-files.ts';
import { readText } from './authentication-config.ts';
import type { AuthenticationSettings } from '../../flags/sections/authentication-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';

const FLAG = '--requestheader-client-ca-file';
const LOOK_MS = 2_000;

export class ClientTrust {
  /** Empty until it is known which authority is our own. */
  readonly clients = new AuthorityPool('', systemClock);
  /** undefined: no proxy is believed. */
  readonly proxies: AuthorityPool | undefined;
  readonly #options: AuthenticationSettings;
  readonly #listeners = new Listeners();

  /** @throws StartupError when the file of the proxies' authorities is no good. */
  constructor(options: AuthenticationSettings) {
    this.#options = options;
    const { requestheaderClientCaFile: path } = options;
    if (path === undefined) return;
    const pem = readText(FLAG, path);
    const problem = problemOf(pem);
    if (problem !== undefined) throw new StartupError(`${FLAG} ${path}: ${problem}`);
    this.proxies = new AuthorityPool(pem, systemClock);
  }

  /** undefined: there is no proxy. */
  requestHeader(): Authenticator | undefined {
    if (this.proxies === undefined) return undefined;
    return requestHeaderAuthenticator({ authorities: this.proxies, ...this.#headers() });
  }

  /** Believes these clients from now on. @param authorities PEM each. */
  believeClients(authorities: readonly string[]): void {
    this.clients.replace(authorities.join(''));
    this.#tell();
  }

  /** Looks at the file of the proxies' authorities from now on. */
  followProxies(logger: Logger, until: AbortSignal): void {
    const { proxies } = this;
    const { requestheaderClientCaFile: path } = this.#options;
    if (proxies === undefined || path === undefined) return;
    followFile({
      file: path,
      text: proxies.pem,
      everyMs: LOOK_MS,
      clock: systemClock,
      until,
      take: (pem) => {
        const problem = problemOf(pem);
        if (problem !== undefined) throw new Error(problem);
        proxies.replace(pem);
        this.#tell();
        logger.info({ path }, 'the authorities of proxies were read again');
      },
      failed(error) {
        const message = 'the authorities of proxies are no good; the old ones stay';
        logger.error({ path, err: error }, message);
      },
    });
  }

  /** Tells when other authorities are believed. @returns ends it. */
  whenChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** What servers beside this one are told. */
  get forOthers(): ClusterAuthentication {
    const clientAuthorities = this.clients.pem;
    if (this.proxies === undefined) return { clientAuthorities, proxies: undefined };
    return { clientAuthorities, proxies: { authorities: this.proxies.pem, ...this.#headers() } };
  }

  #tell(): void {
    this.#listeners.tell();
  }

  #headers() {
    const options = this.#options;
    return {
      allowedNames: options.requestheaderAllowedNames,
      usernameHeaders: options.requestheaderUsernameHeaders,
      uidHeaders: options.requestheaderUidHeaders,
      groupHeaders: options.requestheaderGroupHeaders,
      extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
    };
  }
}

function problemOf(pem: string): string | undefined {
  try {
    return certificatesIn(pem).length === 0 ? 'no PEM certificate in it' : undefined;
  } catch {
    return 'not a PEM certificate'; // Parsing is the only way to find out.
  }
}
