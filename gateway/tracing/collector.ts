/** Where spans are sent, and how: by gRPC to a target that gRPC resolves, or by HTTP to a URL. */
export type Collector =
  /** `localhost:4317`, `dns:///host:port`, `unix:///path`, `unix-abstract://name` */
  | { readonly protocol: 'grpc'; readonly target: string }
  /** `http://127.0.0.1:4318/v1/traces` */
  | { readonly protocol: 'http'; readonly url: string };
