// The .proto files of etcd, for the tests against a real one. Nothing is built here.
module github.com/mcpgrpc/bridge/tools/etcd

go 1.26.0

require go.etcd.io/etcd/api/v3 v3.7.3 // indirect
