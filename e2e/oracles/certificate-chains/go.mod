module everwatch.dev/oracles/certificate-chains

go 1.26.0
