package host

import (
	"slices"

	"google.golang.org/grpc"
)

// Selective is a [Service] of which reflection does not list everything all the time, so that what a server offers can
// change while it serves.
type Selective interface {
	// Unlisted returns the full names of the gRPC services that reflection does not list at the moment. They can be called all
	// the same, and whoever asks for their descriptors by name gets them. It is asked at each listing, by several goroutines at
	// once.
	Unlisted() []string
}

// listing is what the reflection service lists: what the server has, without what is unlisted at that moment.
type listing struct {
	server    *grpc.Server
	selective []Selective
}

// bare returns a service without what [Described] has put around it.
func bare(service Service) Service {
	if d, ok := service.(described); ok {
		return d.Service
	}
	return service
}

func newListing(server *grpc.Server, services []Service) listing {
	l := listing{server: server}
	for _, service := range services {
		if s, ok := bare(service).(Selective); ok {
			l.selective = append(l.selective, s)
		}
	}
	return l
}

// GetServiceInfo implements reflection.ServiceInfoProvider.
func (l listing) GetServiceInfo() map[string]grpc.ServiceInfo {
	info := l.server.GetServiceInfo()
	var unlisted []string
	for _, s := range l.selective {
		unlisted = slices.Concat(unlisted, s.Unlisted())
	}
	for _, name := range unlisted {
		delete(info, name)
	}
	return info
}
