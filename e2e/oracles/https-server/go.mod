module everwatch.dev/oracles/https-server

go 1.26.0
