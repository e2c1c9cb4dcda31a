/** What is known of a connection when a request comes over it. */

/** What the door knows of the other end. */
export interface Connection {
  readonly remoteAddress: string;
  /** undefined: it has none, as a socket in the file system, or the server itself. */
  readonly remotePort?: number | undefined;
  /** What the client showed, believed or not; undefined when it showed none. */
  clientCertificate(): ClientCertificate | undefined;
}

export interface ClientCertificate {
  /** DER. */
  readonly raw: Uint8Array;
  /** When it runs out, in milliseconds since 1970; undefined: no client is asked for it. */
  readonly expiry?: number;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Of the object identifier that Kubernetes has for it; undefined: the certificate has none. */
  readonly uid?: string | undefined;
  /** DER of what the client showed beside it, each the issuer of the one before. */
  intermediates?(): readonly Uint8Array[];
}
