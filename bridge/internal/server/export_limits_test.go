package server

// CallsInFlight returns how many calls the quotas of callers count.
func (s *Server) CallsInFlight() int { return s.callers.InFlight() }
