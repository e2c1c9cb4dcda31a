// Test only: a Kafka client that knows nothing of the server, which e2e/ lets read its topic. A
// module of its own, so that it does not choose the versions of the clients in ../go.
module everwatch.dev/e2e/kafka

go 1.26.0

require (
	github.com/twmb/franz-go v1.22.2
	github.com/twmb/franz-go/pkg/kmsg v1.15.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
)
