module everwatch.dev/oracles/first-bytes

go 1.26.0
