/**
 * What the wire says of a request before its body: its line and headers, the connection that it came
 * over, and in which form the client takes an answer.
 */

/** By name in lower case, as Node gives them; a list only for `set-cookie`. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** All that the wire says of a request before its body. */
export interface RequestLine {
  /** As sent, in capital letters. */
  readonly method: string;
  /** Decoded as sent: no percent-decoding is done on it. */
  readonly path: string;
  /** Without the question mark; '' when there is none. */
  readonly query: string;
  /** Names in lower case, as Node reads them. */
  readonly headers: IncomingHeaders;
  /** Names and values by turns, as sent: what comes several times is one text in `headers`. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** The other end of the socket. */
  readonly connection: Connection;
  /** The best form of what can be shown in every form; undefined: none of what the client accepts. */
  readonly accepted: AcceptedMedia | undefined;
  /** undefined: everything is answered in the form above. */
  readonly acceptance?: Acceptance;
  /** Whether the client asks for an upgrade to WebSocket. */
  readonly isWebSocket: boolean;
  /** Whether CBOR is among the forms that there are: upstream's gate CBORServingAndStorage. */
  readonly hasCbor?: boolean;
}

/** What the door knows of the other end. */
export interface Connection {
  /** An IP address, without its port. */
  readonly remoteAddress: string;
  /** undefined: it has none, as a socket in the file system, or the server itself. */
  readonly remotePort?: number | undefined;
  /** Whether it is one client's WebSocket by now: what is asked in its name is asked by what opened that. */
  readonly isUpgraded?: boolean;
  /** What the client showed, believed or not; undefined when it showed none. */
  clientCertificate(): ClientCertificate | undefined;
}

/** The certificate that a client showed in its handshake. */
export interface ClientCertificate {
  /** DER. */
  readonly raw: Uint8Array;
  /** When it runs out, in milliseconds since 1970; undefined: no client is asked for it. */
  readonly expiry?: number;
  /** The CN of the subject, which is the name of the user; '' where there is none. */
  readonly commonName: string;
  /** Each O of the subject, which are the groups of the user. */
  readonly organizations: readonly string[];
  /** Of the object identifier that Kubernetes has for it; undefined: the certificate has none. */
  readonly uid?: string | undefined;
  /** DER of what the client showed beside it, each the issuer of the one before. */
  intermediates?(): readonly Uint8Array[];
}

/** How the answer's body is wanted, negotiated at the door from Accept and `pretty`. */
export interface AcceptedMedia {
  /** The encoding of the body. */
  readonly type: 'json' | 'yaml' | 'protobuf' | 'cbor';
  /** Whether objects are shown as themselves, as rows, or by their metadata alone. */
  readonly transform: 'none' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Whether JSON is indented. */
  readonly pretty: boolean;
  /** For Table: what stands in each row's `object`; `unknown`: the client named nothing that there is. */
  readonly includeObject: 'None' | 'Metadata' | 'Object' | { readonly unknown: string };
  /** For transforms: the version of meta.k8s.io where it is not v1. */
  readonly metaVersion?: 'v1beta1';
}

/**
 * What can be given to a client, by what there is to be given: of a clause of Accept that the server
 * cannot meet there, the next one counts. undefined: none can be met.
 */
export interface Acceptance {
  /** Of resources that can be shown in every form. */
  readonly any: AcceptedMedia | undefined;
  /** Of custom resources, which have no protobuf; their metadata has. */
  readonly custom: AcceptedMedia | undefined;
  /** Of what is never shown as a table. */
  readonly untabled: AcceptedMedia | undefined;
  /** Of failures and documents, which have one form only. */
  readonly status: AcceptedMedia | undefined;
}

/** What is given besides failures and documents. */
export type GivenSort = Exclude<keyof Acceptance, 'status'>;

/** Everything in one form, as the server asks itself. */
export function acceptanceOfAll(media: AcceptedMedia | undefined): Acceptance {
  return { any: media, custom: media, untabled: media, status: media };
}
