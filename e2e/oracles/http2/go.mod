module everwatch.dev/oracles/http2

go 1.26.0

require golang.org/x/net v0.49.0

require golang.org/x/text v0.33.0 // indirect
