/** In which form a client takes an answer, by what there is to be given. */
/** How the answer's body is wanted, negotiated at the door from Accept and `pretty`. */
export interface AcceptedMedia {
  readonly type: 'json' | 'yaml' | 'protobuf';
  readonly transform: 'none' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
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
